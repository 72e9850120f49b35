// What a search gave, as the page shows it. Knows no server and no screen.

import type { Found } from '../../wire/api';

type Passage = Found['passages'][number];

/** Ways of finding, with the words of the page. */
export const KINDS = [
  { value: 'hybrid', label: 'everything' },
  { value: 'lexical', label: 'words' },
  { value: 'semantic', label: 'meaning' },
  { value: 'structural', label: 'names' },
] as const;

export type Kind = (typeof KINDS)[number]['value'];

/** The kind of an address; everything if it is none. */
export function kindOf(word: string | null): Kind {
  return KINDS.find((kind) => kind.value === word)?.value ?? 'hybrid';
}

/** A part of a score: its name, its figure, and how long its bar is against the best of the list. */
export interface ScorePart {
  name: string;
  value: number;
  share: number;
}

const NAMES = { lexical: 'words', vector: 'meaning', symbol: 'names', path: 'path' } as const;
type PartName = keyof typeof NAMES;

/** The parts of each passage's score, in the order of the passages. */
export function partsOf(passages: readonly Passage[]): ScorePart[][] {
  const names = Object.keys(NAMES) as PartName[];
  const most = new Map(names.map((name) => [name, Math.max(0, ...passages.map((it) => it.parts[name] ?? 0))]));
  return passages.map((passage) =>
    names.flatMap((name) => {
      const value = passage.parts[name];
      if (value === undefined) return [];
      const best = most.get(name) ?? 0;
      return [{ name: NAMES[name], value, share: best > 0 ? Math.max(0, value) / best : 0 }];
    }),
  );
}

/** A figure with as many digits as say something. */
export function figure(value: number): string {
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toPrecision(2);
}
