import { expect, it } from 'vitest';
import type { Settings } from '../wire/api';
import { changed, choiceOf, choiceWord, defaultOf, NUMBERS, readNumber, readSchema, schemaFormat, schemaOf, summaryWords } from './settings';

const [temperature, , length, seed] = NUMBERS;

it('reads numbers in their range, and says what is wanted otherwise', () => {
  expect(readNumber(temperature, ' 0.2 ')).toEqual({ value: 0.2 });
  expect(readNumber(temperature, '')).toEqual({});
  expect(readNumber(temperature, '2.5').problem).toBe('Enter a number from 0 to 2.');
  expect(readNumber(length, '0').problem).toBe('Enter a whole number from 1.');
  expect(readNumber(seed, '7.5').problem).toBe('Enter a whole number from 0.');
  expect(readNumber(seed, 'x').problem).toBe('Enter a whole number from 0.');
});

it('names defaults', () => {
  expect(defaultOf(temperature, { temperature: 0.7 })).toBe('Default (0.7)');
  expect(defaultOf(temperature, {})).toBe('Default (set by the model)');
  expect(defaultOf(seed, {})).toBe('Default (none)');
});

it('tells what is set, and a value that is taken away is gone', () => {
  const schema = { type: 'object' };
  const set: Settings = { system: 'Be brief.', temperature: 0, seed: 7, response_format: schemaFormat(schema), tool_choice: { name: 'calculate' } };
  expect(summaryWords(set)).toEqual(['System prompt', 'Temperature 0', 'Seed 7', 'JSON schema', 'Must call calculate']);
  expect(readSchema(schemaOf(set)).value).toEqual(schema);
  expect(choiceWord(set)).toBe(':calculate');
  expect(changed(changed(set, 'system', undefined), 'tool_choice', choiceOf('required'))).toEqual({ ...set, system: undefined, tool_choice: 'required' });
  expect(summaryWords(changed({ system: 'x' }, 'system', undefined))).toEqual([]);
});
