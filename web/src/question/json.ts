// Arguments of calls, laid out for people without changing what they say.

/** A string, a sign, or a word or number of JSON, as it is written. */
const PIECE = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** JSON with line breaks; a text that is none as it is. Names, numbers and strings stay as they are written. */
export function prettyJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  let before = '';
  let shown = '';
  for (const [piece] of text.matchAll(PIECE)) {
    const isEnd = piece === '}' || piece === ']';
    const isFirst = before === '{' || before === '[';
    if (isEnd) depth -= 1;
    // What is empty stays on its line.
    if (before === ',' || isFirst !== isEnd) shown += `\n${'  '.repeat(depth)}`;
    shown += piece === ':' ? ': ' : piece;
    if (piece === '{' || piece === '[') depth += 1;
    before = piece;
  }
  return shown;
}
