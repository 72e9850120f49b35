// Quoted text as rows on a screen: visible, split where it would run over, and cut in the middle where it is too long.
// Knows no markup.

import { parseDiff, type DiffLine } from '../view/diff';
import { visible, visibleLine } from './visible';

/** A row of quoted text. */
export interface Row {
  /** What stands in the gutter: a number, or a word of ours. */
  gutter: string;
  text: string;
  kind: DiffLine['kind'] | 'plain';
}

/** In the gutter of a row that goes on with the line before it. */
const CONTINUED = '↪';
const GUTTER_MIN = 2;
const COLUMNS_MIN = 20;

/** The lines of a text, numbered. */
export function textRows(text: string): Row[] {
  return visible(text)
    .split('\n')
    .map((line, at) => ({ gutter: String(at + 1), text: line, kind: 'plain' }));
}

/** Texts that are a line each, whatever is in them, after a word of ours. */
export function lineRows(lines: readonly (readonly [word: string, text: string])[]): Row[] {
  return lines.map(([word, text]) => ({ gutter: word, text: visibleLine(text), kind: 'plain' }));
}

/** The lines of a diff, with the numbers of the lines that stay or come. */
export function diffRows(text: string): Row[] {
  return parseDiff(visible(text)).map((line) => ({ gutter: String(line.new ?? line.old ?? ''), text: line.text, kind: line.kind }));
}

/** How wide the gutter is, in characters. */
export function gutterOf(rows: readonly Row[]): number {
  return rows.reduce((widest, { gutter }) => Math.max(widest, gutter.length), GUTTER_MIN);
}

/** The same rows, none longer than fits beside the gutter on a line of so many characters. */
export function splitRows(rows: readonly Row[], width: number): Row[] {
  const columns = Math.max(COLUMNS_MIN, width - gutterOf(rows));
  return rows.flatMap((row) => {
    if (row.text.length <= columns) return [row];
    const signs = [...row.text];
    return Array.from({ length: Math.ceil(signs.length / columns) }, (_, at) => ({
      ...row,
      gutter: at === 0 ? row.gutter : CONTINUED,
      text: signs.slice(at * columns, (at + 1) * columns).join(''),
    }));
  });
}

export interface Folded {
  head: Row[];
  /** How many rows are between. */
  hidden: number;
  tail: Row[];
}

/** The first and the last rows, so many in all with the one that says how many are between. */
export function foldRows(rows: readonly Row[], rowsMax: number): Folded {
  if (rows.length <= rowsMax) return { head: [...rows], hidden: 0, tail: [] };
  const shown = Math.max(2, rowsMax - 1);
  const head = Math.ceil(shown / 2);
  return { head: rows.slice(0, head), hidden: rows.length - shown, tail: rows.slice(head - shown) };
}

/** How many rows each text gets of a screen that has so many: short ones all they need, long ones equal parts of the rest. */
export function shareRows(needs: readonly number[], rows: number, rowsMin: number): number[] {
  const shares = needs.map(() => 0);
  const byNeed = needs.map((_, at) => at).sort((one, other) => (needs[one] ?? 0) - (needs[other] ?? 0));
  let left = rows;
  byNeed.forEach((at, nth) => {
    const part = Math.max(rowsMin, Math.floor(left / (byNeed.length - nth)));
    const share = Math.min(needs[at] ?? 0, part);
    shares[at] = share;
    left -= share;
  });
  return shares;
}
