// What happened in a run and when: a fold over its records, for the inspector.
//
// Durable records are enough; pieces (deltas) add when thinking and writing really began and ended. Nothing is
// changed in place once it was handed out, so that screens can compare by identity. Knows no network, no clock and
// no framework.

import { isDurable, textOf } from '../view/session';
import type { Event, JournalRecord, Question, ToolOutcome } from '../view/types';
import { cutOff, endInner, innerOf, startInner } from './inside';
import type { Asked, Call, CallState, Delay, EventOf, Notice, Step, Thought, Timeline, Try } from './line';

export type * from './line';

/** A record as the wire has it: what was cut is said beside the event. */
export type WireRecord = JournalRecord & { clipped?: boolean };

const emptyTimeline = (record: JournalRecord): Timeline => ({
  runId: record.run_id,
  sessionId: record.session_id,
  model: '',
  profile: '',
  wishes: null,
  user: '',
  started_ms: record.ts_ms,
  ended_ms: null,
  outcome: null,
  reason: null,
  answer: '',
  usage: null,
  steps: [],
  thoughts: [],
  calls: [],
  asked: [],
  notices: [],
  seq: 0,
  last_ms: record.ts_ms,
});

/** Folds the records of one run from nothing; those of other runs are passed over. */
export function foldTimeline(runId: string, records: readonly WireRecord[]): Timeline | null {
  return applyRecords(null, runId, records);
}

/** Folds more records in, in order; those that were folded in before change nothing. */
export function applyRecords(
  before: Timeline | null,
  runId: string,
  records: readonly WireRecord[],
): Timeline | null {
  let next: Timeline | null = null;
  for (const record of records) {
    if (record.run_id !== runId || record.seq <= ((next ?? before)?.seq ?? 0)) continue;
    next ??= before ? copy(before) : emptyTimeline(record);
    next.seq = record.seq;
    next.last_ms = Math.max(next.last_ms, record.ts_ms);
    apply(next, record);
  }
  return next ?? before;
}

/** Durable records alone: what can be folded again after a connection was lost. */
export function durable(records: readonly WireRecord[]): WireRecord[] {
  return records.filter((record) => isDurable(record.event));
}

function copy(line: Timeline): Timeline {
  return {
    ...line,
    steps: [...line.steps],
    thoughts: [...line.thoughts],
    calls: [...line.calls],
    asked: [...line.asked],
    notices: [...line.notices],
  };
}

function apply(line: Timeline, record: WireRecord): void {
  const { event, ts_ms: at } = record;
  switch (event.type) {
    case 'run_started':
      line.model = event.model;
      line.profile = event.profile;
      line.wishes = event.wishes ?? null;
      line.user = textOf(event.message);
      line.started_ms = at;
      break;
    case 'step_started':
      startStep(line, event, at);
      break;
    case 'step_delayed':
      delayStep(line, event, at);
      break;
    case 'step_ended':
      endStep(line, event, at);
      break;
    case 'reasoning_delta':
      noteFirst(line, at);
      think(line, event, at);
      break;
    case 'text_delta':
    case 'call_delta':
      noteFirst(line, at);
      closeThought(line, at);
      break;
    case 'run_ended':
      endRun(line, event, at);
      break;
    case 'step_progressed':
      break;
    case 'inner_call_started':
      changeCall(line, event.call_id, (call) => ({ inside: startInner(call.inside, event, at) }));
      break;
    case 'inner_call_ended':
      changeCall(line, event.call_id, (call) => ({ inside: endInner(call.inside, event, at) }));
      break;
    case 'call_requested':
    case 'permission_requested':
    case 'permission_decided':
    case 'call_started':
    case 'call_progressed':
    case 'call_ended':
      applyCall(line, event, record);
      break;
    default:
      applyNotice(line, event, record);
  }
}

function newestStep(line: Timeline): number {
  return line.steps.at(-1)?.step ?? 0;
}

function changeStep(line: Timeline, step: number, change: (step: Step) => Partial<Step>): void {
  const at = line.steps.findLastIndex((one) => one.step === step);
  const found = line.steps[at];
  if (found) line.steps[at] = { ...found, ...change(found) };
}

