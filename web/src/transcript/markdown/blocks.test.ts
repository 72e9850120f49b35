import { describe, expect, it } from 'vitest';
import { Splitter, type Block } from './blocks';

function whole(text: string): Block[] {
  const splitter = new Splitter();
  splitter.update(text, true);
  return splitter.done;
}

const sample = `# Title

A paragraph
of two lines.

- one
- two

  still two
- three

| a | b |
| - | - |
| 1 | 2 |

\`\`\`rust
fn main() {

}
\`\`\`
After.

> quoted

1. first
2. second
`;

describe('blocks of Markdown', () => {
  it('are the top-level ones, in order', () => {
    const blocks = whole(sample);
    expect(blocks.map((block) => [block.kind, block.text.slice(0, 6).trim()])).toEqual([
      ['markdown', '# Titl'],
      ['markdown', 'A para'],
      ['markdown', '- one'],
      ['markdown', '| a |'],
      ['code', 'fn mai'],
      ['markdown', 'After.'],
      ['markdown', '> quot'],
      ['markdown', '1. fir'],
    ]);
    expect(blocks[4]).toMatchObject({ language: 'rust', text: 'fn main() {\n\n}' });
  });

  it('come out the same however the text arrives, and keep their identity', () => {
    const expected = whole(sample);
    for (const size of [1, 3, 7, 50]) {
      const splitter = new Splitter();
      let before: Block[] = [];
      for (let end = size; end < sample.length + size; end += size) {
        splitter.update(sample.slice(0, end), false);
        expect(splitter.done.slice(0, before.length)).toEqual(before);
        before.forEach((block, at) => expect(splitter.done[at]).toBe(block));
        before = [...splitter.done];
      }
      splitter.update(sample, true);
      expect(splitter.done).toEqual(expected);
    }
  });

  it('show an open fence as code, without half a closing fence', () => {
    const splitter = new Splitter();
    expect(splitter.update('```js\nlet a', false).tail).toMatchObject({ kind: 'code', language: 'js', text: 'let a' });
    expect(splitter.update('```js\nlet a\n``', false).tail).toMatchObject({ kind: 'code', text: 'let a' });
    expect(splitter.update('```js\nlet a\n```', false).tail).toMatchObject({ kind: 'code', text: 'let a' });
    expect(splitter.update('```js\nlet a\n```\n', false).tail).toBeNull();
    expect(splitter.done).toMatchObject([{ kind: 'code', text: 'let a' }]);
  });

  it('do not grow without end, and lose nothing', () => {
    for (const text of ['word '.repeat(20_000), 'x'.repeat(100_000), '- item\n'.repeat(20_000), '*'.repeat(100_000)]) {
      const blocks = whole(text);
      expect(blocks.length).toBeGreaterThan(5);
      expect(blocks.map((block) => block.text).join('')).toBe(text);
      expect(Math.max(...blocks.map((block) => block.text.length))).toBeLessThanOrEqual(8_000);
      expect(blocks.slice(1).every((block) => block.isContinued)).toBe(true);
    }
  });

  it('repeat the head of a table that is cut', () => {
    const blocks = whole('| a | b |\n| - | - |\n' + '| one | two |\n'.repeat(2_000));
    expect(blocks.length).toBeGreaterThan(2);
    expect(blocks.every((block) => block.text.startsWith('| a | b |\n| - | - |\n'))).toBe(true);
    const rows = blocks.flatMap((block) => block.text.trimEnd().split('\n').slice(2));
    expect(rows).toHaveLength(2_000);
  });

  it('collect definitions of links', () => {
    const splitter = new Splitter();
    splitter.update('See [it][x].\n\n[x]: https://example.org "Title"\n', true);
    expect(splitter.definitions).toEqual({ x: { href: 'https://example.org', title: 'Title' } });
    expect(splitter.done).toHaveLength(1);
  });

  it('begin anew when the text is another one', () => {
    const splitter = new Splitter();
    splitter.update('One.\n\nTwo.\n\nThree', false);
    splitter.update('Other.\n\nText.\n', true);
    expect(splitter.done.map((block) => block.text.trim())).toEqual(['Other.', 'Text.']);
  });

  it('take enormous nesting as plain text, quickly', () => {
    const began = performance.now();
    for (const text of ['>'.repeat(50_000) + ' deep', '- '.repeat(20_000), '['.repeat(50_000), '`'.repeat(3) + '>'.repeat(9)]) {
      whole(text);
    }
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
