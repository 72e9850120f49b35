// Sessions by when something last happened in them, as people speak of it. Pure: the clock comes in.

import type { Run, Session } from '../wire/api';

export interface Group {
  label: string;
  sessions: Session[];
}

const DAY_MS = 86_400_000;

/** Groups sessions that are sorted newest first; the groups keep that order. */
export function groupSessions(sessions: readonly Session[], nowMs: number): Group[] {
  const groups: Group[] = [];
  for (const session of sessions) {
    const label = labelOf(session.updated_ms, nowMs);
    const last = groups.at(-1);
    if (last?.label === label) last.sessions.push(session);
    else groups.push({ label, sessions: [session] });
  }
  return groups;
}

/** The name of the group of a moment: Today, Yesterday, This week (the six days before), else its month. */
export function labelOf(ms: number, nowMs: number): string {
  const days = Math.round((dayOf(nowMs) - dayOf(ms)) / DAY_MS);
  if (days <= 0) return 'Today';
  if (days === 1) return 'Yesterday';
  if (days < 7) return 'This week';
  const date = new Date(ms);
  const month = date.toLocaleDateString('en', { month: 'long' });
  return date.getFullYear() === new Date(nowMs).getFullYear() ? month : `${month} ${date.getFullYear()}`;
}

/** The midnight before a moment, where the reader lives. Days may have 23 or 25 hours. */
function dayOf(ms: number): number {
  const date = new Date(ms);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

/** A list that was loaded again, with the older pages that were loaded before. */
export function mergePages(fresh: readonly Session[], before: readonly Session[], hasMore: boolean): Session[] {
  const last = fresh.at(-1);
  if (!hasMore || !last) return [...fresh];
  const known = new Set(fresh.map((session) => session.session_id));
  const isOlder = (session: Session) =>
    session.updated_ms < last.updated_ms ||
    (session.updated_ms === last.updated_ms && session.session_id < last.session_id);
  return [...fresh, ...before.filter((session) => isOlder(session) && !known.has(session.session_id))];
}

/** What goes on in a session. */
export interface Activity {
  isRunning: boolean;
  questions: number;
}

/** What goes on, by session, from the runs that have not ended. */
export function activityOf(runs: readonly Run[]): ReadonlyMap<string, Activity> {
  const activity = new Map<string, Activity>();
  for (const run of runs) {
    const before = activity.get(run.session_id)?.questions ?? 0;
    activity.set(run.session_id, { isRunning: true, questions: before + run.questions });
  }
  return activity;
}
