import { describe, expect, it } from 'vitest';
import { activeKey, chipsOf, segmentsOf } from './segments';
import { applyAll, foldSession, type RunView } from './session';
import { byHost, pageKey, runSources } from './sources';
import type { Category, Event, JournalRecord, Link, ToolOutcome, Visibility } from './types';

let seq = 0;
function record(event: Event): JournalRecord {
  seq += 1;
  return { seq, ts_ms: 1000 + seq, session_id: 's', run_id: 'run_1', parent_id: 'm', event };
}
const start = (effort?: string): Event => ({
  type: 'run_started',
  model: 'scripted/x',
  profile: 'default',
  message: { role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
  ...(effort ? { wishes: { version: 1, tools_allowed: true, tool_choice: 'auto', sampling: { reasoning_effort: effort } } } : {}),
});
const step = (number: number, purpose: 'work' | 'continuation' = 'work'): Event => ({
  type: 'step_started',
  step: number,
  purpose,
  attempt: 1,
});
const thought = (phase: number, text: string): Event => ({ type: 'reasoning_delta', phase, text });
const text = (piece: string): Event => ({ type: 'text_delta', text: piece });
const asked = (id: string, name: string, category: Category, visibility: Visibility): Event => ({
  type: 'call_requested',
  call: { id, step: 1, index: 0, name, arguments: '{}' },
  category,
  visibility,
});
function outcome(links: Link[]): ToolOutcome {
  const meta = {
    started_ms: 0,
    duration_ms: 5,
    output_bytes: 1,
    is_truncated: false,
    is_cached: false,
    attempt: 1,
    trust: 'own' as const,
  };
  return { body: { Ok: { json: null, links, is_truncated: false } }, meta };
}
function ended(call_id: string, name: string, result: ToolOutcome): Event {
  const message = { role: 'tool' as const, call_id, name, content: '', is_ok: true, is_valid_call: true };
  return { type: 'call_ended', call_id, name, outcome: result, message, category: 'search', visibility: 'primary' };
}
function fold(...events: Event[]): RunView {
  const run = foldSession(events.map(record)).runs[0];
  if (!run) throw new Error('no run');
  return run;
}
const kinds = (run: RunView) => segmentsOf(run).map((segment) => segment.kind);

describe('the state of a call', () => {
  it('R-39 a staged edit is neither denied nor failed', () => {
    const { meta } = outcome([]);
    const denied = { body: { Err: { kind: 'permission_denied' as const, message: 'It awaits approval.' } }, meta };
    const proposal = { call_id: 'c1', tool: 'write_file', arguments: '{}', risk: 'high' as const, rule: 'write_file', digest: 'd', position: 1, total: 1, hidden_chars: 0 };
    const staged = { ...denied, meta: { ...meta, proposal } };
    const chips = (result: ToolOutcome) => {
      const run = fold(start(), step(1), asked('c1', 'write_file', 'other', 'primary'), ended('c1', 'write_file', result));
      return segmentsOf(run).flatMap((segment) => (segment.kind === 'tools' ? chipsOf(segment.calls) : []));
    };
    expect(chips(denied)).toMatchObject([{ state: 'denied' }]);
    expect(chips(staged)).toMatchObject([{ state: 'staged' }]);
  });
});

describe('the parts of a run', () => {
  it('S-25 a block waits for reasoning from the start when it was asked for', () => {
    expect(segmentsOf(fold(start('high')))).toMatchObject([{ kind: 'reasoning', phase: 0, text: '', isLive: true }]);
    expect(segmentsOf(fold(start()))).toEqual([]);
  });

  it('S-25 the block that waited becomes the block that comes, and goes when words come instead', () => {
    const waiting = segmentsOf(fold(start('high'), step(1)))[0];
    const coming = segmentsOf(fold(start('high'), step(1), thought(0, 'Hm')))[0];
    expect([coming?.key, coming?.kind]).toEqual([waiting?.key, 'reasoning']);
    expect(kinds(fold(start('high'), step(1), text('Hi')))).toEqual(['text']);
  });

  it('S-32 S-34 each phase has its block, in the order of time', () => {
    const events: Event[] = [
      start('high'), step(1), thought(0, 'First'), asked('call_1', 'web_search', 'search', 'primary'),
      {
        type: 'step_ended', step: 1, finish: 'calls',
        message: {
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: 'First' },
            { type: 'call', id: 'call_1', step: 1, index: 0, name: 'web_search', arguments: '{}' },
          ],
        },
      },
      ended('call_1', 'web_search', outcome([])), step(2),
    ];
    expect(kinds(fold(...events))).toEqual(['reasoning', 'search', 'reasoning']);
    const run = fold(...events, thought(1, 'Second'), text('Answer'));
    expect(segmentsOf(run)).toMatchObject([
      { kind: 'reasoning', phase: 0, isHandedOver: true },
      { kind: 'search', isAnswered: true },
      { kind: 'reasoning', phase: 1, isHandedOver: true },
      { kind: 'text', isOpen: true },
    ]);
  });

  it('S-27 the newest part has the eye', () => {
    const events = [start('high'), step(1), thought(0, 'Hm'), asked('call_1', 'web_search', 'search', 'primary'), text('So')];
    const eyes = [2, 3, 4, 5].map((count) => {
      const run = fold(...events.slice(0, count));
      return activeKey(segmentsOf(run), run)?.split('-')[0];
    });
    expect(eyes).toEqual(['reasoning', 'reasoning', 'search', 'text']);
  });

  it('S-29 R-30 hidden calls have no part and no chip', () => {
    const run = fold(start(), step(1), asked('c1', 'calculate', 'utility', 'hidden'), asked('c2', 'read_file', 'utility', 'secondary'), asked('c3', 'read_file', 'utility', 'secondary'));
    const segments = segmentsOf(run);
    expect(segments).toHaveLength(1);
    const tools = segments[0];
    if (tools?.kind !== 'tools') throw new Error('no tools');
    expect(chipsOf(tools.calls)).toMatchObject([{ name: 'read_file', count: 2, state: 'waiting' }]);
  });

  it('joins an answer that the model had to continue', () => {
    const run = fold(
      start(), step(1), text('One and '),
      { type: 'step_ended', step: 1, finish: 'length', message: { role: 'assistant', parts: [{ type: 'text', text: 'One and ' }] } },
      step(2, 'continuation'), text('two.'),
      { type: 'step_ended', step: 2, finish: 'stop', message: { role: 'assistant', parts: [{ type: 'text', text: 'two.' }] } },
    );
    expect(segmentsOf(run)).toMatchObject([{ kind: 'text', text: 'One and two.' }]);
  });

  it('S-36 an answer that no step gave in words is shown', () => {
    const usage = { input: 0, output: 0, cached: 0, reasoning: 0 };
    const run = fold(start(), step(1), { type: 'run_ended', outcome: 'limit_reached', reason: 'steps_max', answer: 'No answer.', usage });
    expect(segmentsOf(run)).toMatchObject([{ kind: 'text', text: 'No answer.' }]);
  });

  it('S-28 sources are told apart by host and path', () => {
    const links = [
      { title: 'A', url: 'https://example.org/a?x=1' },
      { title: 'A again', url: 'http://example.org/a?x=2#y' },
      { title: 'B', url: 'https://example.org/b' },
      { title: 'C', url: 'https://www.other.org/a' },
      { title: 'bad', url: 'javascript:alert(1)' },
    ];
    const run = fold(start(), step(1), asked('c1', 'web_search', 'search', 'primary'), ended('c1', 'web_search', outcome(links)));
    const sources = runSources(run);
    expect(sources.map((source) => [source.number, source.title])).toEqual([[1, 'A'], [2, 'B'], [3, 'C']]);
    expect(byHost(sources).map((group) => [group.host, group.sources.length])).toEqual([['example.org', 2], ['other.org', 1]]);
    expect(pageKey('https://example.org')).toBe('example.org/');
  });

  it('says which outcomes were cut for the screen', () => {
    const cut = { ...record(ended('c1', 'web_search', outcome([]))), clipped: true };
    const before = foldSession([start(), step(1), asked('c1', 'web_search', 'search', 'primary')].map(record));
    expect(before.runs[0]?.entries[0]).not.toHaveProperty('clipped');
    expect(applyAll(before, [{ ...cut, seq: seq + 1 }]).runs[0]?.entries[0]).toMatchObject({ clipped: true });
  });
});
