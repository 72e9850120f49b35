// Completes Markdown that is still being written, so that what is half there is not shown as marks.
//
// Works on the last block alone. What cannot be completed yet waits: half a table, half a tag, a line that may become
// an underline. Knows no HTML and no screen.

const TABLE_LINE = /^ {0,3}\|/;
const TABLE_RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** The block as it can be shown now. */
export function mend(block: string): string {
  const lines = block.split('\n');
  return mendLines(isHeldBack(lines.at(-1) ?? '') ? lines.slice(0, -1) : lines);
}

function mendLines(lines: string[]): string {
  const table = lines.findIndex((line) => TABLE_LINE.test(line));
  const isParagraphBefore = table > 0 && lines[table - 1]?.trim() !== '';
  if (table >= 0 && !isParagraphBefore) {
    const rule = lines[table + 1];
    // The head of a table waits for the line under it, and that line for its end.
    if (rule === undefined || (table + 2 === lines.length && looksLikeRule(rule))) return lines.slice(0, table).join('\n');
    if (TABLE_RULE.test(rule)) return mendRow(lines);
  }
  const from = lastInlineStart(lines);
  const head = lines.slice(0, from);
  const tail = lines.slice(from).join('\n');
  return [...head, closeInline(tail)].join('\n');
}

function looksLikeRule(line: string): boolean {
  return /^[ \t|:-]*$/.test(line);
}

/** A row of a table: its last cell is completed as any other text. */
function mendRow(lines: string[]): string {
  const row = lines.at(-1) ?? '';
  const cell = row.lastIndexOf('|') + 1;
  return [...lines.slice(0, -1), row.slice(0, cell) + closeInline(row.slice(cell))].join('\n');
}

/** A line that may become an underline, a fence, a heading or an item: it says nothing yet. */
function isHeldBack(line: string): boolean {
  return /^ *(?:[-=*_+~`#>]{1,}|\d{1,9}[.)]?|[-*+] +\[[ xX]?\]?)[ \t]*$/.test(line);
}

/** Where the paragraph or item begins that the last line is part of. */
function lastInlineStart(lines: string[]): number {
  let at = lines.length - 1;
  while (at > 0) {
    const line = lines[at] ?? '';
    const above = lines[at - 1] ?? '';
    if (/^\s*(?:[-*+]|\d{1,9}[.)]|#{1,6}|>)\s/.test(line) || above.trim() === '') break;
    at -= 1;
  }
  return Math.max(0, at);
}

/** Closes what is open at the end of a run of text. */
export function closeInline(text: string): string {
  const kept = text.replace(/<[a-zA-Z/!][^<>\n]*$|<$|&#?[a-zA-Z0-9]{0,12}$|\\$/, '');
  const { open, code, bracket } = scan(kept);
  if (code) return closeCode(kept, code);
  const linked = bracket === null ? kept : halfLink(kept, bracket);
  if (linked !== kept) return closeInline(linked);
  let closed = kept;
  for (const mark of open.reverse()) {
    const bare = closed.trimEnd();
    // Marks that nothing follows yet are left out; others are closed where they are.
    if (bare.endsWith(mark)) closed = bare.slice(0, -mark.length);
    else closed = bare + mark;
  }
  return closed;
}

function closeCode(text: string, code: { mark: string; at: number }): string {
  const inside = text.slice(code.at + code.mark.length);
  if (!inside.trim()) return closeInline(text.slice(0, code.at));
  // The first backticks of a longer closing row come before the rest of it.
  const bare = inside.replace(/`+$/, '');
  const before = text.slice(0, code.at);
  const outer = scan(before).open;
  return before + code.mark + bare + code.mark + outer.reverse().join('');
}

/** Half a link is its text: `[text`, `[text](addr`. */
function halfLink(text: string, bracket: number): string {
  const isImage = text[bracket - 1] === '!';
  const from = isImage ? bracket - 1 : bracket;
  const label = /^\[((?:[^\]\\]|\\.)*)(\](?:\([^)]*|\[[^\]]*)?)?$/s.exec(text.slice(bracket));
  if (!label) return text;
  const words = label[1] ?? '';
  // `[1` may become a reference to a source.
  if (/^\^?\d{0,3}$/.test(words)) return label[2] === undefined ? text.slice(0, from) : text;
  if (isImage) return text.slice(0, from);
  return text.slice(0, from) + words;
}

interface Scan {
  open: string[];
  code: { mark: string; at: number } | null;
  /** Where a bracket stands open that a link may come of. */
  bracket: number | null;
}

function scan(text: string): Scan {
  const open: string[] = [];
  let bracket: number | null = null;
  for (let at = 0; at < text.length; ) {
    const char = text[at] ?? '';
    if (char === '\\') {
      at += 2;
    } else if (char === '`') {
      const mark = /^`+/.exec(text.slice(at, at + 80))?.[0] ?? '`';
      const end = closingTicks(text, at + mark.length, mark);
      if (end < 0) return { open, code: { mark, at }, bracket };
      at = end;
    } else if (char === '[') {
      bracket = at;
      at += 1;
    } else if (char === ']' && bracket !== null) {
      const rest = text.slice(at + 1);
      const isOpen = rest === '' || /^(?:\([^)\s]*(?:\s+"[^"]*"?)?|\[[^\]]*)$/.test(rest);
      if (isOpen) return { open, code: null, bracket };
      bracket = null;
      at += 1;
    } else if (char === '*' || char === '_' || char === '~') {
      at = scanMark(text, at, char, open);
    } else {
      at += 1;
    }
  }
  return { open, code: null, bracket };
}

function closingTicks(text: string, from: number, mark: string): number {
  for (let at = text.indexOf(mark, from); at >= 0; at = text.indexOf(mark, at)) {
    let end = at;
    while (text[end] === '`') end += 1;
    if (end - at === mark.length) return end;
    at = end;
  }
  return -1;
}

function scanMark(text: string, at: number, char: string, open: string[]): number {
  let end = at;
  while (text[end] === char) end += 1;
  const row = text.slice(at, end);
  const before = text[at - 1] ?? ' ';
  const after = text[end] ?? '';
  const isItem = char === '*' && /^\s*$/.test(text.slice(text.lastIndexOf('\n', at - 1) + 1, at)) && after === ' ';
  if (isItem || row.length > 3) return end;
  if (char === '~' && row.length !== 2) return end;
  const canOpen = after === '' || /\S/.test(after);
  const canClose = /\S/.test(before);
  // Underscores inside words are letters.
  if (char === '_' && /\w/.test(before) && /\w/.test(after)) return end;
  for (const mark of row.length === 3 ? [char + char, char] : [row]) {
    const opened = open.lastIndexOf(mark);
    if (opened >= 0 && canClose) open.length = opened;
    else if (canOpen && !(char === '_' && /\w/.test(before))) open.push(mark);
  }
  return end;
}
