import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyAll, foldSession, isDurable, rewind, tasksOf, type SessionView } from './session';
import type { Event, JournalRecord } from './types';

function record(seq: number, event: Event): JournalRecord {
  return { seq, ts_ms: 1000 + seq, session_id: 's', run_id: 'run_1', parent_id: 'm', event };
}

const started = record(1, {
  type: 'run_started',
  model: 'scripted/x',
  profile: 'default',
  message: { role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
});
const step = record(2, { type: 'step_started', step: 1, purpose: 'work', attempt: 1 });
const piece = (seq: number, text: string) => record(seq, { type: 'text_delta', text });

describe('the fold of a session', () => {
  it('joins pieces of text, and leaves what was handed out as it was', () => {
    const before = foldSession([started, step, piece(3, 'Good ')]);
    const after = applyAll(before, [piece(4, 'day')]);
    expect(before.runs[0]?.entries).toEqual([{ kind: 'text', text: 'Good ' }]);
    expect(after.runs[0]?.entries).toEqual([{ kind: 'text', text: 'Good day' }]);
  });

  it('keeps the task list through runs that do not touch it', () => {
    const tasks = [{ task_id: 'task_1', content: 'Buy rope', status: 'pending' as const }];
    const later = { ...started, seq: 3, run_id: 'run_2' };
    expect(tasksOf(foldSession([started]))).toEqual([]);
    expect(tasksOf(foldSession([started, record(2, { type: 'tasks_changed', tasks }), later]))).toEqual(tasks);
  });

  it('folds a record in once', () => {
    const view = foldSession([started, step, piece(3, 'a'), piece(3, 'a')]);
    expect(view.runs[0]?.entries).toEqual([{ kind: 'text', text: 'a' }]);
  });

  it('goes back to the newest durable record and comes to the same view again', () => {
    const call = record(5, {
      type: 'call_requested',
      call: { id: 'call_1', step: 1, index: 0, name: 'read_file', arguments: '{}' },
      category: 'other',
      visibility: 'secondary',
    });
    const pieces = [piece(3, 'one '), piece(4, 'two '), call, piece(6, 'three ')];
    const view = foldSession([started, step, ...pieces]);
    const back = rewind(view);
    expect([back.seq, back.runs[0]?.entries.length]).toEqual([5, 2]);
    expect(applyAll(back, [piece(6, 'three ')])).toEqual(view);
    const early = foldSession([started, step, piece(3, 'one ')]);
    expect(rewind(early).runs[0]?.entries).toEqual([]);
  });
});

/** What windlass-core's own fold gives: without what only the web app keeps. */
function common(view: SessionView): unknown {
  const runs = view.runs.map(({ about: _about, stepStart: _start, phase: _phase, mark: _mark, reading, ...run }) => ({
    ...run,
    ...(reading && { reading }),
  }));
  return JSON.parse(JSON.stringify({ seq: view.seq, runs }));
}

const folder = join(import.meta.dirname, '../../../fixtures/views');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const files = readdirSync(folder);
const names = files.filter((file) => file.endsWith('.records.jsonl')).map((file) => file.replace('.records.jsonl', ''));

describe('the fold of the web app and the fold of windlass-core give the same view', () => {
  it.each(names)('of %s', (name) => {
    const records = read(`${name}.records.jsonl`)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JournalRecord);
    const view = JSON.parse(read(`${name}.view.json`)) as unknown;
    expect(common(foldSession(records))).toEqual(view);

    // One by one, and without deltas.
    let stepwise = foldSession([]);
    for (const record of records) stepwise = applyAll(stepwise, [record]);
    expect(common(stepwise)).toEqual(view);
    const durable = foldSession(records.filter((record) => isDurable(record.event)));
    const kept = `${name}.durable.view.json`;
    if (files.includes(kept)) expect(common(durable)).toEqual(JSON.parse(read(kept)));

    // Cut off anywhere and read again from the newest durable record.
    for (let cut = 1; cut < records.length; cut += 1) {
      const back = rewind(foldSession(records.slice(0, cut)));
      const again = applyAll(back, records.filter((record) => record.seq > back.seq));
      expect(common(again)).toEqual(view);
    }
  });
});
