import { describe, expect, it } from 'vitest';
import { prettyJson } from './json';

describe('arguments with line breaks', () => {
  it.each([
    {},
    [],
    { a: [] , b: {} },
    { path: 'a "b" \\ {x: [1]}', list: [1, [2, { c: null }], true], deep: { er: { x: -1.5e3 } } },
    'text',
    12,
  ])('are laid out as usual: %j', (value) => {
    expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    expect(prettyJson(` ${JSON.stringify(value, null, 7)}\n`)).toBe(JSON.stringify(value, null, 2));
  });

  it('keep numbers, escapes and doubled names as they are written', () => {
    expect(prettyJson('{"n":100000000000000000001,"n":-0,"s":"\\u202e\\/"}')).toBe(
      '{\n  "n": 100000000000000000001,\n  "n": -0,\n  "s": "\\u202e\\/"\n}',
    );
  });

  it('that are no JSON stay as they are', () => {
    expect(prettyJson('{"a": ')).toBe('{"a": ');
  });
});
