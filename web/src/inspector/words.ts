// How states, repairs and decisions are said: a word, an icon and a tone each, so that colour is never alone.

import type { Tone } from '../ui/Badge.svelte';
import { bytes } from '../ui/format';
import type { IconName } from '../ui/Icon.svelte';
import type { ReachedHost } from '../protocol/events';
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
  asking: { word: 'Needs approval', icon: 'shield', tone: 'warn' },
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
  said: { word: 'Noted', icon: 'info', tone: 'neutral' },
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
  cost_max: 'The cost limit was reached.',
  bytes_max: 'The output limit was reached.',
  deadline: 'It ran out of time.',
  repeated_call: 'The model kept making the same call.',
  correction_failed: 'A bad call was not corrected.',
  answer_cut: 'The answer was too long.',
  cancelled: 'It was cancelled.',
  model_failed: 'The model failed.',
  tool_failed: 'A tool failed, and this profile stops when that happens.',
  journal_failed: 'The session could not be saved.',
  interrupted: 'Windlass was stopped during the run.',
};

export const reasonSaid = (reason: string): string => reasons[reason] ?? reason.replaceAll('_', ' ');

const purposes: { [purpose in Purpose]: string } = {
  work: 'work',
  correction: 'correcting a bad call',
  continuation: 'continuing a long answer',
  finalise: 'final answer',
};

export const purposeSaid = (purpose: Purpose): string => purposes[purpose] ?? purpose;

const finishes: { [finish: string]: string } = {
  stop: 'Finished',
  calls: 'Tool calls',
  length: 'Length limit reached',
  paused: 'Paused by the provider',
  filtered: 'Content filter',
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
  byte_order_mark: 'A byte order mark before the arguments was removed.',
  think_prefix: 'Thinking before the arguments was removed.',
  code_fence: 'The code fence around the arguments was removed.',
  special_tokens: 'Special tokens around the arguments were removed.',
  prose_around: 'Sentences around the arguments were removed.',
  double_encoded: 'The arguments were encoded twice.',
  trailing_comma: 'A comma before a closing bracket was removed.',
  comment: 'Comments were removed.',
  single_quotes: 'Strings had single quotes.',
  smart_quotes: 'Strings had typographic quotes.',
  unquoted_key: 'Keys had no quotes.',
  literal_spelling: 'true, false or null was misspelled.',
  raw_control: 'Control characters in strings were not escaped.',
  number_spelling: 'Numbers were not written as in JSON.',
  missing_comma: 'A comma was missing.',
  extra_close: 'There was an extra closing bracket.',
  missing_close: 'Closing brackets were missing.',
  cut_short: 'The text was cut off.',
  bad_escape: 'A string had an invalid escape.',
  not_a_number: 'A number was NaN or Infinity.',
};

export const repairSaid = (repair: string): string => repairs[repair] ?? repair.replaceAll('_', ' ');

/** A host that a call has sent something to, and how much. */
export function reachSaid({ host, address, requests, bytes_out, bytes_in }: ReachedHost): string {
  const times = requests === 1 ? '' : `, ${requests} requests`;
  return `${host} (${address ?? 'no answer'}): ${bytes(bytes_out)} sent, ${bytes(bytes_in)} received${times}`;
}

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
      return 'Decided by you.';
    case 'rule':
      return `Decided by the rule ${rest}.`;
    case 'grant':
      return rest ? `Decided by a grant of this session: ${rest}.` : 'Decided by a grant of this session.';
    case 'risk':
      return 'Allowed automatically because of its low risk.';
    case 'mode':
      return 'Decided by the mode of the session.';
    default:
      return `Decided by ${by}.`;
  }
}
