import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { visible, visibleLine } from './visible';

interface Case {
  case: string;
  in: string;
  visible: string;
  line: string;
}
const cases = JSON.parse(readFileSync(join(import.meta.dirname, '../../../fixtures/visible.json'), 'utf8')) as Case[];

describe('text for a person', () => {
  it.each(cases)('$case', ({ in: text, visible: whole, line }) => {
    expect(visible(text)).toBe(whole);
    expect(visibleLine(text)).toBe(line);
  });

  it('loses nothing and leaves nothing hidden, whichever character it is', () => {
    for (let code = 0; code <= 0x10ffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const sign = String.fromCodePoint(code);
      const shown = visible(`a${sign}b`);
      if (shown !== `a${sign}b` && shown !== `a\\u{${code.toString(16)}}b`) throw new Error(`U+${code.toString(16)}: ${shown}`);
      if (shown.includes(sign) && /[\p{Cc}\p{Bidi_Control}]/u.test(sign) && !'\n\t'.includes(sign)) throw new Error(`U+${code.toString(16)} is raw`);
    }
  });
});
