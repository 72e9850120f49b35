// Questions that wait and their answers, as the server takes them.

import type { Question } from '../view/types';
import type { Answer } from '../wire/api';
import { askJson, path } from '../wire/http';

/** Questions of a run with the digests that bind an answer to exactly what was shown. */
export const pendingQuestions = (runId: string) =>
  askJson<{ questions: (Question & { digest: string })[] }>(path`/api/runs/${runId}/permissions`);

/** Answers several questions: all are checked before the first counts. */
export const answerAll = (runId: string, answers: (Answer & { call_id: string })[]) =>
  askJson<undefined>(path`/api/runs/${runId}/permissions`, { method: 'POST', body: { answers } });
