// What is set for the runs of a session: read from fields, said in words. Knows no screen and no server.

import type { Settings } from '../wire/api';

/** The settings that are numbers, with what the server takes. */
export const NUMBERS = [
  { name: 'temperature', label: 'Temperature', min: 0, max: 2, step: 0.1, about: 'Higher is more varied: 0 to 2.' },
  { name: 'top_p', label: 'Top P', min: 0, max: 1, step: 0.05, about: 'Picks from the most likely tokens, up to this share: 0 to 1.' },
  { name: 'output_tokens_max', label: 'Max tokens', min: 1, max: 4294967295, step: 1, about: 'The most tokens that one answer may have.' },
  { name: 'seed', label: 'Seed', min: 0, max: Number.MAX_SAFE_INTEGER, step: 1, about: 'The same seed repeats an answer, if the provider supports it.' },
] as const;

export type NumberField = (typeof NUMBERS)[number];

/** A setting that is not set is as the configuration has it, or else as the model does it by itself. */
export function defaultOf(field: NumberField, usual: Settings): string {
  const value = usual[field.name];
  if (value !== undefined) return `Default (${value})`;
  return field.name === 'seed' ? 'Default (none)' : 'Default (set by the model)';
}

/** What was typed: a number, nothing, or why it is neither. */
export function readNumber(field: NumberField, text: string): { value?: number; problem?: string } {
  if (text.trim() === '') return {};
  const value = Number(text);
  const isWhole = field.step < 1 || Number.isInteger(value);
  if (Number.isFinite(value) && value >= field.min && value <= field.max && isWhole) return { value };
  const kind = field.step < 1 ? 'Enter a number' : 'Enter a whole number';
  return { problem: field.max > 2 ? `${kind} from ${field.min}.` : `${kind} from ${field.min} to ${field.max}.` };
}

/** The forms of an answer that can be chosen. */
export type Format = '' | 'json_object' | 'json_schema';

export function formatOf(settings: Settings): Format {
  const kind = settings.response_format?.type;
  return kind === 'json_object' || kind === 'json_schema' ? kind : '';
}

/** The schema of an answer, as it is written in its field. */
export function schemaOf(settings: Settings): string {
  const inner = settings.response_format?.json_schema as { schema?: unknown } | undefined;
  return inner?.schema === undefined ? '' : JSON.stringify(inner.schema, null, 2);
}

/** A JSON Schema that was typed, or why it is none. */
export function readSchema(text: string): { value?: { [name: string]: unknown }; problem?: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value: value as { [name: string]: unknown } };
    return { problem: 'A JSON Schema must be an object.' };
  } catch (error) {
    return { problem: `Not valid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

export const schemaFormat = (schema: unknown) => ({ type: 'json_schema', json_schema: { name: 'answer', schema } });

/** The choice of tools as one word of a list; a tool of that name has a colon before it. */
export function choiceWord(settings: Settings): string {
  const choice = settings.tool_choice;
  if (choice === undefined) return '';
  return typeof choice === 'string' ? choice : `:${choice.name}`;
}

export function choiceOf(word: string): Settings['tool_choice'] {
  if (word.startsWith(':')) return { name: word.slice(1) };
  return word === '' ? undefined : (word as 'auto' | 'required' | 'none');
}

/** The same settings with another value; nothing for one that is not set. */
export function changed<Name extends keyof Settings>(settings: Settings, name: Name, value: Settings[Name] | undefined): Settings {
  const next = { ...settings, [name]: value };
  return Object.fromEntries(Object.entries(next).filter(([, one]) => one !== undefined));
}

/** Everything that is set, a few words each. */
export function summaryWords(settings: Settings): string[] {
  const words = NUMBERS.flatMap((field) => {
    const value = settings[field.name];
    return value === undefined ? [] : [`${field.label} ${value}`];
  });
  if (settings.system) words.unshift('System prompt');
  const format = formatOf(settings);
  if (format) words.push(format === 'json_object' ? 'JSON' : 'JSON schema');
  if (settings.reasoning_effort) words.push(`Thinking effort ${settings.reasoning_effort}`);
  const choice = choiceWord(settings);
  if (choice.startsWith(':')) words.push(`Must call ${choice.slice(1)}`);
  else if (choice) words.push({ required: 'Must call a tool', none: 'No tool calls' }[choice] ?? 'Tool choice auto');
  return words;
}
