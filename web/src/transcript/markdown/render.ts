// Markdown to markup that is safe to show: the words are a model's, and a model repeats what strangers wrote.
//
// Three walls: raw HTML never comes through the renderer, addresses are checked where they are written, and the whole
// is cleaned at the end. Nothing here loads anything: images are links.

import DOMPurify from 'dompurify';
import { Lexer, Parser, Renderer, type Token, type Tokens } from 'marked';
import { isHostile, type Definitions } from './blocks';

/** What a text may refer to beside itself. */
export interface References {
  definitions: Definitions;
  /** How many sources there are for `[1]`, `[2]`, … */
  sourceCount: number;
  /** The number of the source at an address, if one was found there. */
  sourceAt: (url: string) => number | null;
  /** The level of its first heading, which becomes the third of the page. */
  headingBase: number;
}

export const noReferences: References = { definitions: {}, sourceCount: 0, sourceAt: () => null, headingBase: 1 };

/** Colours code, once the highlighter is there. */
export type Paint = (code: string, language: string) => string | null;

const TAGS = [
  'a', 'b', 'blockquote', 'br', 'button', 'code', 'del', 'div', 'em', 'h3', 'h4', 'h5', 'h6', 'hr', 'i', 'kbd', 'li',
  'mark', 'ol', 'p', 'pre', 's', 'span', 'strong', 'sub', 'sup', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'u', 'ul',
];
const ATTRIBUTES = ['aria-label', 'class', 'data-cite', 'data-copy', 'href', 'rel', 'role', 'start', 'tabindex', 'target', 'title', 'type'];
/** Tags without attributes that are let through as they are. */
const PLAIN_TAG = /^<\/?(?:b|br|em|i|kbd|mark|s|strong|sub|sup|u)\s*\/?>$/i;

export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** The address if it may be followed: the web and mail, nothing else. */
export function safeAddress(href: string): string | null {
  // What a browser would strip before it reads the scheme.
  const bare = href.replace(/[\u0000-\u0020\u007f-\u009f\u200b-\u200f\u2028-\u202e]/g, '');
  if (!/^(?:https?:\/\/|mailto:)/i.test(bare)) return null;
  try {
    const url = new URL(bare);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** A block of code with its head. */
export function codeMarkup(code: string, language: string, painted: string | null): string {
  const name = language ? escape(language) : 'text';
  return (
    `<div class="code"><div class="code-head"><span>${name}</span>` +
    `<button type="button" data-copy="code" aria-label="Copy code">Copy</button></div>` +
    `<pre tabindex="0"><code>${painted ?? escape(code)}</code></pre></div>`
  );
}

class HouseRenderer extends Renderer {
  references = noReferences;
  paint: Paint = () => null;

  override heading({ tokens, depth }: Tokens.Heading): string {
    // The page has its own first and second level.
    const level = Math.min(6, 3 + Math.max(0, depth - this.references.headingBase));
    return `<h${level} class="depth-${depth}">${this.parser.parseInline(tokens)}</h${level}>\n`;
  }

  override code({ text, lang }: Tokens.Code): string {
    const language = (lang ?? '').trim().split(/\s+/)[0] ?? '';
    return codeMarkup(text, language, this.paint(text, language));
  }

  override link({ href, title, tokens }: Tokens.Link): string {
    const words = this.parser.parseInline(tokens);
    const address = safeAddress(href);
    if (!address) return words;
    const about = title ? ` title="${escape(title)}"` : '';
    const source = this.references.sourceAt(address);
    const note = source === null ? '' : cite(source);
    return `<a href="${escape(address)}"${about} target="_blank" rel="noopener noreferrer">${words}</a>${note}`;
  }

  override image({ href, text }: Tokens.Image): string {
    const words = escape(text || 'image');
    const address = safeAddress(href);
    if (!address) return `<span class="image">${words}</span>`;
    return `<a class="image" href="${escape(address)}" target="_blank" rel="noopener noreferrer">${words}</a>`;
  }

  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    if (PLAIN_TAG.test(text.trim())) return text;
    return escape(
      text
        .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
        .replace(/<(script|style|iframe|object|svg|math|template|noscript)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, '')
        .replace(/<\/?[a-zA-Z][^>]*(?:>|$)/g, '')
        .trim(),
    );
  }

  override table(token: Tokens.Table): string {
    return `<div class="table" role="group" aria-label="Table" tabindex="0">${super.table(token)}</div>`;
  }

  override tablecell(token: Tokens.TableCell): string {
    const tag = token.header ? 'th' : 'td';
    const place = token.align ? ` class="at-${token.align}"` : '';
    return `<${tag}${place}>${this.parser.parseInline(token.tokens)}</${tag}>\n`;
  }

  override list(token: Tokens.List): string {
    const markup = super.list(token);
    return token.items.some((item) => item.task) ? markup.replace(/^<(ul|ol)/, '<$1 class="tasks"') : markup;
  }

  override checkbox({ checked }: Tokens.Checkbox): string {
    return `<span class="box" role="img" aria-label="${checked ? 'done' : 'open'}">${checked ? '☑' : '☐'}</span> `;
  }

  override text(token: Tokens.Text | Tokens.Escape | Tokens.Tag): string {
    const words = super.text(token as Tokens.Text);
    if (this.references.sourceCount === 0 || ('tokens' in token && token.tokens)) return words;
    return words.replace(/\[(\d{1,3})\]/g, (whole, digits: string) => {
      const number = Number(digits);
      return number >= 1 && number <= this.references.sourceCount ? cite(number) : whole;
    });
  }
}

function cite(number: number): string {
  return `<sup><a class="cite" href="#source" data-cite="${number}" aria-label="Source ${number}">${number}</a></sup>`;
}

const renderer = new HouseRenderer({ gfm: true });

/** The markup of a block of Markdown. */
export function renderMarkdown(text: string, references: References, paint: Paint = () => null): string {
  if (isHostile(text)) return renderPlain(text);
  try {
    const lexer = new Lexer({ gfm: true });
    Object.assign(lexer.tokens.links, references.definitions);
    const tokens: Token[] = lexer.lex(text);
    renderer.references = references;
    renderer.paint = paint;
    return clean(Parser.parse(tokens, { gfm: true, renderer }));
  } catch {
    return renderPlain(text);
  }
}

/** A text as it is, with its line breaks. */
export function renderPlain(text: string): string {
  return clean(`<p class="plain">${escape(text)}</p>`);
}

/** The last wall. */
export function clean(markup: string): string {
  return DOMPurify.sanitize(markup, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    // Not addresses: their values are not read as such.
    ADD_URI_SAFE_ATTR: ['aria-label', 'data-cite', 'data-copy', 'rel', 'role', 'start', 'tabindex', 'target', 'type'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|#source$)/i,
    ALLOW_UNKNOWN_PROTOCOLS: false,
    FORBID_CONTENTS: ['script', 'style', 'iframe', 'object', 'svg', 'math', 'template', 'noscript'],
  });
}
