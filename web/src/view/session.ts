// What a screen shows of a session: a fold over its records, the same as the `SessionView` of windlass-core.
//
// Deltas make the view live; the durable record that follows replaces what they made. Nothing here is changed in
// place once it was handed out: `applyAll` copies what it touches, once a batch, so that screens can compare by
// identity. Knows no network and no framework.

import type {
  Category,
  Event,
  JournalRecord,
  Message,
  Question,
  RunOutcome,
  Task,
  ToolCall,
  ToolOutcome,
  Usage,
  Visibility,
} from './types';

/** A session as a screen shows it. */
export interface SessionView {
  runs: RunView[];
  /** The newest record that was folded in. */
  seq: number;
  /** The newest durable record: readers that come back ask for what comes after it. */
  durableSeq: number;
}

/** A run as a screen shows it. */
export interface RunView {
  run_id: string;
  user: string;
  entries: Entry[];
  warnings: { code: string; message: string }[];
  adjustments: { kind: string; message: string }[];
  waiting: Waiting | null;
  /** Set while a model in the process reads a long prompt. */
  reading: { tokens_read: number; tokens_total: number; remaining_ms?: number | null } | null;
  questions: Question[];
  error: string | null;
  ended: { outcome: RunOutcome; reason: string } | null;
  answer: string;
  usage: Usage;
  tasks: Task[];
  /** What the web app shows beside the common view. */
  about: RunAbout;
  stepStart: number;
  phase: number;
  /** What the newest durable record left: where `rewind` goes back to. */
  mark: { entries: number; chars: number };
}

/** Facts about a run that only the web app shows. */
export interface RunAbout {
  model: string;
  profile: string;
  started_ms: number;
  ended_ms: number | null;
  /** The reasoning that was asked for, if any (S-25). */
  effort: string | null;
  /** The step that goes on; nothing between steps and after the end. */
  step: number | null;
  /** The phase whose thinking is awaited or comes now; nothing once text or calls came (S-25, S-32). */
  thinking: number | null;
  /** When the newest piece of thinking came (S-33). */
  thought_ms: number | null;
  /** When the first tool of the search kind was called, and when the answer began (S-27, S-28). */
  searched_ms: number | null;
  answered_ms: number | null;
  /** Calls that are being written: their names and how much of them, by their place in the step. */
  writing: { [index: number]: { name: string; chars: number } };
  /** When each phase of thinking began and when its newest piece came. */
  thoughts: { [phase: number]: { from_ms: number; to_ms: number } };
  /** Entries that go on with the text before them: the model was cut by its length and continued. */
  joins: number[];
  /** When the wait for another try began. */
  delayed_ms: number | null;
  /** What users should know about their decisions: a rule that could not be kept, for one. */
  problems: string[];
  /** How often the run was taken up again after the program had stopped. */
  resumed: number;
  /** The stable word of the error. */
  error_code: string | null;
}

export interface Waiting {
  attempt: number;
  attempts_max: number;
  delay_ms: number;
  message: string;
}

/** One thing on the screen. */
export type Entry =
  | { kind: 'reasoning'; phase: number; text: string }
  | { kind: 'text'; text: string }
  | CallEntry;

export interface CallEntry {
  kind: 'call';
  call: ToolCall;
  category: Category;
  visibility: Visibility;
  state: CallState;
  progress: string | null;
  /** It was staged, and then made. */
  is_applied?: true;
  /** The outcome was cut for the screen; the inspector has the whole. */
  clipped?: true;
}

export type CallState =
  | { kind: 'requested' }
  | { kind: 'asking' }
  | { kind: 'running' }
  | { kind: 'ended'; outcome: ToolOutcome };

export const emptySession: SessionView = { runs: [], seq: 0, durableSeq: 0 };

/** Folds records in order; those that were folded in before change nothing. */
export function applyAll(view: SessionView, records: readonly JournalRecord[]): SessionView {
  const next: SessionView = { ...view, runs: [...view.runs] };
  const own = new Set<RunView>();
  for (const record of records) {
    if (record.seq <= next.seq) continue;
    next.seq = record.seq;
    if (record.event.type === 'run_started') {
      const run = newRun(record, record.event);
      own.add(run);
      next.runs.push(run);
    } else {
      const at = next.runs.findLastIndex((run) => run.run_id === record.run_id);
      const found = next.runs[at];
      if (found) {
        const run = own.has(found) ? found : { ...found, entries: [...found.entries] };
        own.add(run);
        next.runs[at] = run;
        apply(run, record);
      }
    }
    if (isDurable(record.event)) next.durableSeq = record.seq;
  }
  return next;
}

