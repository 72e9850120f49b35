// Pages and documents that calls found, as sources.

import { expect, it } from 'vitest';
import type { CallEntry } from './session';
import { byHost, DOCUMENTS, sourcesOf } from './sources';

const call = (id: string, links: unknown[]) =>
  ({ kind: 'call', call: { id, name: 'rag_search' }, state: { kind: 'ended', outcome: { body: { Ok: { links } } } } }) as unknown as CallEntry;

it('counts a document once, beside pages, without an address', () => {
  const page = { title: 'Tar', url: 'https://www.tar.example/a', snippet: '' };
  const document = { title: 'ropes.md', url: '', snippet: 'Hemp is soaked in tar.' };
  const sources = sourcesOf([call('1', [document, page]), call('2', [document])]);
  expect(sources.map(({ number, title, url, host }) => [number, title, url, host])).toEqual([
    [1, 'ropes.md', '', DOCUMENTS],
    [2, 'Tar', 'https://www.tar.example/a', 'tar.example'],
  ]);
  expect(byHost(sources).map(({ host }) => host)).toEqual([DOCUMENTS, 'tar.example']);
});
