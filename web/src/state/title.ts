// The title of the window: what is open, whether it runs, and whether somebody is waited for. Pure.

export interface Shown {
  /** What is open; nothing for the start page. */
  name: string | null;
  isRunning: boolean;
  /** Questions that wait for an answer, in all sessions. */
  questions: number;
}

/** "(1) ● Name · Windlass". */
export function titleOf(shown: Shown): string {
  const name = shown.name ? `${shown.name} · Windlass` : 'Windlass';
  const running = shown.isRunning ? '● ' : '';
  const waiting = shown.questions > 0 ? `(${shown.questions}) ` : '';
  return waiting + running + name;
}