/** Folds records from nothing. */
export function foldSession(records: readonly JournalRecord[]): SessionView {
  return applyAll(emptySession, records);
}

/** The task list of a session, as the last run that touched it left it. */
export function tasksOf(view: SessionView): Task[] {
  return view.runs.findLast((run) => run.tasks.length > 0)?.tasks ?? [];
}

/** Forgets what deltas made since the newest durable record: what comes after that record is read again. */
export function rewind(view: SessionView): SessionView {
  const runs = view.runs.map((run) => (run.ended ? run : rewindRun(run)));
  return { runs, seq: view.durableSeq, durableSeq: view.durableSeq };
}

function rewindRun(run: RunView): RunView {
  const entries = run.entries.slice(0, run.mark.entries);
  const last = entries.at(-1);
  if (last && last.kind !== 'call' && last.text.length > run.mark.chars) {
    entries[entries.length - 1] = { ...last, text: last.text.slice(0, run.mark.chars) };
  }
  return { ...run, entries, about: { ...run.about, writing: {} } };
}

/** Whether the record is on disk before anybody sees it. */
export function isDurable(event: Event): boolean {
  switch (event.type) {
    case 'reasoning_delta':
    case 'text_delta':
    case 'call_delta':
    case 'call_progressed':
    case 'step_progressed':
      return false;
    default:
      return true;
  }
}

function newRun(record: JournalRecord, event: Extract<Event, { type: 'run_started' }>): RunView {
  return {
    run_id: record.run_id,
    user: textOf(event.message),
    entries: [],
    warnings: [],
    adjustments: [],
    waiting: null,
    reading: null,
    questions: [],
    error: null,
    ended: null,
    answer: '',
    usage: { input: 0, output: 0, cached: 0, reasoning: 0 },
    tasks: [],
    about: {
      model: event.model,
      profile: event.profile,
      started_ms: record.ts_ms,
      ended_ms: null,
      effort: event.wishes?.sampling?.reasoning_effort ?? null,
      step: null,
      thinking: event.wishes?.sampling?.reasoning_effort ? 0 : null,
      thought_ms: null,
      searched_ms: null,
      answered_ms: null,
      writing: {},
      thoughts: {},
      joins: [],
      delayed_ms: null,
      problems: [],
      resumed: 0,
      error_code: null,
    },
    stepStart: 0,
    phase: 0,
    mark: { entries: 0, chars: 0 },
  };
}

/** The text of a message, without reasoning and calls. */
export function textOf(message: Message): string {
  switch (message.role) {
    case 'user':
    case 'assistant':
      return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    case 'tool':
      return message.content;
    case 'note':
      return message.text;
  }
}

function apply(run: RunView, record: JournalRecord): void {
  const { event } = record;
  run.reading = null;
  switch (event.type) {
    case 'step_progressed':
      run.waiting = null;
      run.reading = { tokens_read: event.tokens_read, tokens_total: event.tokens_total, remaining_ms: event.remaining_ms ?? null };
      break;
    case 'run_started':
    case 'note_added':
    case 'inner_call_started':
    case 'inner_call_ended':
      break;
    case 'run_resumed':
      dropUnkept(run);
      break;
    case 'edit_applied':
      change(run, event.call_id, { is_applied: true });
      break;
    case 'tasks_changed':
      run.tasks = event.tasks;
      break;
    case 'call_delta':
      run.waiting = null;
      break;
    case 'step_delayed':
      run.waiting = {
        attempt: event.attempt,
        attempts_max: event.attempts_max,
        delay_ms: event.delay_ms,
        message: event.message,
      };
      break;
    case 'request_adjusted':
      run.adjustments = [...run.adjustments, { kind: event.kind, message: event.message }];
      break;
    case 'step_started':
      if (event.attempt > 1) run.entries.length = Math.min(run.entries.length, run.stepStart);
      dropUnkept(run);
      run.stepStart = run.entries.length;
      break;
    case 'reasoning_delta':
      addReasoning(run, event.phase, event.text);
      break;
    case 'text_delta':
      addText(run, event.text);
      break;
    case 'step_ended':
      run.waiting = null;
      replaceStep(run, event.message);
      if (event.usage) run.usage = addUsage(run.usage, event.usage);
      break;
    default:
      applyCall(run, event, record.clipped === true);
  }
  noteAbout(run, record);
  if (isDurable(event)) run.mark = markOf(run);
}

