// What is looked at, as the address says it: `?call=…`, `?step=…`. The rest of the address is left as it is.

import type { Kind } from './rows';

const KINDS: Kind[] = ['call', 'step', 'thought', 'question', 'notice'];

/** The key of the row that an address names. */
export function selectionOf(url: URL): string | null {
  for (const kind of KINDS) {
    const id = url.searchParams.get(kind);
    if (id) return `${kind}:${id}`;
  }
  return null;
}

/** The address with another row, or with none. */
export function withSelection(url: URL, key: string | null): string {
  const next = new URL(url);
  for (const kind of KINDS) next.searchParams.delete(kind);
  if (key) {
    const at = key.indexOf(':');
    next.searchParams.set(key.slice(0, at), key.slice(at + 1));
  }
  return next.pathname + next.search + next.hash;
}

/** The address of a run on its own page, with what is looked at. */
export function shareable(origin: string, runPath: string, key: string | null): string {
  return origin + withSelection(new URL(runPath, origin), key);
}
