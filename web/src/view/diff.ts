// Reads unified diffs, for screens that colour them.

export interface DiffLine {
  kind: 'file' | 'hunk' | 'add' | 'del' | 'same' | 'note';
  /** Without its mark. */
  text: string;
  /** Line numbers before and after. */
  old: number | null;
  new: number | null;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

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
  lines.forEach((line, at) => {
    const hunk = HUNK.exec(line);
    const isHead = line.startsWith('--- ') && (lines[at + 1] ?? '').startsWith('+++ ');
    const isSecondHead = line.startsWith('+++ ') && (lines[at - 1] ?? '').startsWith('--- ');
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
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
