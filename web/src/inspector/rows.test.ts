import { describe, expect, it } from 'vitest';
import { roomFor, scrollAfterZoom, tickStep, ticks } from './axis';
import { compareRuns, sides } from './compare';
import { diffWords } from './diff';
import { passagesOf } from './passages';
import { countRows, filterRows, noFilter, rowsOf } from './rows';
import type { Call, CallState, Step, Timeline } from './timeline';

const call = (id: string, fields: Partial<Call> = {}): Call => ({
  id,
  step: 1,
  index: 0,
  name: 'read_file',
  arguments: '{"path":"a"}',
  providerId: null,
  category: 'other',
  visibility: 'primary',
  state: 'ok',
  transitions: [
    { state: 'requested', at_ms: 20, by: null },
    { state: 'running', at_ms: 30, by: null },
    { state: 'ok', at_ms: 50, by: null },
  ],
  requested_ms: 20,
  started_ms: 30,
  ended_ms: 50,
  question: null,
  decision: null,
  by: null,
  progress: [],
  outcome: null,
  message: { role: 'tool', call_id: id, name: 'read_file', content: 'needle', is_ok: true, is_valid_call: true },
  isClipped: false,
  inside: [],
  ...fields,
});
const step = (number: number, text: string): Step => ({
  step: number,
  purpose: 'work',
  tries: [{ attempt: 1, purpose: 'work', started_ms: number * 100, ended_ms: number * 100 + 50, delay: null }],
  started_ms: number * 100,
  first_ms: null,
  ended_ms: number * 100 + 50,
  state: 'done',
  finish: 'stop',
  usage: null,
  message: { role: 'assistant', parts: [{ type: 'text', text }] },
});
const line = (fields: Partial<Timeline> = {}): Timeline => ({
  runId: 'r',
  sessionId: 's',
  model: 'm',
  profile: 'default',
  wishes: null,
  user: 'Hello',
  started_ms: 0,
  ended_ms: 300,
  outcome: 'completed',
  reason: 'answered',
  answer: 'Good day',
  usage: null,
  steps: [step(1, 'Let me look.'), step(2, 'Good day')],
  thoughts: [],
  calls: [call('c1'), call('c2', { name: 'calculate', visibility: 'hidden', state: 'failed', requested_ms: 21 })],
  asked: [],
  notices: [],
  seq: 9,
  last_ms: 300,
  ...fields,
});

describe('rows', () => {
  it('S-29 has every call under its step, hidden ones marked', () => {
    const rows = rowsOf(line());
    expect(rows.map((row) => [row.key, row.isHidden])).toEqual([
      ['step:1', false],
      ['call:c1', false],
      ['call:c2', true],
      ['step:2', false],
    ]);
    expect(rows[1]?.segments).toEqual([
      { look: 'queued', from_ms: 20, to_ms: 30 },
      { look: 'running', from_ms: 30, to_ms: 50 },
    ]);
  });

  it('has the calls that a call made under it, each under the one that made it', () => {
    const inner = (path: number[], name: string, state: CallState) => ({
      path, name, state, arguments: '{"path":"b"}', started_ms: 32, ended_ms: 40, said: '', by: null,
    });
    const inside = [inner([1], 'look', 'ok'), inner([2], 'write_file', 'interrupted'), inner([1, 1], 'calculate', 'ok')];
    const rows = rowsOf(line({ calls: [call('c1', { inside }), call('c2')] }));
    expect(rows.slice(1, 6).map((row) => [row.key, row.depth, row.tool, row.about, row.state])).toEqual([
      ['call:c1', 0, 'read_file', '{"path":"a"}', 'ok'],
      ['call:c1.1', 1, 'look', 'b', 'ok'],
      ['call:c1.1.1', 2, 'calculate', 'b', 'ok'],
      ['call:c1.2', 1, 'write_file', 'b', 'interrupted'],
      ['call:c2', 0, 'read_file', '{"path":"a"}', 'ok'],
    ]);
  });

  it('filters by kind, state, tool and text, and counts', () => {
    const rows = rowsOf(line());
    const keys = (fields: Partial<typeof noFilter>) => filterRows(rows, { ...noFilter, ...fields }).map((row) => row.key);
    expect(keys({ without: ['step'] })).toEqual(['call:c1', 'call:c2']);
    expect(keys({ state: 'Failed' })).toEqual(['call:c2']);
    expect(keys({ tool: 'read_file' })).toEqual(['call:c1']);
    expect(keys({ text: 'NEEDLE' })).toEqual(['call:c1', 'call:c2']);
    expect(keys({ text: 'good' })).toEqual(['step:2']);
    const counts = countRows(rows);
    expect([counts.kinds.get('call'), counts.states.get('Done'), counts.tools.get('calculate')]).toEqual([2, 3, 1]);
  });
});

