// Task lists: by status, and which session to show first. Knows no screen.

import type { Session } from '../wire/api';
import type { Task } from '../view/types';

const STATUSES: [string, string][] = [
  ['in_progress', 'In progress'],
  ['pending', 'Pending'],
  ['completed', 'Completed'],
  ['cancelled', 'Cancelled'],
];

export interface TaskGroup {
  status: string;
  label: string;
  tasks: Task[];
}

/** What is worked on first, what is done last; within a status as the model wrote them. */
export function groupTasks(tasks: readonly Task[]): TaskGroup[] {
  const known = STATUSES.map(([status, label]) => ({ status, label, tasks: tasks.filter((task) => task.status === status) }));
  const others = tasks.filter((task) => !STATUSES.some(([status]) => status === task.status));
  return [...known, { status: 'other', label: 'Other', tasks: others }].filter((group) => group.tasks.length > 0);
}

export function doneOf(tasks: readonly Task[]): number {
  return tasks.filter((task) => task.status === 'completed').length;
}

export interface TaskedSession {
  session: Session;
  tasks: Task[];
}

/** Asks for the tasks of each session, a few at a time; those that have none are left out. */
export async function tasked(
  sessions: readonly Session[],
  ask: (id: string) => Promise<Task[]>,
  atOnce = 4,
): Promise<TaskedSession[]> {
  const found: (TaskedSession | null)[] = sessions.map(() => null);
  const queue = sessions.entries();
  const work = async () => {
    for (const [at, session] of queue) {
      const tasks = session.runs ? await ask(session.session_id) : [];
      if (tasks.length) found[at] = { session, tasks };
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return found.filter((row) => row !== null);
}