function startStep(line: Timeline, event: EventOf<'step_started'>, at: number): void {
  const waited = line.steps.findLast((step) => step.step === event.step)?.tries.at(-1)?.delay ?? null;
  const first: Try = {
    attempt: event.attempt,
    purpose: event.purpose,
    // A try is on record before its wait is over.
    started_ms: waited ? Math.max(at, waited.at_ms + waited.delay_ms) : at,
    ended_ms: null,
    delay: null,
  };
  // What an earlier try thought is thrown away with it.
  line.thoughts = line.thoughts.filter((thought) => thought.step !== event.step);
  if (line.steps.some((step) => step.step === event.step)) {
    changeStep(line, event.step, (step) => ({
      tries: [...step.tries.map((one) => ({ ...one, ended_ms: one.ended_ms ?? at })), first],
      purpose: event.purpose,
      state: waited ? 'waiting' : 'running',
      first_ms: null,
      ended_ms: null,
    }));
    return;
  }
  line.steps.push({
    step: event.step,
    purpose: event.purpose,
    tries: [first],
    started_ms: at,
    first_ms: null,
    ended_ms: null,
    state: 'running',
    finish: null,
    usage: null,
    message: null,
  });
}

function delayStep(line: Timeline, event: EventOf<'step_delayed'>, at: number): void {
  closeThought(line, at);
  const delay: Delay = {
    at_ms: at,
    delay_ms: event.delay_ms,
    attempts_max: event.attempts_max,
    code: event.code,
    message: event.message,
    usage: event.usage ?? null,
  };
  changeStep(line, event.step, (step) => ({
    state: 'waiting',
    tries: step.tries.map((one, place) =>
      place === step.tries.length - 1 ? { ...one, ended_ms: at, delay } : one,
    ),
  }));
}

function endStep(line: Timeline, event: EventOf<'step_ended'>, at: number): void {
  closeThought(line, at);
  changeStep(line, event.step, (step) => ({
    state: 'done',
    ended_ms: at,
    finish: event.finish,
    usage: event.usage ?? null,
    message: event.message,
    tries: notAfter(step.tries, at).map((one) => ({ ...one, ended_ms: one.ended_ms ?? at })),
  }));
  keepThoughts(line, event, at);
}

/** Puts the thinking that is on record in the place of its pieces, and keeps the times of those. */
function keepThoughts(line: Timeline, event: EventOf<'step_ended'>, at: number): void {
  const seen = line.thoughts.filter((thought) => thought.step === event.step);
  const others = line.thoughts.filter((thought) => thought.step !== event.step);
  const parts = event.message.role === 'assistant' ? event.message.parts : [];
  const texts = parts.flatMap((part) => (part.type === 'reasoning' && part.text ? [part.text] : []));
  const step = line.steps.findLast((one) => one.step === event.step);
  const phase = seen[0]?.phase ?? phaseOf(line, event.step);
  const kept = texts.map((text, place): Thought => {
    const span = seen[place] ?? (place > 0 ? seen.at(-1) : undefined);
    return {
      id: `${event.step}.${place}`,
      step: event.step,
      phase,
      started_ms: span?.started_ms ?? step?.tries.at(-1)?.started_ms ?? at,
      ended_ms: span?.ended_ms ?? at,
      text,
      isExact: seen[place] !== undefined,
    };
  });
  // Pieces that were joined into one part were one stretch with a pause in it.
  const last = kept.at(-1);
  if (last && seen.length > kept.length) last.ended_ms = seen.at(-1)?.ended_ms ?? at;
  line.thoughts = [...others, ...kept];
}

/** How many steps before this one had calls (S-32). */
function phaseOf(line: Timeline, step: number): number {
  return line.steps.filter((one) => {
    const message = one.message;
    return (
      one.step < step && message?.role === 'assistant' && message.parts.some((part) => part.type === 'call')
    );
  }).length;
}

