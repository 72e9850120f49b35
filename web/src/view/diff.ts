// Reads unified diffs, for screens that colour them.

export interface DiffLine {
  kind: 'file' | 'hunk' | 'add' | 'del' | 'same' | 'note';
  /** Without its mark. */
  text: string;
  /** Line numbers before and after. */
  old: number | null;
  new: number | null;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Whether a text is a unified diff. */
export function isDiff(text: string): boolean {
  return /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/m.test(text) || /^--- [^\n]*\n\+\+\+ /m.test(text);
}

/** The lines of a diff. */
export function parseDiff(text: string): DiffLine[] {
  const lines = text.replace(/\r?\n$/, '').split('\n');
  const parsed: DiffLine[] = [];
  let before = 1;
  let after = 1;
  let isInHunk = false;
  // Where the hunk ends, as its head counts: until then a line is text, whatever it looks like.
  let beforeEnd = 0;
  let afterEnd = 0;
  lines.forEach((line, at) => {
    const isText = before < beforeEnd || after < afterEnd;
    const hunk = isText ? null : HUNK.exec(line);
    const isHead = !isText && line.startsWith('--- ') && (lines[at + 1] ?? '').startsWith('+++ ');
    const isSecondHead = !isText && line.startsWith('+++ ') && parsed.at(-1)?.text.startsWith('--- ') && parsed.at(-1)?.kind === 'file';
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[3]);
      beforeEnd = before + Number(hunk[2] ?? 1);
      afterEnd = after + Number(hunk[4] ?? 1);
      isInHunk = true;
      parsed.push({ kind: 'hunk', text: line, old: null, new: null });
    } else if (isHead || isSecondHead || (!isInHunk && /^(?:diff |index |new file|deleted file|rename )/.test(line))) {
      isInHunk = false;
      parsed.push({ kind: 'file', text: line, old: null, new: null });
    } else if (line.startsWith('+')) {
      parsed.push({ kind: 'add', text: line.slice(1), old: null, new: after });
      after += 1;
    } else if (line.startsWith('-')) {
      parsed.push({ kind: 'del', text: line.slice(1), old: before, new: null });
      before += 1;
    } else if (line.startsWith('\\') || (!isInHunk && !line.startsWith(' '))) {
      parsed.push({ kind: 'note', text: line, old: null, new: null });
    } else {
      parsed.push({ kind: 'same', text: line.slice(1), old: before, new: after });
      before += 1;
      after += 1;
    }
  });
  return parsed;
}

/** How many lines come and go. */
export function diffCounts(lines: readonly DiffLine[]): { added: number; removed: number } {
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length;
  return { added: count('add'), removed: count('del') };
}
