import { describe, expect, it } from 'vitest';
import { diffRows, foldRows, lineRows, shareRows, splitRows, textRows } from './fold';

const texts = (rows: { text: string }[]) => rows.map(({ text }) => text);

describe('rows of quoted text', () => {
  it('are numbered lines, empty ones too', () => {
    expect(textRows('a\n\nb\n').map(({ gutter, text }) => [gutter, text])).toEqual([['1', 'a'], ['2', ''], ['3', 'b'], ['4', '']]);
  });

  it('hide nothing', () => {
    expect(texts(textRows('a\rb\u202ec'))).toEqual(['a\\u{d}b\\u{202e}c']);
    expect(lineRows([['path', 'a\nb']])).toEqual([{ gutter: 'path', text: 'a␊b', kind: 'plain' }]);
  });

  it('of a diff are what the diff says, also where a line looks like a head of a file', () => {
    const rows = diffRows('--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/safe\n+++ b/safe\n same\n');
    expect(rows.map(({ kind, text }) => [kind, text])).toEqual([
      ['file', '--- a/x'],
      ['file', '+++ b/x'],
      ['hunk', '@@ -1,2 +1,2 @@'],
      ['del', '-- a/safe'],
      ['add', '++ b/safe'],
      ['same', 'same'],
    ]);
  });

  it('are split where they would run over, without cutting a character', () => {
    const rows = splitRows(textRows(`${'😀'.repeat(21)}\nok`), 0);
    expect(rows.map(({ gutter, text }) => [gutter, text])).toEqual([['1', '😀'.repeat(20)], ['↪', '😀'], ['2', 'ok']]);
    expect(splitRows(lineRows([['command', 'x'.repeat(60)]]), 57).length).toBe(2);
    expect(texts(splitRows(textRows('x'.repeat(100_000)), 80)).join('')).toBe('x'.repeat(100_000));
  });
});

describe('a long text', () => {
  const rows = textRows(Array.from({ length: 100 }, (_, at) => `line ${at + 1}`).join('\n'));

  it('shows its head and its tail and counts what is between', () => {
    const folded = foldRows(rows, 9);
    expect(texts(folded.head)).toEqual(['line 1', 'line 2', 'line 3', 'line 4']);
    expect(texts(folded.tail)).toEqual(['line 97', 'line 98', 'line 99', 'line 100']);
    expect(folded.hidden).toBe(92);
  });

  it('always shows both, however small the screen', () => {
    for (let max = 0; max < 100; max += 1) {
      const { head, hidden, tail } = foldRows(rows, max);
      expect(head.length).toBeGreaterThan(0);
      expect(tail.length).toBeGreaterThan(0);
      expect(head.length + hidden + tail.length).toBe(100);
    }
  });

  it('is whole where it fits', () => {
    expect(foldRows(rows, 100)).toEqual({ head: rows, hidden: 0, tail: [] });
  });
});

describe('a screen', () => {
  it('is shared: short texts are whole, long ones get equal parts of the rest', () => {
    expect(shareRows([1, 100, 3, 100], 24, 3)).toEqual([1, 10, 3, 10]);
    expect(shareRows([1, 4], 24, 3)).toEqual([1, 4]);
  });

  it('that is too small leaves each its least', () => {
    expect(shareRows([50, 50], 2, 5)).toEqual([5, 5]);
  });
});