function noteFirst(line: Timeline, at: number): void {
  if (line.steps.at(-1)?.first_ms !== null) return;
  changeStep(line, newestStep(line), (step) => ({ first_ms: at, state: 'running', tries: notAfter(step.tries, at) }));
}

/** Waits are told about: what came sooner than that began sooner. */
function notAfter(tries: Try[], at: number): Try[] {
  return tries.map((one) => (one.started_ms > at ? { ...one, started_ms: at } : one));
}

function think(line: Timeline, event: EventOf<'reasoning_delta'>, at: number): void {
  const step = newestStep(line);
  const last = line.thoughts.at(-1);
  if (last?.step === step && last.ended_ms === null && last.phase === event.phase) {
    line.thoughts[line.thoughts.length - 1] = { ...last, text: last.text + event.text };
    return;
  }
  closeThought(line, at);
  const place = line.thoughts.filter((thought) => thought.step === step).length;
  line.thoughts.push({
    id: `${step}.${place}`,
    step,
    phase: event.phase,
    started_ms: at,
    ended_ms: null,
    text: event.text,
    isExact: true,
  });
}

function closeThought(line: Timeline, at: number): void {
  const last = line.thoughts.at(-1);
  if (last?.ended_ms === null) line.thoughts[line.thoughts.length - 1] = { ...last, ended_ms: at };
}

function endRun(line: Timeline, event: EventOf<'run_ended'>, at: number): void {
  closeThought(line, at);
  line.ended_ms = at;
  line.outcome = event.outcome;
  line.reason = event.reason;
  line.answer = event.answer;
  line.usage = event.usage;
  line.steps = line.steps.map((step) =>
    step.ended_ms === null
      ? {
          ...step,
          ended_ms: at,
          state: 'stopped' as const,
          tries: notAfter(step.tries, at).map((one) => ({ ...one, ended_ms: one.ended_ms ?? at })),
        }
      : step,
  );
  line.asked = line.asked.map((one) => (one.decided_ms === null ? { ...one, decided_ms: at } : one));
}

type CallEvent = EventOf<
  | 'call_requested'
  | 'permission_requested'
  | 'permission_decided'
  | 'call_started'
  | 'call_progressed'
  | 'call_ended'
>;

function changeCall(line: Timeline, id: string, change: (call: Call) => Partial<Call>): void {
  const at = line.calls.findLastIndex((call) => call.id === id);
  const found = line.calls[at];
  if (found) line.calls[at] = { ...found, ...change(found) };
}

function moved(call: Call, state: CallState, at_ms: number, by: string | null = null): Partial<Call> {
  return { state, transitions: [...call.transitions, { state, at_ms, by }] };
}

function applyCall(line: Timeline, event: CallEvent, record: WireRecord): void {
  const at = record.ts_ms;
  switch (event.type) {
    case 'call_requested':
      closeThought(line, at);
      line.calls.push(newCall(event, at));
      break;
    case 'permission_requested':
      ask(line, event.question, at);
      break;
    case 'permission_decided':
      decide(line, event, at);
      break;
    case 'call_started':
      changeCall(line, event.call_id, (call) => ({
        ...moved(call, 'running', at, event.by ?? null),
        started_ms: at,
        by: event.by ?? call.by,
      }));
      break;
    case 'call_progressed':
      changeCall(line, event.call_id, (call) => ({
        progress: [...call.progress, { at_ms: at, line: event.line }],
      }));
      break;
    case 'call_ended':
      settle(line, event.call_id, { decided_ms: at });
      changeCall(line, event.call_id, (call) => ({
        ...moved(call, stateOf(event.outcome), at),
        ended_ms: at,
        outcome: event.outcome,
        message: event.message,
        isClipped: record.clipped === true,
        inside: cutOff(
          [...call.inside, ...innerOf(event.outcome.meta.inside ?? [])],
          stateOf(event.outcome) === 'interrupted' ? 'interrupted' : 'cancelled',
          at,
        ),
        by: call.by ?? event.outcome.meta.decision ?? null,
      }));
      break;
  }
}

