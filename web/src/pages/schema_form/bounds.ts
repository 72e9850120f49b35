// The bounds of a field in words.

import type { Schema } from './schema';

const number = (value: unknown): value is number => typeof value === 'number';
/** Longer ones are no help to anybody. */
const PATTERN_CHARS_MAX = 60;

/** `1 to 600000.`, `At most 400 characters.`; empty if there are none. */
export function boundsOf(schema: Schema): string {
  const said: string[] = [];
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern, format, multipleOf } = schema;
  range(said, minimum, maximum, '');
  if (number(schema.exclusiveMinimum)) said.push(`More than ${schema.exclusiveMinimum}.`);
  if (number(schema.exclusiveMaximum)) said.push(`Less than ${schema.exclusiveMaximum}.`);
  if (number(multipleOf)) said.push(`A multiple of ${multipleOf}.`);
  range(said, number(minLength) && minLength > 1 ? minLength : undefined, maxLength, ' characters');
  range(said, number(minItems) && minItems > 0 ? minItems : undefined, maxItems, ' items');
  if (typeof format === 'string') said.push(`Format ${format}.`);
  if (typeof pattern === 'string' && pattern.length <= PATTERN_CHARS_MAX) said.push(`Matches ${pattern}`);
  return said.join(' ');
}

function range(said: string[], least: unknown, most: unknown, unit: string): void {
  const words = (value: number) => `${value.toLocaleString('en')}${value === 1 ? unit.replace(/s$/, '') : unit}`;
  if (number(least) && number(most)) said.push(`${least.toLocaleString('en')} to ${words(most)}.`);
  else if (number(least)) said.push(`At least ${words(least)}.`);
  else if (number(most)) said.push(`At most ${words(most)}.`);
}
