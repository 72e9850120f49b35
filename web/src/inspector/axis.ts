// The time axis: a scale from milliseconds to pixels, its ticks, and how it zooms. Knows no screen.

const MIN = 60_000;
const HOUR = 3_600_000;
const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, MIN, 2 * MIN, 5 * MIN, 10 * MIN, 15 * MIN,
  30 * MIN, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR,
];

/** The closest that ticks stand, in pixels: their labels must not touch. */
const TICK_PX = 80;

export const ZOOM_MAX = 400;

/** Steps of the axis for so many milliseconds on so many pixels. */
export function tickStep(span_ms: number, width_px: number): number {
  const most = Math.max(1, width_px / TICK_PX);
  return STEPS.find((step) => span_ms / step <= most) ?? Math.ceil(span_ms / most / (24 * HOUR)) * 24 * HOUR;
}

export interface Tick {
  at_ms: number;
  label: string;
}

/** Ticks between two moments, counted from the start of the run. */
export function ticks(from_ms: number, to_ms: number, step_ms: number): Tick[] {
  const list: Tick[] = [];
  for (let at = Math.max(0, Math.ceil(from_ms / step_ms) * step_ms); at <= to_ms; at += step_ms) {
    list.push({ at_ms: at, label: tickLabel(at, step_ms) });
  }
  return list;
}

function tickLabel(ms: number, step_ms: number): string {
  if (ms === 0) return '0';
  if (step_ms < 1000 && ms < 1000) return `${ms} ms`;
  if (ms < MIN) return `${Number((ms / 1000).toFixed(step_ms < 10 ? 3 : step_ms < 100 ? 2 : step_ms < 1000 ? 1 : 0))} s`;
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const part = step_ms < 1000 ? (ms / 1000) % 60 : Math.floor(ms / 1000) % 60;
  const seconds = step_ms < 1000 ? part.toFixed(1).padStart(4, '0') : two(part);
  if (ms < HOUR) return `${Math.floor(ms / MIN)}:${seconds}`;
  return `${Math.floor(ms / HOUR)}:${two((ms / MIN) % 60)}:${seconds}`;
}

/**
 * How much time the axis shows while a run goes on: it stays as it is until the run comes near the edge, and then
 * makes room in one go, so that bars grow and the axis keeps still.
 */
export function roomFor(elapsed_ms: number, shown_ms: number, isLive: boolean): number {
  const least = Math.max(elapsed_ms, 10);
  if (!isLive) return least * 1.02;
  if (shown_ms >= least * 1.04 && shown_ms <= least * 3) return shown_ms;
  return Math.max(2000, least * 1.5);
}

/** Where the view must be scrolled to, for a moment to stay under the pointer after a zoom. */
export function scrollAfterZoom(scroll_px: number, pointer_px: number, before: number, after: number): number {
  return Math.max(0, ((scroll_px + pointer_px) / before) * after - pointer_px);
}