function newCall(event: EventOf<'call_requested'>, at: number): Call {
  const { call } = event;
  return {
    id: call.id,
    step: call.step,
    index: call.index,
    name: call.name,
    arguments: call.arguments,
    providerId: call.provider_id ?? null,
    category: event.category,
    visibility: event.visibility,
    state: 'requested',
    transitions: [{ state: 'requested', at_ms: at, by: null }],
    requested_ms: at,
    started_ms: null,
    ended_ms: null,
    question: null,
    decision: null,
    by: null,
    progress: [],
    outcome: null,
    message: null,
    isClipped: false,
    inside: [],
  };
}

function ask(line: Timeline, question: Question, at: number): void {
  const step = line.calls.findLast((call) => call.id === question.call_id)?.step ?? newestStep(line);
  changeCall(line, question.call_id, (call) => ({ ...moved(call, 'asking', at), question }));
  line.asked.push({
    callId: question.call_id,
    step,
    question,
    asked_ms: at,
    decided_ms: null,
    decision: null,
    by: null,
  });
}

function decide(line: Timeline, event: EventOf<'permission_decided'>, at: number): void {
  const { decision, by } = event;
  settle(line, event.call_id, { decided_ms: at, decision, by });
  changeCall(line, event.call_id, (call) => ({
    ...moved(call, 'decided', at, by),
    by,
    decision: { decision, by, rule: event.rule ?? null, problem: event.problem ?? null },
  }));
}

function settle(line: Timeline, callId: string, fields: Partial<Asked>): void {
  const at = line.asked.findLastIndex((one) => one.callId === callId && one.decided_ms === null);
  const found = line.asked[at];
  if (found) line.asked[at] = { ...found, ...fields };
}

/** How an outcome is called. */
export function stateOf(outcome: ToolOutcome): CallState {
  if ('Ok' in outcome.body) return 'ok';
  if (outcome.meta.proposal) return 'staged';
  switch (outcome.body.Err.kind) {
    case 'permission_denied':
      return 'denied';
    case 'cancelled':
      return 'cancelled';
    case 'interrupted':
      return 'interrupted';
    default:
      return 'failed';
  }
}

function applyNotice(line: Timeline, event: Event, record: WireRecord): void {
  if (event.type === 'run_resumed') {
    line.calls = line.calls.map((call) => ({ ...call, inside: cutOff(call.inside, 'interrupted', record.ts_ms) }));
  }
  const notice = describeNotice(event);
  if (!notice) return;
  line.notices.push({ id: record.seq, ...notice, at_ms: record.ts_ms, step: newestStep(line) });
}

/** What is told of an event; nothing of one that this page does not know yet. */
function describeNotice(event: Event): Pick<Notice, 'kind' | 'code' | 'message'> | null {
  switch (event.type) {
    case 'run_resumed':
      return { kind: 'resumed', code: 'resumed', message: resumedText(event) };
    case 'edit_applied':
      return { kind: 'note', code: 'edit applied', message: event.note };
    case 'request_adjusted':
      return { kind: 'adjustment', code: event.rule, message: event.message };
    case 'tasks_changed':
      return { kind: 'tasks', code: 'tasks', message: `The task list has ${event.tasks.length} entries.` };
    case 'note_added':
      return { kind: 'note', code: 'note', message: event.text };
    case 'warning_raised':
      return { kind: 'warning', code: event.code, message: event.message };
    case 'error_raised':
      return { kind: 'error', code: event.code, message: event.message };
    default:
      return null;
  }
}

function resumedText(event: EventOf<'run_resumed'>): string {
  const interrupted = event.interrupted?.length ?? 0;
  const repeated = event.repeated?.length ?? 0;
  const parts = ['Windlass stopped during the run and resumed it.'];
  if (repeated) parts.push(`Run again: ${event.repeated?.join(', ')}.`);
  if (interrupted) parts.push(`Not repeated, because they may already have happened: ${event.interrupted?.join(', ')}.`);
  if (event.grants?.length) parts.push(`Still allowed in this session: ${event.grants.join(', ')}.`);
  return parts.join(' ');
}
