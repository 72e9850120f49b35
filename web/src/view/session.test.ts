import { describe, expect, it } from 'vitest';
import { applyAll, foldSession, rewind } from './session';
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
