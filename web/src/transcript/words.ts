// How runs end, in words for people.

export const ENDED_WORDS: { [outcome: string]: string } = {
  limit_reached: 'A limit was reached',
  cancelled: 'Stopped by you',
  failed: 'The run failed',
};

export const REASON_WORDS: { [reason: string]: string } = {
  steps_max: 'too many steps. The answer is made of what was there.',
  calls_max: 'too many calls. The answer is made of what was there.',
  tokens_max: 'too many tokens. The answer is made of what was there.',
  bytes_max: 'too much output. The answer is made of what was there.',
  deadline: 'out of time. The answer is made of what was there.',
  repeated_call: 'the model made the same call again and again.',
  correction_failed: 'the model did not correct a bad call.',
  answer_cut: 'the answer was cut by its length, also after it was continued.',
  model_failed: 'the model failed.',
  tool_failed: 'a tool failed, and the profile does not go on then.',
  journal_failed: 'the journal failed; going on would have lost what happened.',
  interrupted: 'the program stopped in the middle and could not take it up again.',
};
