import { describe, expect, it } from 'vitest';
import { diffCounts, isDiff, parseDiff } from './diff';

const text = `--- a/notes.txt
+++ b/notes.txt
@@ -3,4 +3,4 @@ section
 same
-old
+new
+--- not a head
 last
\\ No newline at end of file
`;

describe('a diff', () => {
  it('has lines with their numbers before and after', () => {
    const lines = parseDiff(text);
    expect(lines.map((line) => [line.kind, line.text, line.old, line.new])).toEqual([
      ['file', '--- a/notes.txt', null, null],
      ['file', '+++ b/notes.txt', null, null],
      ['hunk', '@@ -3,4 +3,4 @@ section', null, null],
      ['same', 'same', 3, 3],
      ['del', 'old', 4, null],
      ['add', 'new', null, 4],
      ['add', '--- not a head', null, 5],
      ['same', 'last', 5, 6],
      ['note', '\\ No newline at end of file', null, null],
    ]);
    expect(diffCounts(lines)).toEqual({ added: 2, removed: 1 });
  });

  it('is known by its hunks or its heads', () => {
    expect(isDiff(text)).toBe(true);
    expect(isDiff('--- a\n+++ b\n')).toBe(true);
    expect(isDiff('- one\n+ two')).toBe(false);
  });

  it('shows lines without marks before the first hunk as they are', () => {
    expect(parseDiff('write_file notes.txt\n+new').map((line) => line.kind)).toEqual(['note', 'add']);
  });
});
