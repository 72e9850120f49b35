// Cuts a Markdown text that grows into top-level blocks, so that only the last one is read again as it grows.
//
// Blocks that are done keep their identity. No block grows without end: a long list, table or line is cut at a place
// where a reader hardly sees it. Knows Markdown's blocks and nothing of how they look.

import { Lexer, type Token } from 'marked';

/** One top-level piece of an answer. */
export interface Block {
  /** Where it begins in the text; its name among its neighbours. */
  start: number;
  kind: 'markdown' | 'code' | 'plain';
  /** Markdown source, or code without its fences. */
  text: string;
  /** The language of code, as it was written. */
  language: string;
  /** Goes on from the block before it, which was cut for its length. */
  isContinued: boolean;
}

/** The definitions of links that stand somewhere in the text: `[label]: address`. */
export interface Definitions {
  [label: string]: { href: string; title: string };
}

/** So much is read at once, and no block but code grows longer. */
const WINDOW_CHARS = 8_000;
/** More marks of nesting in one line than anybody writes. */
const NESTING_MAX = 24;
/** More marks of one kind in a block than anybody writes; readers of Markdown are slow on them. */
const MARKS_MAX = 600;

const FENCE = /^ {0,3}(`{3,}|~{3,})([^\n]*)(\n|$)/;

/** A text that grows. */
export class Splitter {
  /** Blocks that do not change any more. */
  readonly done: Block[] = [];
  definitions: Definitions = {};
  /** How often a definition was added: blocks that use one are made again. */
  definitionCount = 0;
  /** How often the text was another one: nothing is kept then. */
  resets = 0;
  private settled = '';
  private isContinued = false;
  private continuation = '';
  private lexedTo = 0;

  /** Takes the text as it is now; gives what is not settled yet. Call again while `hasMore`. */
  update(text: string, isWhole: boolean, hasTime: () => boolean = () => true): { tail: Block | null; hasMore: boolean } {
    if (!text.startsWith(this.settled)) this.reset();
    let at = this.settled.length;
    for (;;) {
      at = skipBlank(text, at);
      if (at >= text.length) break;
      const next = this.take(text, at, isWhole);
      if (!next.isDone) {
        this.settle(text, at);
        return { tail: next.block, hasMore: false };
      }
      if (next.block) this.done.push(next.block);
      at = next.end;
      this.settle(text, at);
      if (!hasTime() && at < text.length) return { tail: null, hasMore: true };
    }
    this.settle(text, at);
    return { tail: null, hasMore: false };
  }

  private settle(text: string, at: number): void {
    if (at !== this.settled.length) this.settled = text.slice(0, at);
  }

  private reset(): void {
    this.resets += 1;
    this.done.length = 0;
    this.settled = '';
    this.isContinued = false;
    this.continuation = '';
    this.lexedTo = 0;
    this.definitions = {};
    this.definitionCount = 0;
  }

  private take(text: string, at: number, isWhole: boolean): { block: Block | null; end: number; isDone: boolean } {
    const window = text.slice(at, at + WINDOW_CHARS);
    const fence = FENCE.exec(window);
    if (fence && !(fence[1]?.startsWith('`') && fence[2]?.includes('`'))) return this.takeFence(text, at, fence, isWhole);
    if (isHostile(window)) return this.cut(text, at, window, 'plain', isWhole);
    const isAll = at + WINDOW_CHARS >= text.length;
    const tokens = topTokens(this.continuation + window);
    if (!tokens) return this.cut(text, at, window, 'plain', isWhole);
    const first = tokens[0];
    if (!first) return { block: null, end: at + window.length, isDone: true };
    const length = first.raw.length - this.continuation.length;
    // The next block must have begun with a whole line: half a line may yet make them one.
    const rest = tokens.slice(1).find((token) => token.type !== 'space');
    const isSettled = rest !== undefined && window.indexOf('\n', skipBlank(window, length)) >= 0;
    if (isSettled || (isAll && isWhole)) return this.finish(first, at, length);
    if (!isAll && !rest) return this.cut(text, at, window, 'markdown', isWhole);
    if (!isAll) return this.finish(first, at, length);
    return { block: this.block(at, 'markdown', this.continuation + window), end: at, isDone: false };
  }

  private finish(token: Token, at: number, length: number): { block: Block | null; end: number; isDone: boolean } {
    const end = at + Math.max(1, length);
    if (token.type === 'def') {
      const { tag, href, title } = token as Token & { tag: string; href: string; title?: string };
      this.definitions = { [tag]: { href, title: title ?? '' }, ...this.definitions };
      this.definitionCount += 1;
      return { block: null, end, isDone: true };
    }
    if (token.type === 'space') return { block: null, end, isDone: true };
    const block =
      token.type === 'code'
        ? this.block(at, 'code', (token as Token & { text: string }).text, (token as Token & { lang?: string }).lang ?? '')
        : this.block(at, 'markdown', token.raw);
    this.isContinued = false;
    this.continuation = '';
    return { block, end, isDone: true };
  }

  private block(start: number, kind: Block['kind'], text: string, language = ''): Block {
    return { start, kind, text, language: language.trim().split(/\s+/)[0] ?? '', isContinued: this.isContinued };
  }

  private takeFence(
    text: string,
    at: number,
    fence: RegExpExecArray,
    isWhole: boolean,
  ): { block: Block; end: number; isDone: boolean } {
    const mark = fence[1] ?? '```';
    const from = at + fence[0].length;
    const hasLine = fence[3] === '\n';
    const close = new RegExp(`^ {0,3}${mark[0] === '~' ? '~' : '`'}{${mark.length},}[ \\t]*$`);
    // What was looked through before is not looked through again.
    let line = Math.max(from, this.lexedTo > at ? this.lexedTo : from);
    for (let end = text.indexOf('\n', line); hasLine; end = text.indexOf('\n', line)) {
      const isLast = end < 0;
      const candidate = text.slice(line, isLast ? text.length : end);
      if (candidate.length < 200 && close.test(candidate) && (!isLast || isWhole || candidate.trim().length >= mark.length)) {
        this.lexedTo = 0;
        const block = this.block(at, 'code', text.slice(from, Math.max(from, line - 1)), fence[2]);
        return { block, end: isLast ? text.length : end + 1, isDone: !isLast || isWhole };
      }
      if (isLast) break;
      line = end + 1;
    }
    this.lexedTo = line;
    // Half a closing fence is not code.
    const rest = text.slice(line);
    const shown = /^ {0,3}[`~]{1,}$/.test(rest) && !isWhole ? Math.max(from, line - 1) : text.length;
    const block = this.block(at, 'code', hasLine ? text.slice(from, shown) : '', hasLine ? fence[2] : '');
    return { block, end: text.length, isDone: isWhole };
  }

  /** Ends a block that is too long: after a line if there is one, else after a word, else anywhere. */
  private cut(
    text: string,
    at: number,
    window: string,
    kind: 'markdown' | 'plain',
    isWhole: boolean,
  ): { block: Block; end: number; isDone: boolean } {
    const isAll = at + window.length >= text.length;
    if (isAll) {
      const block = this.block(at, kind, this.continuation + window);
      if (isWhole) this.isContinued = false;
      return { block, end: text.length, isDone: isWhole };
    }
    const line = window.lastIndexOf('\n') + 1;
    const word = window.lastIndexOf(' ') + 1;
    const length = line > WINDOW_CHARS / 4 ? lineCut(window, line) : word > WINDOW_CHARS / 2 ? word : window.length;
    const block = this.block(at, kind, this.continuation + window.slice(0, length));
    this.continuation = kind === 'markdown' ? tableHead(this.continuation + window) : '';
    this.isContinued = true;
    return { block, end: at + length, isDone: true };
  }
}

/** Cuts before the last thing that begins at the margin, so that no item of a list is torn. */
function lineCut(window: string, line: number): number {
  for (let at = line; at > WINDOW_CHARS / 4; at = window.lastIndexOf('\n', at - 2) + 1) {
    if (/^(?:[-*+]|\d+[.)]|\||>|#)/.test(window.slice(at, at + 12))) return at;
  }
  return line;
}

/** The head of a table, which is repeated where the table was cut. */
function tableHead(text: string): string {
  const head = /^ {0,3}\|[^\n]*\n {0,3}\|[ \t:|-]*-[ \t:|-]*\n/.exec(text);
  return head ? head[0] : '';
}

function skipBlank(text: string, from: number): number {
  let at = from;
  for (;;) {
    let end = at;
    while (text[end] === ' ' || text[end] === '\t' || text[end] === '\r') end += 1;
    if (text[end] !== '\n') return end >= text.length ? end : at;
    at = end + 1;
  }
}

function topTokens(window: string): Token[] | null {
  try {
    // Reads blocks alone; what stands inside them is read when they are shown.
    return new Lexer({ gfm: true }).blockTokens(window, []);
  } catch {
    return null;
  }
}

/** Whether a text is made to keep its reader busy: it is shown as it is. */
export function isHostile(text: string): boolean {
  const nested = new RegExp(`^(?:[ \\t]*(?:>|[-*+][ \\t]|\\d{1,9}[.)][ \\t])){${NESTING_MAX},}`, 'm');
  if (nested.test(text)) return true;
  if (/^ {60,}(?:[-*+]|\d+[.)])[ \t]/m.test(text)) return true;
  const counts = new Map<string, number>();
  for (const char of text) {
    if ('*_[]`~<!'.includes(char)) {
      const count = (counts.get(char) ?? 0) + 1;
      if (count > MARKS_MAX) return true;
      counts.set(char, count);
    }
  }
  return false;
}
