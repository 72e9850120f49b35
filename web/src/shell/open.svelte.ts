// What of the open session the frame shows: whether it runs, what it asks, and its inspector. The page of the session
// writes it; the frame reads it.

import type { RunView } from '../view/session';
import { router } from '../state/router.svelte';

class Open {
  isRunning = $state(false);
  questions = $state(0);
  /** The newest run of the open session. */
  newest = $state.raw<RunView | null>(null);

  /** What the inspector shows; it is in the address, so that a reload keeps it. */
  inspected = $derived.by(() => {
    const { page, url } = router;
    const run = url.searchParams.get('inspect');
    return page.name === 'session' && run ? { run, call: url.searchParams.get('call') } : null;
  });

  inspect(runId: string, callId?: string | null): void {
    const url = new URL(router.url);
    url.searchParams.set('inspect', runId);
    if (callId) url.searchParams.set('call', callId);
    else url.searchParams.delete('call');
    if (url.href === router.url.href) return;
    // Opening is a step that "back" undoes; looking around in it is not.
    router.go(url.pathname + url.search, { replace: this.inspected !== null });
  }

  closeInspector(): void {
    if (!this.inspected) return;
    const url = new URL(router.url);
    url.searchParams.delete('inspect');
    url.searchParams.delete('call');
    router.go(url.pathname + url.search, { replace: true });
  }

  toggleInspector(): void {
    if (this.inspected) this.closeInspector();
    else if (router.page.name === 'session' && this.newest) this.inspect(this.newest.run_id);
  }
}

export const open = new Open();
