import { expect, it } from 'vitest';
import { composerKeyOf, explainKeys, isTypingIn, shortcutOf, type Stroke } from './keys';

const stroke = (key: string, more: Partial<Stroke> = {}): Stroke => ({
  key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isComposing: false, keyCode: 0, ...more,
});
const idle = { isEmpty: false, isEditing: false, isRunning: false };

it('takes plain letters as shortcuts only when nobody types', () => {
  expect(['/', '?', 'n', 'i', 'x'].map((key) => shortcutOf(stroke(key), false))).toEqual(['search', 'help', 'new', 'inspect', null]);
  expect(['/', '?', 'n', 'i'].map((key) => shortcutOf(stroke(key), true))).toEqual([null, null, null, null]);
});

it('takes Ctrl-K and Cmd-K everywhere, and leaves other chords to the browser', () => {
  expect(shortcutOf(stroke('k', { ctrlKey: true }), true)).toBe('search');
  expect(shortcutOf(stroke('K', { metaKey: true }), false)).toBe('search');
  expect(shortcutOf(stroke('n', { ctrlKey: true }), false)).toBeNull();
  expect(shortcutOf(stroke('k', { ctrlKey: true, shiftKey: true }), false)).toBeNull();
});

it('sends with Enter and Ctrl-Enter, and breaks the line with Shift-Enter', () => {
  expect(composerKeyOf(stroke('Enter'), idle)).toBe('send');
  expect(composerKeyOf(stroke('Enter', { ctrlKey: true }), idle)).toBe('send');
  expect(composerKeyOf(stroke('Enter', { shiftKey: true }), idle)).toBeNull();
});

it('leaves every key to an input method while it composes', () => {
  expect(composerKeyOf(stroke('Enter', { isComposing: true }), idle)).toBeNull();
  expect(composerKeyOf(stroke('Enter', { keyCode: 229 }), idle)).toBeNull();
  expect(shortcutOf(stroke('/', { isComposing: true }), false)).toBeNull();
});

it('stops with Esc, but leaves editing first', () => {
  expect(composerKeyOf(stroke('Escape'), idle)).toBeNull();
  expect(composerKeyOf(stroke('Escape'), { ...idle, isRunning: true })).toBe('stop');
  expect(composerKeyOf(stroke('Escape'), { ...idle, isRunning: true, isEditing: true })).toBe('leave');
});

it('edits the last message with the up arrow in an empty composer only', () => {
  expect(composerKeyOf(stroke('ArrowUp'), { ...idle, isEmpty: true })).toBe('edit-last');
  expect(composerKeyOf(stroke('ArrowUp'), idle)).toBeNull();
  expect(composerKeyOf(stroke('ArrowUp', { shiftKey: true }), { ...idle, isEmpty: true })).toBeNull();
});

it('knows where somebody types', () => {
  const element = (html: string) => {
    document.body.innerHTML = html;
    return document.body.firstElementChild;
  };
  expect(isTypingIn(element('<textarea></textarea>'))).toBe(true);
  expect(isTypingIn(element('<input type="search">'))).toBe(true);
  expect(isTypingIn(element('<input type="checkbox">'))).toBe(false);
  expect(isTypingIn(element('<button></button>'))).toBe(false);
  expect(isTypingIn(document)).toBe(false);
});

it('explains every shortcut with the keys of the machine', () => {
  const all = (isMac: boolean) => explainKeys(isMac).flatMap((group) => group.keys).map(({ keys }) => keys.flat().join(' '));
  expect(all(false)).toContain('/ Ctrl K');
  expect(all(true)).toContain('/ ⌘ K');
});
