import { expect, it } from 'vitest';
import type { Save } from '../../wire/api';
import { fileName, fileOf, keptIn, readFile } from './saves';

const save = {
  id: 'save_1', title: 'A Run: about Ropes!', kind: 'state', provider: 'scripted', model: 'scripted/x', created_ms: 1,
  data: { prompt: 'Hello', settings: { model: 'scripted/x' }, run_id: 'run_1', runTrace: { runId: 'run_1', tools: [], answer: 'Hi' }, extra: 1 },
} as unknown as Save;

it('S-31 finds prompt, settings and the complete trace in a snapshot', () => {
  const kept = keptIn(save);
  expect([kept.prompt, kept.settings, kept.trace?.answer, kept.runId]).toEqual(['Hello', { model: 'scripted/x' }, 'Hi', 'run_1']);
  expect(kept.more).toEqual({ extra: 1 });
});

it('shows a snapshot of somebody else as it is', () => {
  const kept = keptIn({ ...save, data: { messages: [], runTrace: 'odd' } as unknown as Save['data'] });
  expect([kept.trace, kept.prompt, kept.more]).toEqual([null, null, { messages: [] }]);
});

it('S-31 reads back what it exports, with the complete trace', () => {
  const read = readFile(fileOf([save]));
  expect('saves' in read && read.saves).toEqual([
    { title: save.title, kind: 'state', provider: 'scripted', model: 'scripted/x', data: save.data },
  ]);
  expect(readFile(JSON.stringify(save))).toEqual(read);
  expect(readFile(JSON.stringify([save]))).toEqual(read);
});

it.each([
  ['{nonsense', 'This file is not valid JSON.'],
  ['{"saves":[]}', 'This file has no snapshots.'],
  ['{"title":"x"}', 'Snapshot 1 in this file has no title or no data: it is not a Windlass snapshot.'],
  ['3', 'Snapshot 1 in this file has no title or no data: it is not a Windlass snapshot.'],
])('says what is wrong with a file: %s', (content, problem) => {
  expect(readFile(content)).toEqual({ problem });
});

it('names a file after what is in it', () => {
  expect(fileName(save)).toBe('snapshot-a-run-about-ropes.json');
  expect(fileName({ ...save, title: '***' })).toBe('snapshot-untitled.json');
});