/** What happens to calls and ends a run. Events that this page does not know yet change nothing. */
function applyCall(run: RunView, event: Event, isClipped: boolean): void {
  const unasked = (call_id: string) => run.questions.filter((question) => question.call_id !== call_id);
  switch (event.type) {
    case 'call_requested':
      announce(run, event.call, event.category, event.visibility);
      break;
    case 'permission_requested':
      change(run, event.question.call_id, { state: { kind: 'asking' } });
      run.questions = [...run.questions, event.question];
      break;
    case 'permission_decided':
      run.questions = unasked(event.call_id);
      break;
    case 'call_started':
      change(run, event.call_id, { state: { kind: 'running' } });
      break;
    case 'call_progressed':
      // The last line of a call may come after its end.
      if (!isEnded(run, event.call_id)) change(run, event.call_id, { progress: event.line });
      break;
    case 'call_ended':
      run.questions = unasked(event.call_id);
      change(run, event.call_id, {
        state: { kind: 'ended', outcome: event.outcome },
        // How far it was is not on record, and a screen that joins late does not know it.
        progress: null,
        ...(isClipped ? { clipped: true } : {}),
      });
      break;
    case 'warning_raised':
      run.warnings = [...run.warnings, { code: event.code, message: event.message }];
      break;
    case 'error_raised':
      run.error = event.message;
      break;
    case 'run_ended':
      dropUnkept(run);
      run.ended = { outcome: event.outcome, reason: event.reason };
      run.answer = event.answer;
      run.usage = event.usage;
      run.questions = [];
      run.waiting = null;
      break;
  }
}

/** Keeps what only the web app shows. */
function noteAbout(run: RunView, record: JournalRecord): void {
  const { event, ts_ms } = record;
  const about = { ...run.about };
  switch (event.type) {
    case 'step_started':
      about.step = event.step;
      about.thinking = about.effort ? run.phase : null;
      about.writing = {};
      about.thoughts = { ...about.thoughts, [run.phase]: { from_ms: ts_ms, to_ms: ts_ms } };
      if (event.purpose === 'continuation') about.joins = [...about.joins, run.entries.length];
      break;
    case 'reasoning_delta':
      about.thinking = event.phase;
      about.thought_ms = ts_ms;
      about.thoughts = {
        ...about.thoughts,
        [event.phase]: { from_ms: about.thoughts[event.phase]?.from_ms ?? ts_ms, to_ms: ts_ms },
      };
      break;
    case 'text_delta':
      about.thinking = null;
      about.answered_ms ??= ts_ms;
      break;
    case 'call_delta': {
      const known = about.writing[event.index]?.name ?? '';
      about.thinking = null;
      about.writing = { ...about.writing, [event.index]: { name: event.name ?? known, chars: event.chars } };
      break;
    }
    case 'step_ended':
      about.step = null;
      about.thinking = null;
      about.writing = {};
      break;
    case 'call_requested':
      about.thinking = null;
      about.writing = Object.fromEntries(
        Object.entries(about.writing).filter(([index]) => Number(index) !== event.call.index),
      );
      noteSearch(about, record);
      break;
    case 'call_started':
      about.thinking = null;
      noteSearch(about, record);
      break;
    case 'step_delayed':
      about.delayed_ms = ts_ms;
      about.thinking = null;
      break;
    case 'permission_decided':
      if (event.problem) about.problems = [...about.problems, event.problem];
      break;
    case 'run_resumed':
      about.resumed += 1;
      about.writing = {};
      break;
    case 'error_raised':
      about.error_code = event.code;
      break;
    case 'run_ended':
      about.ended_ms = ts_ms;
      about.step = null;
      about.thinking = null;
      about.writing = {};
      break;
    default:
      return;
  }
  run.about = about;
}

