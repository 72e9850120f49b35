// Text of models, tools and files on its way to a person: what would take no room, turn the reading direction or act as a
// control is written out, so that what is read is what is there.
//
// The same table as `text/visible.rs` of windlass-core; `fixtures/visible.json` holds both to the same words.

/** What stands for a line end and for a tab in a text that is shown on one line. */
const LINE_END = '␊';
const TAB = '␉';

const CONTROLS = '\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f';
// Marks and overrides of direction.
const DIRECTIONS = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u206f';
// What takes no room, or looks like an empty place: separators, fillers, annotations.
const EMPTY = '\\u00ad\\u034f\\u115f\\u1160\\u180e\\u200b\\u2028\\u2029\\u2060-\\u2065\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb';
// Tags: a second text beside the one that is seen.
const TAGS = '\\u{e0000}-\\u{e007f}';
const HIDDEN = CONTROLS + DIRECTIONS + EMPTY + TAGS;
// Scripts and emoji need joiners; after an ASCII character, or at the beginning, one joins nothing and only hides.
const IDLE_JOINER = '(?<=^|[\\0-\\x7f])[\\u200c\\u200d]';

const hidden = new RegExp(`[${HIDDEN}]|${IDLE_JOINER}`, 'gu');

const written = (sign: string) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;

/** The text with everything in it visible: hidden characters as `\u{…}`, line feeds and tabs as they are. */
export function visible(text: string): string {
  return text.replace(hidden, written);
}

/** The text on one line with everything in it visible: line feeds as `␊`, tabs as `␉`. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll('\n', LINE_END).replaceAll('\t', TAB);
}
