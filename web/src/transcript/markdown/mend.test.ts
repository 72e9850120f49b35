import { describe, expect, it } from 'vitest';
import { mend } from './mend';

describe('Markdown that is still being written', () => {
  it.each([
    ['a **bold te', 'a **bold te**'],
    ['a **', 'a '],
    ['a **bold** and *it', 'a **bold** and *it*'],
    ['snake_case_na', 'snake_case_na'],
    ['2 * 3', '2 * 3'],
    ['a `co', 'a `co`'],
    ['a `', 'a '],
    ['a ``co`de', 'a ``co`de``'],
    ['**bold `co', '**bold `co`**'],
    ['***both', '***both***'],
    ['~~gone', '~~gone~~'],
    ['see [the te', 'see the te'],
    ['see [the text](http://exa', 'see the text'],
    ['see [the text](http://example.org)', 'see [the text](http://example.org)'],
    ['see **[the text](http://exa', 'see **the text**'],
    ['fact [1', 'fact '],
    ['fact [1]', 'fact [1]'],
    ['![a pic](http://exa', ''],
    ['text <div cla', 'text '],
    ['a &am', 'a '],
    ['- one\n- **two', '- one\n- **two**'],
    ['- one\n-', '- one'],
    ['Title\n--', 'Title'],
    ['text\n\n1.', 'text\n'],
    ['##', ''],
    ['``', ''],
  ])('%j is shown as %j', (written, shown) => {
    expect(mend(written)).toBe(shown);
  });

  it('half a table waits, and a row grows cell by cell', () => {
    expect(mend('| a | b')).toBe('');
    expect(mend('| a | b |\n| --')).toBe('');
    expect(mend('| a | b |\n| -- | -- |\n| **x')).toBe('| a | b |\n| -- | -- |\n| **x**');
    expect(mend('| a | b |\nno table')).toBe('| a | b |\nno table');
  });

  it('shows no marks at any moment of a text', () => {
    const text = 'Some **bold words** and *thin* ones, `code` and [a link](https://example.org/x) too.';
    for (let end = 1; end <= text.length; end += 1) {
      const shown = mend(text.slice(0, end));
      const stars = (shown.match(/\*/g) ?? []).length;
      expect([end, stars % 2]).toEqual([end, 0]);
      if (!shown.includes('](')) expect([end, shown.includes('[')]).toEqual([end, false]);
    }
  });
});
