// Where an answer comes from: the pages and documents that the searches of a run found, each once, numbered as they came.

import type { CallEntry, RunView } from './session';
import type { Link } from './types';

export interface Source {
  /** From 1. */
  number: number;
  title: string;
  /** Empty where it is a document, which has no address. */
  url: string;
  /** Where it is: the host of a page, or `DOCUMENTS`. */
  host: string;
  snippet: string;
  /** The call that found it first. */
  callId: string;
}

/** Where documents are, in the place of a host. */
export const DOCUMENTS = 'Documents';

/** What makes two addresses the same page: host and path (S-28). */
export function pageKey(url: string): string | null {
  try {
    const { hostname, pathname, protocol } = new URL(url);
    return protocol === 'http:' || protocol === 'https:' ? hostname + pathname : null;
  } catch {
    return null;
  }
}

/** The links of a call that is over. */
export function linksOf({ state }: CallEntry): Link[] {
  return state.kind === 'ended' && 'Ok' in state.outcome.body ? (state.outcome.body.Ok.links ?? []) : [];
}

/** The pages and documents that these calls found, each once. */
export function sourcesOf(calls: readonly CallEntry[]): Source[] {
  const seen = new Set<string>();
  const sources: Source[] = [];
  for (const entry of calls) {
    for (const { title, url, snippet } of linksOf(entry)) {
      const key = url ? pageKey(url) : `document ${title}`;
      if (key === null || seen.has(key)) continue;
      seen.add(key);
      const host = url ? new URL(url).hostname : DOCUMENTS;
      sources.push({
        number: sources.length + 1,
        title: title.trim() || host,
        url,
        host: host.replace(/^www\./, ''),
        snippet: snippet ?? '',
        callId: entry.call.id,
      });
    }
  }
  return sources;
}

/** The sources of a run: what its searches found. */
export function runSources(run: RunView): Source[] {
  const calls = run.entries.filter(
    (entry) => entry.kind === 'call' && entry.category === 'search' && entry.visibility !== 'hidden',
  );
  return sourcesOf(calls as CallEntry[]);
}

/** Sources by host, hosts in the order of their first source. */
export function byHost(sources: readonly Source[]): { host: string; sources: Source[] }[] {
  const groups = new Map<string, Source[]>();
  for (const source of sources) {
    const group = groups.get(source.host);
    if (group) group.push(source);
    else groups.set(source.host, [source]);
  }
  return [...groups].map(([host, found]) => ({ host, sources: found }));
}
