// What somebody chose for the runs of a session: model, profile, tools. A new session begins with what was
// chosen last; one that was begun elsewhere keeps what it has. Knows no server: names are taken as they are.

import type { RunWish } from '../wire/api';
import { keep, recallFields } from './keep';

export interface Choice {
  /** Nothing: what the session, else the server has. */
  model: string | null;
  profile: string | null;
  /** The tools that are switched on; nothing: all of them. */
  tools: string[] | null;
}

const LAST = 'choice.last';
const nameOf = (sessionId: string) => `choice.${sessionId}`;
const textOr = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);

function readChoice(fields: { [field: string]: unknown }): Choice {
  const { model, profile, tools } = fields;
  const names = Array.isArray(tools) ? tools.filter((name) => typeof name === 'string') : null;
  return { model: textOr(model), profile: textOr(profile), tools: names };
}

/** The choice of a session; for a new one (`null`) what was chosen last. Tools are switched for one session only. */
export function recallChoice(sessionId: string | null): Choice {
  if (sessionId !== null) return readChoice(recallFields(nameOf(sessionId)));
  return { ...readChoice(recallFields(LAST)), tools: null };
}

export function keepChoice(sessionId: string | null, choice: Choice): void {
  keep(LAST, choice);
  if (sessionId !== null) keep(nameOf(sessionId), choice);
}

export function forgetChoice(sessionId: string): void {
  keep(nameOf(sessionId), null);
}

/** What a choice adds to the wish for a run. */
export function wishOf(choice: Choice): Omit<RunWish, 'message'> {
  return {
    ...(choice.model !== null && { model: choice.model }),
    ...(choice.profile !== null && { profile: choice.profile }),
    ...(choice.tools !== null && { tools: choice.tools }),
  };
}
