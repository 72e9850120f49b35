// How runs end, in words for people.

export const ENDED_WORDS: { [outcome: string]: string } = {
  limit_reached: 'Limit reached',
  cancelled: 'Cancelled',
  failed: 'The run failed',
};

export const REASON_WORDS: { [reason: string]: string } = {
  steps_max: 'too many steps. The answer uses what was found until then.',
  calls_max: 'too many calls. The answer uses what was found until then.',
  tokens_max: 'too many tokens. The answer uses what was found until then.',
  cost_max: 'it cost as much as it may. The answer uses what was found until then.',
  bytes_max: 'too much output. The answer uses what was found until then.',
  deadline: 'out of time. The answer uses what was found until then.',
  repeated_call: 'the model kept making the same call.',
  correction_failed: 'the model did not correct a bad call.',
  answer_cut: 'the answer was still too long after it was continued.',
  model_failed: 'the model failed.',
  tool_failed: 'a tool failed, and this profile stops when that happens.',
  journal_failed: 'the session could not be saved, so the run was stopped.',
  interrupted: 'Windlass was stopped during the run and could not resume it.',
};
