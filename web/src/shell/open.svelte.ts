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
    const wanted = { inspect: runId, ...(callId && { call: callId }) };
    const to = `${router.url.pathname}?${new URLSearchParams(wanted)}`;
    if (to === router.url.pathname + router.url.search) return;
    // Opening is a step that "back" undoes; looking around in it is not.
    router.go(to, { replace: this.inspected !== null });
  }

  /** Opens the inspector with the question under which name a snapshot is kept. */
  save(runId: string): void {
    router.go(`${router.url.pathname}?${new URLSearchParams({ inspect: runId, do: 'save' })}`, {
      replace: this.inspected !== null,
    });
  }

  closeInspector(): void {
    if (this.inspected) router.go(router.url.pathname, { replace: true });
  }

  toggleInspector(): void {
    if (this.inspected) this.closeInspector();
    else if (router.page.name === 'session' && this.newest) this.inspect(this.newest.run_id);
  }
}

export const open = new Open();
