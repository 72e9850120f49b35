// How states, repairs and decisions are said: a word, an icon and a tone each, so that colour is never alone.

import type { Tone } from '../ui/Badge.svelte';
import type { IconName } from '../ui/Icon.svelte';
import type { Decision, RunOutcome } from '../view/types';
import type { CallState, Finish, NoticeKind, Purpose, StepState } from './timeline';

export interface Said {
  word: string;
  icon: IconName;
  tone: Tone;
}

/** Every state that something in a run can have. */
export type State = CallState | StepState | 'said';

const states: { [state in State]: Said } = {
  requested: { word: 'Requested', icon: 'clock', tone: 'neutral' },
  asking: { word: 'Asks you', icon: 'shield', tone: 'warn' },
  decided: { word: 'Decided', icon: 'shield', tone: 'neutral' },
  running: { word: 'Running', icon: 'play', tone: 'info' },
  waiting: { word: 'Waiting', icon: 'clock', tone: 'warn' },
  ok: { word: 'Done', icon: 'check', tone: 'good' },
  done: { word: 'Done', icon: 'check', tone: 'good' },
  failed: { word: 'Failed', icon: 'error', tone: 'bad' },
  denied: { word: 'Denied', icon: 'deny', tone: 'bad' },
  staged: { word: 'Staged', icon: 'edit', tone: 'warn' },
  cancelled: { word: 'Cancelled', icon: 'stop', tone: 'neutral' },
  interrupted: { word: 'Interrupted', icon: 'warning', tone: 'warn' },
  stopped: { word: 'Stopped', icon: 'stop', tone: 'neutral' },
  said: { word: 'Told', icon: 'info', tone: 'neutral' },
};

export const stateSaid = (state: State): Said => states[state];

const outcomes: { [outcome in RunOutcome]: Said } = {
  completed: { word: 'Completed', icon: 'check', tone: 'good' },
  limit_reached: { word: 'Limit reached', icon: 'warning', tone: 'warn' },
  cancelled: { word: 'Cancelled', icon: 'stop', tone: 'neutral' },
  failed: { word: 'Failed', icon: 'error', tone: 'bad' },
};

/** How a run stands. */
export function runSaid(outcome: RunOutcome | null): Said {
  return outcome ? outcomes[outcome] : states.running;
}

const reasons: { [reason: string]: string } = {
  answered: 'The model answered.',
  steps_max: 'The step limit was reached.',
  calls_max: 'The call limit was reached.',
  tokens_max: 'The token limit was reached.',
  bytes_max: 'The output limit was reached.',
  deadline: 'It ran out of time.',
  repeated_call: 'The same call came again and again.',
  correction_failed: 'A bad call was not corrected.',
  answer_cut: 'The answer was cut by its length.',
  cancelled: 'Somebody stopped it.',
  model_failed: 'The model failed.',
  tool_failed: 'A tool failed, and the profile does not go on after that.',
  journal_failed: 'The journal failed.',
  interrupted: 'The program stopped in the middle of it.',
};

export const reasonSaid = (reason: string): string => reasons[reason] ?? reason.replaceAll('_', ' ');

const purposes: { [purpose in Purpose]: string } = {
  work: 'work',
  correction: 'correction of a bad call',
  continuation: 'continuation of a cut answer',
  finalise: 'final answer',
};

export const purposeSaid = (purpose: Purpose): string => purposes[purpose] ?? purpose;

const finishes: { [finish: string]: string } = {
  stop: 'Stopped by itself',
  calls: 'Stopped to call tools',
  length: 'Cut by its length',
  paused: 'Paused by the provider',
  filtered: 'Cut by a content filter',
};

export function finishSaid(finish: Finish): string {
  return typeof finish === 'string' ? (finishes[finish] ?? finish) : `Other: ${finish.other}`;
}

const notices: { [kind in NoticeKind]: Said } = {
  warning: { word: 'Warning', icon: 'warning', tone: 'warn' },
  adjustment: { word: 'Adjustment', icon: 'wrench', tone: 'info' },
  note: { word: 'Note to the model', icon: 'info', tone: 'neutral' },
  error: { word: 'Error', icon: 'error', tone: 'bad' },
  resumed: { word: 'Resumed', icon: 'refresh', tone: 'info' },
  tasks: { word: 'Tasks changed', icon: 'tasks', tone: 'neutral' },
};

export const noticeSaid = (kind: NoticeKind): Said => notices[kind];

const repairs: { [repair: string]: string } = {
  byte_order_mark: 'A byte order mark before the arguments was left out.',
  think_prefix: 'Reasoning before the arguments was left out.',
  code_fence: 'The code fence around the arguments was left out.',
  special_tokens: 'Special tokens around the arguments were left out.',
  prose_around: 'Sentences around the arguments were left out.',
  double_encoded: 'The arguments were encoded twice.',
  trailing_comma: 'A comma before a closing bracket was left out.',
  comment: 'Comments were left out.',
  single_quotes: 'Strings stood in single quotes.',
  smart_quotes: 'Strings stood in typographic quotes.',
  unquoted_key: 'Keys stood without quotes.',
  literal_spelling: 'true, false or null was spelled differently.',
  raw_control: 'Control characters in strings were not escaped.',
  number_spelling: 'Numbers were not spelled as in JSON.',
  missing_comma: 'A comma was missing.',
  extra_close: 'There was a closing bracket too many.',
  missing_close: 'Closing brackets were missing.',
  cut_short: 'The text was cut off.',
  bad_escape: 'A string had an escape that JSON does not know.',
  not_a_number: 'A number was NaN or Infinity.',
};

export const repairSaid = (repair: string): string => repairs[repair] ?? repair.replaceAll('_', ' ');

const decisions: { [decision in Decision]: string } = {
  once: 'Allowed once',
  session: 'Allowed for this session',
  remember: 'Always allowed',
  deny: 'Denied',
};

export const decisionSaid = (decision: Decision): string => decisions[decision];

/** Who decided: a gate's word as a sentence. */
export function bySaid(by: string): string {
  const [gate, rest] = [by.split(':')[0] ?? by, by.split(':').slice(1).join(':')];
  switch (gate) {
    case 'user':
      return 'You decided.';
    case 'rule':
      return `The rule ${rest} decided.`;
    case 'grant':
      return rest ? `A grant of this session decided: ${rest}.` : 'A grant of this session decided.';
    case 'risk':
      return 'Its low risk decided: nobody had to be asked.';
    case 'mode':
      return 'The way calls are approved decided.';
    default:
      return `Decided by ${by}.`;
  }
}