function noteSearch(about: RunAbout, { event, ts_ms }: JournalRecord): void {
  if (!('category' in event) || event.category !== 'search') return;
  about.searched_ms ??= ts_ms;
  about.answered_ms = null;
}

function markOf(run: RunView): RunView['mark'] {
  const last = run.entries.at(-1);
  return { entries: run.entries.length, chars: last && last.kind !== 'call' ? last.text.length : 0 };
}

function addReasoning(run: RunView, phase: number, piece: string): void {
  run.waiting = null;
  const last = lastOfStep(run);
  if (last?.kind === 'reasoning' && last.phase === phase) {
    run.entries[run.entries.length - 1] = { ...last, text: last.text + piece };
  } else {
    run.entries.push({ kind: 'reasoning', phase, text: piece });
  }
}

function addText(run: RunView, piece: string): void {
  run.waiting = null;
  const last = lastOfStep(run);
  if (last?.kind === 'text') {
    run.entries[run.entries.length - 1] = { kind: 'text', text: last.text + piece };
  } else {
    run.entries.push({ kind: 'text', text: piece });
  }
}

/** What was kept of an earlier step is complete: pieces are never added to it. */
function lastOfStep(run: RunView): Entry | undefined {
  return run.entries.length > run.stepStart ? run.entries.at(-1) : undefined;
}

function addUsage(one: Usage, other: Usage): Usage {
  const sum: Usage = {
    input: one.input + other.input,
    output: one.output + other.output,
    cached: one.cached + other.cached,
    reasoning: one.reasoning + other.reasoning,
  };
  if (one.cost_usd != null || other.cost_usd != null) {
    sum.cost_usd = (one.cost_usd ?? 0) + (other.cost_usd ?? 0);
  }
  return sum;
}

function requested(call: ToolCall, category: Category, visibility: Visibility): CallEntry {
  return { kind: 'call', call, category, visibility, state: { kind: 'requested' }, progress: null };
}

/** A call that its step has put in its place already only gets where it is filed. */
function announce(run: RunView, call: ToolCall, category: Category, visibility: Visibility): void {
  if (!change(run, call.id, { category, visibility })) run.entries.push(requested(call, category, visibility));
}

function change(run: RunView, callId: string, fields: Partial<CallEntry>): boolean {
  const at = run.entries.findLastIndex((entry) => entry.kind === 'call' && entry.call.id === callId);
  const found = run.entries[at];
  if (found?.kind !== 'call') return false;
  run.entries[at] = { ...found, ...fields };
  return true;
}

function isEnded(run: RunView, callId: string): boolean {
  const found = run.entries.findLast((entry) => entry.kind === 'call' && entry.call.id === callId);
  return found?.kind === 'call' && found.state.kind === 'ended';
}

/** Puts the durable parts of a step in the place of what its deltas made. */
function replaceStep(run: RunView, message: Message): void {
  if (message.role !== 'assistant') return;
  const made = run.entries.splice(Math.min(run.stepStart, run.entries.length));
  let calls = 0;
  for (const part of message.parts) {
    if (part.type === 'text' && part.text) run.entries.push({ kind: 'text', text: part.text });
    if (part.type === 'reasoning' && part.text) {
      run.entries.push({ kind: 'reasoning', phase: run.phase, text: part.text });
    }
    if (part.type === 'call') {
      calls += 1;
      const { type: _type, ...call } = part;
      const at = made.findIndex((entry) => entry.kind === 'call' && entry.call.id === call.id);
      const announced = at < 0 ? undefined : made.splice(at, 1)[0];
      run.entries.push(announced ?? requested(call, 'other', 'secondary'));
    }
  }
  run.entries.push(...made.filter((entry) => entry.kind === 'call'));
  run.stepStart = run.entries.length;
  if (calls > 0) run.phase += 1;
}

/** Takes out what deltas made and no durable record kept. */
function dropUnkept(run: RunView): void {
  const made = run.entries.splice(Math.min(run.stepStart, run.entries.length));
  run.entries.push(...made.filter((entry) => entry.kind === 'call'));
}
