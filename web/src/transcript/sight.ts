// When a key may answer a question: only one that the user can see, whole, and has had time to see. Knows no page: whoever
// measures tells it.

/** So long a question is in view, and no key is pressed, before a key can answer it. */
export const QUIET_MS = 500;

export interface Box {
  top: number;
  right: number;
  bottom: number;
  left: number;
}

/** Whether a box is wholly within another; edges of a part of a pixel do not count. */
export function isWithin(part: Box, whole: Box): boolean {
  return part.top >= whole.top - 1 && part.left >= whole.left - 1 && part.right <= whole.right + 1 && part.bottom <= whole.bottom + 1;
}

/** Where to look whether something lies over a box: its corners, the middles of its edges, and its middle. */
export function probes({ top, right, bottom, left }: Box, inset: number): [x: number, y: number][] {
  const xs = [left + inset, (left + right) / 2, right - inset];
  const ys = [top + inset, (top + bottom) / 2, bottom - inset];
  return xs.flatMap((x) => ys.map((y): [number, number] => [x, y]));
}

export interface Stroke {
  key: string;
  repeat: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  isComposing: boolean;
}

/** Whether a stroke can be an answer at all: pressed now, by itself. */
export function isPlain(stroke: Stroke): boolean {
  return !(stroke.repeat || stroke.ctrlKey || stroke.metaKey || stroke.altKey || stroke.shiftKey || stroke.isComposing);
}

/** Since when questions are there and in view, and when the last key was pressed. */
export class Sight {
  private readonly asked = new Map<string, number>();
  private readonly seen = new Map<string, number>();
  private stroke_ms = -Infinity;
  private answer_ms = -Infinity;

  /** What waits now, and which of it is in view. */
  look(waiting: readonly string[], inView: readonly string[], now_ms: number): void {
    keepSince(this.asked, waiting, now_ms);
    keepSince(this.seen, inView, now_ms);
  }

  /** A key was pressed, whichever. */
  stroke(now_ms: number): void {
    this.stroke_ms = now_ms;
  }

  /** A question was answered: others move to its place. */
  answered(now_ms: number): void {
    this.answer_ms = now_ms;
  }

  /** Whether a key may answer it. */
  takesKeys(id: string, now_ms: number): boolean {
    const since = this.seen.get(id);
    return since !== undefined && now_ms - Math.max(since, this.stroke_ms, this.answer_ms) >= QUIET_MS;
  }

  /** Whether its buttons count: a click that was meant for what stood there before does not. */
  takesClicks(id: string, now_ms: number): boolean {
    const since = this.asked.get(id);
    return since !== undefined && now_ms - Math.max(since, this.answer_ms) >= QUIET_MS;
  }
}

function keepSince(since: Map<string, number>, ids: readonly string[], now_ms: number): void {
  for (const id of since.keys()) if (!ids.includes(id)) since.delete(id);
  for (const id of ids) if (!since.has(id)) since.set(id, now_ms);
}
