// What was typed and not sent, by session. Kept on every key stroke: a reload, an error or a server that is away
// loses nothing.

import { keep, recallFields } from './keep';

export interface Draft {
  text: string;
  /** The run whose message is being edited: sending makes a fork of it. */
  fork: string | null;
}

export const emptyDraft: Draft = { text: '', fork: null };

/** The name under which the draft of a session is kept; `null` is the session that is not begun yet. */
const nameOf = (sessionId: string | null) => `draft.${sessionId ?? 'new'}`;

export function recallDraft(sessionId: string | null): Draft {
  const { text, fork } = recallFields(nameOf(sessionId));
  return { text: typeof text === 'string' ? text : '', fork: typeof fork === 'string' ? fork : null };
}

export function keepDraft(sessionId: string | null, draft: Draft): void {
  keep(nameOf(sessionId), draft.text || draft.fork ? draft : null);
}

export function forgetDraft(sessionId: string | null): void {
  keep(nameOf(sessionId), null);
}
