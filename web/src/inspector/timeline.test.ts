import { describe, expect, it } from 'vitest';
import type { Event, ToolOutcome } from '../view/types';
import { durations, totalUsage, usageOf } from './spend';
import { applyRecords, foldTimeline, type WireRecord } from './timeline';

let seq = 0;
function record(ts_ms: number, event: Event): WireRecord {
  seq += 1;
  return { seq, ts_ms, session_id: 's', run_id: 'run_1', parent_id: 'm', event };
}

const ok: ToolOutcome = {
  body: { Ok: { json: { n: 1 }, is_truncated: false } },
  meta: { started_ms: 0, duration_ms: 5, output_bytes: 7, is_truncated: false, is_cached: false, attempt: 1, trust: 'own' },
};
const denied: ToolOutcome = { ...ok, body: { Err: { kind: 'permission_denied', message: 'No.' } } };

const started = (at: number) =>
  record(at, {
    type: 'run_started',
    model: 'scripted/x',
    profile: 'default',
    message: { role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
  });
const step = (at: number, number: number, attempt = 1) =>
  record(at, { type: 'step_started', step: number, purpose: 'work', attempt });
const ended = (at: number, number: number, reasoning: string[] = [], calls: string[] = [], usage = true) =>
  record(at, {
    type: 'step_ended',
    step: number,
    finish: calls.length ? 'calls' : 'stop',
    message: {
      role: 'assistant',
      parts: [
        ...reasoning.map((text) => ({ type: 'reasoning' as const, text })),
        ...calls.map((id, index) => ({ type: 'call' as const, id, step: number, index, name: 'read_file', arguments: '{}' })),
      ],
    },
    ...(usage ? { usage: { input: 10, output: 5, cached: 0, reasoning: 0, cost_usd: 0.5 } } : {}),
  });
const requested = (at: number, id: string, number = 1, visibility: 'primary' | 'hidden' = 'primary') =>
  record(at, {
    type: 'call_requested',
    call: { id, step: number, index: 0, name: 'read_file', arguments: '{"path":"a"}' },
    category: 'other',
    visibility,
  });
const callStarted = (at: number, id: string) =>
  record(at, { type: 'call_started', call_id: id, name: 'read_file', by: 'risk', category: 'other', visibility: 'primary' });
const callEnded = (at: number, id: string, outcome = ok) =>
  record(at, {
    type: 'call_ended',
    call_id: id,
    name: 'read_file',
    outcome,
    message: { role: 'tool', call_id: id, name: 'read_file', content: '1', is_ok: true, is_valid_call: true },
    category: 'other',
    visibility: 'primary',
  });
const thinks = (at: number, text: string, phase = 0) => record(at, { type: 'reasoning_delta', phase, text });
const over = (at: number) =>
  record(at, {
    type: 'run_ended',
    outcome: 'completed',
    reason: 'answered',
    answer: 'Done',
    usage: { input: 20, output: 10, cached: 0, reasoning: 0 },
  });

describe('the timeline of a run', () => {
  it('S-31 keeps every state of a call with its time', () => {
    const line = foldTimeline('run_1', [
      started(1000),
      step(1010, 1),
      ended(1050, 1, [], ['c1']),
      requested(1060, 'c1'),
      record(1070, {
        type: 'permission_requested',
        question: { call_id: 'c1', tool: 'read_file', arguments: '{"path":"a"}', risk: 'low', rule: 'read_file(a)', digest: 'd', position: 1, total: 1, hidden_chars: 0 },
      }),
      record(1500, { type: 'permission_decided', call_id: 'c1', decision: 'once', by: 'user' }),
      callStarted(1510, 'c1'),
      record(1520, { type: 'call_progressed', call_id: 'c1', line: 'half' }),
      callEnded(1600, 'c1'),
      over(1700),
    ]);
    const call = line?.calls[0];
    expect(call?.transitions.map((one) => [one.state, one.at_ms, one.by])).toEqual([
      ['requested', 1060, null],
      ['asking', 1070, null],
      ['decided', 1500, 'user'],
      ['running', 1510, 'risk'],
      ['ok', 1600, null],
    ]);
    expect(call?.progress).toEqual([{ at_ms: 1520, line: 'half' }]);
    expect(line?.asked[0]).toMatchObject({ asked_ms: 1070, decided_ms: 1500, decision: 'once', by: 'user' });
    expect(line && durations(line, 9999)).toEqual({ total_ms: 700, model_ms: 40, tool_ms: 90, asking_ms: 430, delay_ms: 0 });
  });

  it('R-30 has calls of hidden tools like all others', () => {
    const line = foldTimeline('run_1', [started(0), step(1, 1), requested(2, 'h', 1, 'hidden')]);
    expect(line?.calls[0]).toMatchObject({ id: 'h', visibility: 'hidden', state: 'requested' });
  });

  it('S-32 takes the times of thinking from its pieces, and its text from the record', () => {
    const line = foldTimeline('run_1', [
      started(0),
      step(10, 1),
      thinks(20, 'I th'),
      thinks(30, 'ink'),
      record(40, { type: 'text_delta', text: 'Hm' }),
      ended(90, 1, ['I think'], ['c1']),
      requested(91, 'c1'),
      callEnded(95, 'c1'),
      step(100, 2),
      ended(180, 2, ['So']),
    ]);
    expect(line?.thoughts).toEqual([
      { id: '1.0', step: 1, phase: 0, started_ms: 20, ended_ms: 40, text: 'I think', isExact: true },
      { id: '2.0', step: 2, phase: 1, started_ms: 100, ended_ms: 180, text: 'So', isExact: false },
    ]);
    expect(line?.steps[0]?.first_ms).toBe(20);
  });

  it('keeps failed tries and their waits, and throws their thinking away', () => {
    const line = foldTimeline('run_1', [
      started(0),
      step(10, 1),
      thinks(12, 'lost'),
      record(20, {
        type: 'step_delayed',
        step: 1,
        attempt: 2,
        attempts_max: 4,
        delay_ms: 50,
        code: 'overloaded',
        message: 'Too busy.',
        usage: { input: 3, output: 0, cached: 0, reasoning: 0 },
      }),
      step(21, 1, 2),
      ended(100, 1),
    ]);
    expect(line?.thoughts).toEqual([]);
    expect(line?.steps).toHaveLength(1);
    expect(line?.steps[0]?.tries.map((one) => [one.attempt, one.started_ms, one.ended_ms, one.delay?.code])).toEqual([
      [1, 10, 20, 'overloaded'],
      [2, 70, 100, undefined],
    ]);
    expect(line && durations(line, 100).delay_ms).toBe(50);
    expect(line?.steps[0] && usageOf(line.steps[0])?.input).toBe(13);
    expect(line && totalUsage(line)).toMatchObject({ input: 13, output: 5, cost_usd: 0.5 });
  });

  it('notes calls inside calls, and what cut them off', () => {
    const inner = (at: number, path: number[]) =>
      record(at, { type: 'inner_call_started', call_id: 'c1', path, name: 'write_file', arguments: '{}', effects: 'write' });
    const innerEnded = (at: number, path: number[]) =>
      record(at, { type: 'inner_call_ended', call_id: 'c1', path, status: 'ok', said: 'written', duration_ms: 3, decision: 'mode' });
    const open = [started(0), step(10, 1), requested(20, 'c1'), callStarted(30, 'c1'), inner(31, [1]), inner(32, [1, 1]), innerEnded(35, [1]), inner(36, [2])];
    const states = (more: WireRecord[]) => foldTimeline('run_1', [...open, ...more])?.calls[0]?.inside.map((one) => one.state);
    expect(states([])).toEqual(['ok', 'cancelled', 'running']);
    expect(states([callEnded(40, 'c1')])).toEqual(['ok', 'cancelled', 'cancelled']);
    expect(states([record(40, { type: 'run_resumed' })])).toEqual(['ok', 'cancelled', 'interrupted']);
    expect(foldTimeline('run_1', open)?.calls[0]?.inside[0]).toMatchObject({ ended_ms: 35, said: 'written', by: 'mode' });
  });

  it('has calls inside calls of older journals, whose outcomes held them', () => {
    const one = { name: 'look', arguments: '{}', status: 'ok' as const, said: '1', started_ms: 31, duration_ms: 4 };
    const older = { ...ok, meta: { ...ok.meta, inside: [{ ...one, inside: [one] }] } };
    const line = foldTimeline('run_1', [started(0), step(10, 1), requested(20, 'c1'), callEnded(40, 'c1', older)]);
    expect(line?.calls[0]?.inside.map((call) => [call.path, call.state, call.ended_ms])).toEqual([[[1], 'ok', 35], [[1, 1], 'ok', 35]]);
  });

  it('does not touch what was handed out, and folds a record in once', () => {
    const records = [started(0), step(10, 1), requested(20, 'c1'), callStarted(30, 'c1')];
    const before = foldTimeline('run_1', records);
    const shown = JSON.stringify(before);
    const after = applyRecords(before, 'run_1', [...records, callEnded(40, 'c1', denied)]);
    expect(JSON.stringify(before)).toBe(shown);
    expect(after?.calls[0]?.state).toBe('denied');
    expect(applyRecords(after, 'run_1', records)).toBe(after);
  });

  it('leaves other runs alone, and ends what a stopped run left open', () => {
    const other = { ...started(0), run_id: 'run_2' };
    expect(foldTimeline('run_1', [other])).toBeNull();
    const line = foldTimeline('run_1', [started(0), step(10, 1), thinks(15, 'a'), over(30)]);
    expect(line?.steps[0]).toMatchObject({ state: 'stopped', ended_ms: 30 });
    expect(line?.thoughts[0]?.ended_ms).toBe(30);
  });

  it('names warnings, adjustments, notes, errors and resumes at their moments', () => {
    const line = foldTimeline('run_1', [
      started(0),
      step(10, 1),
      record(11, { type: 'request_adjusted', step: 1, kind: 'lowered', rule: 'no_tools', message: 'Left out.' }),
      record(12, { type: 'warning_raised', code: 'TRUNCATED', message: 'Cut.' }),
      record(13, { type: 'note_added', text: 'Mind the gap.' }),
      record(14, { type: 'error_raised', code: 'auth', message: 'No key.' }),
      record(15, { type: 'run_resumed', interrupted: ['c9'] }),
    ]);
    expect(line?.notices.map((one) => [one.kind, one.code, one.at_ms, one.step])).toEqual([
      ['adjustment', 'no_tools', 11, 1],
      ['warning', 'TRUNCATED', 12, 1],
      ['note', 'note', 13, 1],
      ['error', 'auth', 14, 1],
      ['resumed', 'resumed', 15, 1],
    ]);
    expect(line?.notices[4]?.message).toContain('c9');
  });
});
