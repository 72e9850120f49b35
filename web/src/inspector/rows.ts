// The rows of the inspector: every step, thought, call, question and notice of a run, in order, with what is needed
// to find, filter and draw them. Knows no screen.

import { summaryOf } from '../transcript/calls';
import { innerId, inOrder } from './inside';
import { purposeSaid, noticeSaid, stateSaid, type State } from './words';
import type { Asked, Call, InnerCall, Notice, Step, Thought, Timeline } from './timeline';

export type Kind = 'step' | 'thought' | 'call' | 'question' | 'notice';

export const KINDS: { kind: Kind; one: string; more: string }[] = [
  { kind: 'step', one: 'step', more: 'Steps' },
  { kind: 'thought', one: 'thought', more: 'Thinking' },
  { kind: 'call', one: 'call', more: 'Calls' },
  { kind: 'question', one: 'question', more: 'Questions' },
  { kind: 'notice', one: 'notice', more: 'Notices' },
];

/** A stretch of a bar with a look of its own. */
export interface Segment {
  look: 'queued' | 'asking' | 'running' | 'waiting';
  from_ms: number;
  to_ms: number | null;
}

export interface Row {
  /** `call:call_1`, `call:call_1.2` for the second call inside it, `step:2`: what the address says too. */
  key: string;
  kind: Kind;
  title: string;
  /** What stands beside the title: why a step was made, what is asked. */
  about: string;
  state: State;
  /** Milliseconds of the clock; a notice is one moment. */
  start_ms: number;
  end_ms: number | null;
  segments: Segment[];
  step: number;
  /** How deep a call stands inside another one. */
  depth: number;
  tool: string | null;
  isHidden: boolean;
  /** Whether start and end are only the bounds it lies in. */
  isRough: boolean;
  /** What the text filter looks through, in lower case. */
  text: string;
}

/** All rows of a run: each step, and what belongs to it by its start. */
export function rowsOf(line: Timeline): Row[] {
  const groups = new Map<number, Row[]>();
  const put = (step: number, row: Row) => {
    const group = groups.get(step);
    if (group) group.push(row);
    else groups.set(step, [row]);
  };
  for (const thought of line.thoughts) put(thought.step, thoughtRow(thought));
  for (const call of line.calls) put(call.step, callRow(call));
  for (const asked of line.asked) put(asked.step, questionRow(asked, line));
  for (const notice of line.notices) put(notice.step, noticeRow(notice));
  for (const [step, group] of groups) {
    group.sort((one, other) => one.start_ms - other.start_ms);
    groups.set(step, group.flatMap((row) => [row, ...(row.kind === 'call' ? innerRows(row, line) : [])]));
  }
  const known = new Set(line.steps.map((step) => step.step));
  const rows = [...groups].filter(([step]) => !known.has(step)).flatMap(([, group]) => group);
  for (const step of line.steps) rows.push(stepRow(step), ...(groups.get(step.step) ?? []));
  return rows;
}

function stepRow(step: Step): Row {
  const tries = step.tries.length > 1 ? `, ${step.tries.length} tries` : '';
  return {
    key: `step:${step.step}`,
    kind: 'step',
    title: `Step ${step.step}`,
    about: purposeSaid(step.purpose) + tries,
    state: step.state,
    start_ms: step.started_ms,
    end_ms: step.ended_ms,
    segments: step.tries.flatMap((one, at): Segment[] => {
      const run: Segment = { look: 'running', from_ms: one.started_ms, to_ms: one.ended_ms };
      const next = step.tries[at + 1]?.started_ms ?? step.ended_ms;
      return one.delay ? [run, { look: 'waiting', from_ms: one.delay.at_ms, to_ms: next }] : [run];
    }),
    step: step.step,
    depth: 0,
    tool: null,
    isHidden: false,
    isRough: false,
    text: lower(`step ${step.step} ${step.purpose}`, textIn(step)),
  };
}

function textIn(step: Step): string {
  if (step.message?.role !== 'assistant') return '';
  return step.message.parts.map((part) => (part.type === 'text' ? part.text : '')).join(' ');
}

function thoughtRow(thought: Thought): Row {
  return {
    key: `thought:${thought.id}`,
    kind: 'thought',
    title: 'Thinking',
    about: thought.phase === 0 ? 'before the first calls' : `phase ${thought.phase + 1}`,
    state: thought.ended_ms === null ? 'running' : 'done',
    start_ms: thought.started_ms,
    end_ms: thought.ended_ms,
    segments: [{ look: 'running', from_ms: thought.started_ms, to_ms: thought.ended_ms }],
    step: thought.step,
    depth: 0,
    tool: null,
    isHidden: false,
    isRough: !thought.isExact,
    text: lower('thinking', thought.text),
  };
}

