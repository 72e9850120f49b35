import { beforeEach, expect, it, vi } from 'vitest';
import { forgetChoice, keepChoice, recallChoice, wishOf } from './choices';
import { forgetDraft, keepDraft, recallDraft } from './drafts';
import { titleOf } from './title';

beforeEach(() => localStorage.clear());

it('keeps a draft by session, and one for the session that is not begun', () => {
  keepDraft('a', { text: 'half a thou', fork: null });
  keepDraft(null, { text: 'new', fork: null });
  expect(recallDraft('a').text).toBe('half a thou');
  expect(recallDraft('b').text).toBe('');
  expect(recallDraft(null).text).toBe('new');
});

it('keeps which run is edited, and leaves nothing behind when a draft is empty', () => {
  keepDraft('a', { text: '', fork: 'run' });
  expect(recallDraft('a')).toEqual({ text: '', fork: 'run' });
  keepDraft('a', { text: '', fork: null });
  keepDraft('b', { text: 'x', fork: null });
  forgetDraft('b');
  expect(localStorage.length).toBe(0);
});

it('reads what is broken or from another version as no draft', () => {
  localStorage.setItem('windlass.draft.a', '{');
  localStorage.setItem('windlass.draft.b', '["x"]');
  localStorage.setItem('windlass.draft.c', '{"text":7}');
  expect(['a', 'b', 'c'].map((id) => recallDraft(id).text)).toEqual(['', '', '']);
});

it('keeps drafts in memory when the browser keeps nothing', () => {
  const full = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  keepDraft('a', { text: 'still here', fork: null });
  full.mockRestore();
  expect(recallDraft('a').text).toBe('still here');
});

const choice = { model: 'a/b', profile: 'edison', tools: ['read_file'] };

it('begins a new session with what was chosen last, with all tools', () => {
  keepChoice('a', choice);
  expect(recallChoice('a')).toEqual(choice);
  expect(recallChoice(null)).toEqual({ ...choice, tools: null });
});

it('leaves a session that was begun elsewhere what it has', () => {
  keepChoice('a', choice);
  expect(wishOf(recallChoice('from a terminal'))).toEqual({});
  forgetChoice('a');
  expect(wishOf(recallChoice('a'))).toEqual({});
});

it('wishes for what was chosen, and for no tools when all are off', () => {
  expect(wishOf(choice)).toEqual({ model: 'a/b', profile: 'edison', tools: ['read_file'] });
  expect(wishOf({ model: null, profile: null, tools: [] })).toEqual({ tools: [] });
});

it('titles the window by what is open, what runs and what waits', () => {
  expect(titleOf({ name: null, isRunning: false, questions: 0 })).toBe('Windlass');
  expect(titleOf({ name: 'Hello', isRunning: true, questions: 0 })).toBe('● Hello · Windlass');
  expect(titleOf({ name: 'Hello', isRunning: true, questions: 2 })).toBe('(2) ● Hello · Windlass');
});
