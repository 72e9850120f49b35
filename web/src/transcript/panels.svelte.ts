// What readers opened, closed and put away, run by run: it outlives the parts of the page that show it.

import { SvelteMap, SvelteSet } from 'svelte/reactivity';

const AWAY_KEY = 'windlass.away.';

export class RunPanels {
  /** What the reader opened or closed; it wins over what happens by itself. */
  readonly choices = new SvelteMap<string, boolean>();
  /** Warnings that the reader has put away. */
  readonly away: SvelteSet<string>;
  /** The source that was asked for last. */
  source = $state<number | null>(null);

  constructor(readonly runId: string) {
    this.away = new SvelteSet(stored(runId));
  }

  putAway(warning: string): void {
    this.away.add(warning);
    try {
      sessionStorage.setItem(AWAY_KEY + this.runId, JSON.stringify([...this.away]));
    } catch {
      // Storage is full or forbidden: it is remembered for as long as the page is there.
    }
  }
}

function stored(runId: string): string[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(AWAY_KEY + runId) ?? '[]');
    return Array.isArray(kept) ? kept.map(String) : [];
  } catch {
    return [];
  }
}

/** The panels of all runs of a transcript. */
export class Panels {
  private readonly runs: { [runId: string]: RunPanels } = {};

  of(runId: string): RunPanels {
    return (this.runs[runId] ??= new RunPanels(runId));
  }
}
