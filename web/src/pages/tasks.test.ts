import { expect, it } from 'vitest';
import type { Session } from '../wire/api';
import type { Task } from '../view/types';
import { doneOf, groupTasks, tasked } from './tasks';

const task = (task_id: string, status: string) => ({ task_id, status, content: task_id }) as Task;

it('shows what is worked on first and what is done last', () => {
  const tasks = [task('a', 'completed'), task('b', 'pending'), task('c', 'in_progress'), task('d', 'odd')];
  expect(groupTasks(tasks).map((group) => [group.status, group.tasks.length])).toEqual([
    ['in_progress', 1], ['pending', 1], ['completed', 1], ['other', 1],
  ]);
  expect(doneOf(tasks)).toBe(1);
});

it('finds the sessions that have tasks, in their order, a few questions at a time', async () => {
  const sessions = ['one', 'two', 'three', 'four'].map((session_id, at) => ({ session_id, runs: at }) as Session);
  let open = 0;
  let most = 0;
  const found = await tasked(
    sessions,
    async (id) => {
      most = Math.max(most, (open += 1));
      await Promise.resolve();
      open -= 1;
      return id === 'three' ? [] : [task(id, 'pending')];
    },
    2,
  );
  expect(found.map((row) => row.session.session_id)).toEqual(['two', 'four']);
  expect(most).toBeLessThanOrEqual(2);
});
