import { expect, it } from 'vitest';
import type { Run, Session } from '../wire/api';
import { activityOf, groupSessions, labelOf, mergePages } from './groups';

const now = new Date(2026, 6, 15, 10, 30).getTime();
const at = (...date: [number, number, number, number?]) => new Date(...date).getTime();
const session = (id: string, updated_ms: number) => ({ session_id: id, updated_ms }) as Session;

it('names the day, the week, the month, and the year when it is another one', () => {
  const moments = [
    at(2026, 6, 15, 0), at(2026, 6, 14, 23), at(2026, 6, 13, 12), at(2026, 6, 9, 0), at(2026, 6, 8, 23), at(2026, 5, 1), at(2025, 11, 31),
  ];
  expect(moments.map((ms) => labelOf(ms, now))).toEqual([
    'Today', 'Yesterday', 'This week', 'This week', 'July', 'June', 'December 2025',
  ]);
});

it('takes a clock that goes ahead for today', () => {
  expect(labelOf(now + 3_600_000 * 24, now)).toBe('Today');
});

it('groups what is sorted, and keeps the order', () => {
  const rows = [session('a', now), session('b', now - 1), session('c', at(2026, 6, 14)), session('d', at(2026, 0, 3))];
  expect(groupSessions(rows, now).map((group) => [group.label, group.sessions.map((row) => row.session_id)])).toEqual([
    ['Today', ['a', 'b']],
    ['Yesterday', ['c']],
    ['January', ['d']],
  ]);
});

it('keeps older pages behind a list that was read again, and no row twice', () => {
  const before = [session('c', 30), session('b', 20), session('a', 10)];
  const fresh = [session('a', 40), session('c', 30)];
  expect(mergePages(fresh, before, true).map((row) => row.session_id)).toEqual(['a', 'c', 'b']);
  expect(mergePages(fresh, before, false).map((row) => row.session_id)).toEqual(['a', 'c']);
});

it('sums the questions of runs that have not ended, by session', () => {
  const run = (session_id: string, questions: number) => ({ session_id, questions }) as Run;
  expect([...activityOf([run('a', 1), run('b', 0), run('a', 2)])]).toEqual([
    ['a', { isRunning: true, questions: 3 }],
    ['b', { isRunning: true, questions: 0 }],
  ]);
});