function callRow(call: Call): Row {
  return {
    key: `call:${call.id}`,
    kind: 'call',
    title: call.name,
    about: call.arguments,
    state: call.state,
    start_ms: call.requested_ms,
    end_ms: call.ended_ms,
    segments: segmentsOf(call),
    step: call.step,
    depth: 0,
    tool: call.name,
    isHidden: call.visibility === 'hidden',
    isRough: false,
    text: lower(call.name, call.id, call.arguments, call.message?.role === 'tool' ? call.message.content : ''),
  };
}

/** The calls that a call made itself, under it. */
function innerRows(outer: Row, line: Timeline): Row[] {
  const call = line.calls.findLast((one) => `call:${one.id}` === outer.key);
  return call ? inOrder(call.inside).map((inner) => innerRow(call, inner)) : [];
}

function innerRow(outer: Call, call: InnerCall): Row {
  const id = innerId(outer.id, call.path);
  return {
    key: `call:${id}`,
    kind: 'call',
    title: call.name,
    about: summaryOf({ call }),
    state: call.state,
    start_ms: call.started_ms,
    end_ms: call.ended_ms,
    segments: [{ look: 'running', from_ms: call.started_ms, to_ms: call.ended_ms }],
    step: outer.step,
    depth: call.path.length,
    tool: call.name,
    isHidden: outer.visibility === 'hidden',
    isRough: false,
    text: lower(call.name, id, call.arguments, call.said),
  };
}

/** From wish to outcome: waiting for its place, for you, running. */
function segmentsOf(call: Call): Segment[] {
  const looks: { [state: string]: Segment['look'] } = {
    requested: 'queued',
    asking: 'asking',
    decided: 'queued',
    running: 'running',
  };
  return call.transitions.flatMap((one, at): Segment[] => {
    const look = looks[one.state];
    return look ? [{ look, from_ms: one.at_ms, to_ms: call.transitions[at + 1]?.at_ms ?? null }] : [];
  });
}

function questionRow(asked: Asked, line: Timeline): Row {
  const state: State = asked.decided_ms === null ? 'asking' : asked.decision === 'deny' ? 'denied' : asked.decision ? 'ok' : 'stopped';
  const call = line.calls.find((one) => one.id === asked.callId);
  return {
    key: `question:${asked.callId}`,
    kind: 'question',
    title: 'Question',
    about: `${asked.question.tool}, risk ${asked.question.risk}`,
    state,
    start_ms: asked.asked_ms,
    end_ms: asked.decided_ms,
    segments: [{ look: 'asking', from_ms: asked.asked_ms, to_ms: asked.decided_ms }],
    step: asked.step,
    depth: 0,
    tool: asked.question.tool,
    isHidden: call?.visibility === 'hidden',
    isRough: false,
    text: lower('question', asked.question.tool, asked.question.arguments, asked.question.rule),
  };
}

function noticeRow(notice: Notice): Row {
  const state: State = notice.kind === 'error' ? 'failed' : 'said';
  return {
    key: `notice:${notice.id}`,
    kind: 'notice',
    title: noticeSaid(notice.kind).word,
    about: notice.message,
    state,
    start_ms: notice.at_ms,
    end_ms: notice.at_ms,
    segments: [],
    step: notice.step,
    depth: 0,
    tool: null,
    isHidden: false,
    isRough: false,
    text: lower(notice.kind, notice.code, notice.message),
  };
}

function lower(...texts: string[]): string {
  return texts.join(' ').toLowerCase();
}

/** The filter of a timeline: all of it must hold. */
export interface Filter {
  /** Kinds that are left out. */
  without: readonly Kind[];
  /** The word of a state (`Done`), or nothing. */
  state: string;
  tool: string;
  text: string;
}

export const noFilter: Filter = { without: [], state: '', tool: '', text: '' };

export function isFiltering(filter: Filter): boolean {
  return filter.without.length > 0 || filter.state !== '' || filter.tool !== '' || filter.text.trim() !== '';
}

export function filterRows(rows: readonly Row[], filter: Filter): Row[] {
  const wanted = filter.text.trim().toLowerCase();
  return rows.filter(
    (row) =>
      !filter.without.includes(row.kind) &&
      (filter.state === '' || stateSaid(row.state).word === filter.state) &&
      (filter.tool === '' || row.tool === filter.tool) &&
      (wanted === '' || row.text.includes(wanted)),
  );
}

/** How many rows there are of each kind, state and tool. */
export function countRows(rows: readonly Row[]): {
  kinds: Map<Kind, number>;
  states: Map<string, number>;
  tools: Map<string, number>;
} {
  const counts = {
    kinds: new Map<Kind, number>(),
    states: new Map<string, number>(),
    tools: new Map<string, number>(),
  };
  const more = <T>(map: Map<T, number>, key: T) => map.set(key, (map.get(key) ?? 0) + 1);
  for (const row of rows) {
    more(counts.kinds, row.kind);
    if (row.kind !== 'notice') more(counts.states, stateSaid(row.state).word);
    if (row.kind === 'call' && row.tool) more(counts.tools, row.tool);
  }
  return counts;
}
