import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hostNote } from './host';

interface Case {
  rule: string;
  note: string | null;
}
const cases = JSON.parse(readFileSync(join(import.meta.dirname, '../../../fixtures/host_notes.json'), 'utf8')) as Case[];

describe('rules about hosts', () => {
  it.each(cases)('$rule', ({ rule, note }) => {
    expect(hostNote(rule)).toBe(note);
  });
});
