// The words of a timeline: what a run, a step, a thought, a call and a question are when they are laid out in time.

import type { Category, Decision, Event, Message, Question, RunOutcome, ToolOutcome, Usage, Visibility } from '../view/types';

export type EventOf<T extends Event['type']> = Extract<Event, { type: T }>;

export type Purpose = EventOf<'step_started'>['purpose'];
export type Finish = EventOf<'step_ended'>['finish'];
export type Wishes = NonNullable<EventOf<'run_started'>['wishes']>;

/** A run, laid out in time. */
export interface Timeline {
  runId: string;
  sessionId: string;
  model: string;
  profile: string;
  wishes: Wishes | null;
  user: string;
  started_ms: number;
  ended_ms: number | null;
  outcome: RunOutcome | null;
  reason: string | null;
  answer: string;
  usage: Usage | null;
  steps: Step[];
  thoughts: Thought[];
  calls: Call[];
  asked: Asked[];
  notices: Notice[];
  /** The newest record, and when it happened. */
  seq: number;
  last_ms: number;
}

/** One model response, with all tries at it. */
export interface Step {
  step: number;
  purpose: Purpose;
  tries: Try[];
  started_ms: number;
  /** When the first piece of the try that counts came, if pieces were seen. */
  first_ms: number | null;
  ended_ms: number | null;
  state: StepState;
  finish: Finish | null;
  usage: Usage | null;
  message: Message | null;
}

export type StepState = 'running' | 'waiting' | 'done' | 'stopped';

export interface Try {
  attempt: number;
  purpose: Purpose;
  started_ms: number;
  ended_ms: number | null;
  /** The wait that followed it, if it gave nothing. */
  delay: Delay | null;
}

export interface Delay {
  at_ms: number;
  delay_ms: number;
  attempts_max: number;
  code: string;
  message: string;
  usage: Usage | null;
}

/** A stretch of thinking. */
export interface Thought {
  id: string;
  step: number;
  phase: number;
  started_ms: number;
  ended_ms: number | null;
  text: string;
  /** Whether its times are its own; otherwise it lies somewhere inside its step. */
  isExact: boolean;
}

export type CallState =
  | 'requested'
  | 'asking'
  | 'decided'
  | 'running'
  | 'ok'
  | 'failed'
  | 'denied'
  | 'staged'
  | 'cancelled'
  | 'interrupted';

export interface Transition {
  state: CallState;
  at_ms: number;
  /** Who or what caused it, where that is known. */
  by: string | null;
}

/** One call, from the wish to its outcome. */
export interface Call {
  id: string;
  step: number;
  index: number;
  name: string;
  /** As the model wrote them. */
  arguments: string;
  providerId: string | null;
  category: Category;
  visibility: Visibility;
  state: CallState;
  transitions: Transition[];
  requested_ms: number;
  started_ms: number | null;
  ended_ms: number | null;
  question: Question | null;
  decision: { decision: Decision; by: string; rule: string | null; problem: string | null } | null;
  /** The gate's word for who allowed it. */
  by: string | null;
  progress: { at_ms: number; line: string }[];
  outcome: ToolOutcome | null;
  message: Message | null;
  /** Whether long texts of its outcome were cut on the way here. */
  isClipped: boolean;
  /** Calls that it made itself, and calls that these made. */
  inside: InnerCall[];
}

/** A call that a running call made itself. */
export interface InnerCall {
  /** `[2, 1]`: the first call that the second call inside made. */
  path: number[];
  name: string;
  arguments: string;
  state: CallState;
  started_ms: number;
  ended_ms: number | null;
  /** What it gave or why it failed, cut. */
  said: string;
  by: string | null;
}

/** A question to the user, from asking to deciding. */
export interface Asked {
  callId: string;
  step: number;
  question: Question;
  asked_ms: number;
  decided_ms: number | null;
  decision: Decision | null;
  by: string | null;
}

export type NoticeKind = 'warning' | 'adjustment' | 'note' | 'error' | 'resumed' | 'tasks';

/** Something that happened at one moment. */
export interface Notice {
  id: number;
  kind: NoticeKind;
  at_ms: number;
  step: number;
  /** A stable word: the warning's code, the adjustment's rule. */
  code: string;
  message: string;
}