describe('the axis', () => {
  it('has round ticks that do not touch', () => {
    expect([tickStep(900, 800), tickStep(60_000, 800), tickStep(7_200_000, 400)]).toEqual([100, 10_000, 1_800_000]);
    expect(ticks(0, 2000, 500).map((tick) => tick.label)).toEqual(['0', '500 ms', '1 s', '1.5 s', '2 s']);
    expect(ticks(60_000, 120_000, 30_000).map((tick) => tick.label)).toEqual(['1:00', '1:30', '2:00']);
    expect(ticks(3_600_000, 3_600_000, 60_000).map((tick) => tick.label)).toEqual(['1:00:00']);
  });

  it('keeps still while a run grows, and makes room in one go', () => {
    const first = roomFor(100, 0, true);
    expect([roomFor(900, first, true), roomFor(1900, first, true)]).toEqual([first, first]);
    expect(roomFor(1990, first, true)).toBeGreaterThan(2500);
    expect(roomFor(1000, first, false)).toBe(1020);
  });

  it('keeps the moment under the pointer', () => {
    expect(scrollAfterZoom(0, 100, 1, 2)).toBe(100);
    expect(scrollAfterZoom(100, 100, 2, 1)).toBe(0);
  });
});

describe('a diff of words', () => {
  const flat = (left: string, right: string) =>
    diffWords(left, right).map((piece) => ({ same: '', left: '-', right: '+' })[piece.kind] + piece.text);

  it('marks what only one side has', () => {
    expect(flat('the quick fox', 'the slow fox')).toEqual(['the ', '-quick', '+slow', ' fox']);
    expect(flat('a b c', 'a b c')).toEqual(['a b c']);
    expect(flat('', 'new')).toEqual(['+new']);
    expect(flat('one two three four', 'one three four five')).toEqual(['one ', '-two ', 'three four', '+ five']);
  });

  it('gives both texts back, whatever they are', () => {
    const texts = ['', 'a', 'a b', 'b a', 'x y z x y', 'z z x', '{"a": 1}', '{"a": [1, 2]}'];
    for (const left of texts) {
      for (const right of texts) {
        const pieces = diffWords(left, right);
        const side = (other: string) => pieces.filter((piece) => piece.kind !== other).map((piece) => piece.text).join('');
        expect([side('right'), side('left')]).toEqual([left, right]);
      }
    }
    const long = (word: string) => Array.from({ length: 3000 }, (_, at) => `${word}${at}`).join(' ');
    expect(diffWords(long('a'), long('b')).length).toBeLessThan(7000);
  });
});

describe('the comparison of two runs', () => {
  it('finds the first difference, and ignores times and ids', () => {
    const same = compareRuns(line(), line({ runId: 'other', started_ms: 5 }));
    expect([same.first, same.differences]).toEqual([null, 0]);
    const other = line({ calls: [call('x1', { arguments: '{"path":"b"}' }), line().calls[1] as Call], answer: 'Bye' });
    const found = compareRuns(line(), other);
    expect([found.first, found.differences]).toEqual([{ pair: 'step-1', part: 'Call 1 read_file: arguments' }, 2]);
    const parts = found.pairs[1]?.parts.find((one) => one.name === 'Call 1 read_file: arguments');
    expect(parts && sides(parts).right.find((piece) => piece.kind === 'right')?.text).toBe('b');
  });

  it('puts a step that only one run has beside nothing', () => {
    const found = compareRuns(line(), line({ steps: [step(1, 'Let me look.')] }));
    expect(found.first).toEqual({ pair: 'step-2', part: 'Purpose' });
    expect(found.pairs[2]).toMatchObject({ leftStep: 2, rightStep: null });
  });
});

it('finds passages and their scores', () => {
  const found = passagesOf({ passages: [{ path: 'a.rs', line_start: 3, line_end: 9, text: 'fn', scores: { bm25: 2, vector: 0.5 } }] });
  expect(found).toEqual([
    { title: '', source: 'a.rs:3-9', text: 'fn', scores: [{ name: 'bm25', value: 2 }, { name: 'vector', value: 0.5 }] },
  ]);
  expect(passagesOf({ found: { list: [{ title: 'T', url: 'http://t.org/', content: 'x', score: 0.9 }] } })).toHaveLength(1);
  expect(passagesOf({ a: [1, 2], b: 'score' })).toEqual([]);
});
