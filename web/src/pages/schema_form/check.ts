// What is wrong with a value, place by place: enough of JSON Schema to point to a field before anything is sent.
//
// The server has the last word: what is not understood here is left to it.

import { furtherOf, isObject, itemOf, requiredOf, resolve, typesOf, type Schema } from './schema';
import { isSame, type Path } from './value';

export interface Fault {
  path: Path;
  message: string;
  /** Nothing is there: said only once somebody wants to send it. */
  isMissing?: true;
}

/** Schemas that lead to themselves end here. */
const DEPTH_MAX = 40;

/** All faults of a value. */
export function check(schema: unknown, value: unknown, root: Schema, path: Path = [], depth = 0): Fault[] {
  if (depth > DEPTH_MAX) return [];
  const found = resolve(schema, root);
  const at = (message: string): Fault[] => [{ path, message }];
  const faults = checkKind(found, value, at);
  if (faults.length) return faults;
  const deeper: Deeper = (part, inner, under) => check(part, inner, root, under, depth + 1);
  return [
    ...(typeof value === 'string' ? checkText(found, value, at) : []),
    ...(typeof value === 'number' ? checkNumber(found, value, at) : []),
    ...(Array.isArray(value) ? checkList(found, value, path, deeper) : []),
    ...(isObject(value) ? checkObject(found, value, path, deeper) : []),
    ...checkParts(found, value, path, deeper),
  ];
}

type Deeper = (schema: unknown, value: unknown, path: Path) => Fault[];
type At = (message: string) => Fault[];

function checkKind(schema: Schema, value: unknown, at: At): Fault[] {
  if ('const' in schema && !isSame(schema.const, value)) return at(`Must be ${JSON.stringify(schema.const)}.`);
  if (Array.isArray(schema.enum) && !schema.enum.some((item) => isSame(item, value))) {
    return at(`Must be one of ${schema.enum.map((item) => JSON.stringify(item)).join(', ')}.`);
  }
  const types = 'type' in schema ? typesOf(schema) : [];
  if (types.length && !types.some((type) => hasType(value, type))) return at(`Must be ${types.map(article).join(' or ')}.`);
  return [];
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function article(type: string): string {
  switch (type) {
    case 'string':
      return 'text';
    case 'integer':
      return 'a whole number';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'true or false';
    case 'array':
      return 'a list';
    case 'object':
      return 'an object';
    default:
      return type;
  }
}

function checkText(schema: Schema, text: string, at: At): Fault[] {
  const chars = [...text].length;
  if (typeof schema.minLength === 'number' && chars < schema.minLength) {
    return at(schema.minLength === 1 ? 'Must not be empty.' : `Must have at least ${schema.minLength} characters.`);
  }
  if (typeof schema.maxLength === 'number' && chars > schema.maxLength) {
    return at(`Must have at most ${schema.maxLength} characters; it has ${chars}.`);
  }
  if (typeof schema.pattern === 'string' && !matches(schema.pattern, text)) {
    return at(`Must match ${schema.pattern}`);
  }
  if (typeof schema.format === 'string' && !hasFormat(schema.format, text)) {
    return at(`Must be ${FORMATS[schema.format]?.words ?? schema.format}.`);
  }
  return [];
}

/** A pattern that this browser cannot read is the server's business. */
function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

const FORMATS: { [format: string]: { words: string; fits: (text: string) => boolean } } = {
  date: { words: 'a date such as 2025-01-31', fits: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) },
  'date-time': {
    words: 'a time such as 2025-01-31T12:00:00Z',
    fits: (text) => /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text),
  },
  time: { words: 'a time such as 12:00:00Z', fits: (text) => /^\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)?$/.test(text) },
  email: { words: 'an e-mail address', fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text) },
  uri: { words: 'an address that begins with its scheme (mailto:, file:, …)', fits: isUrl },
  url: { words: 'an address that begins with its scheme (mailto:, file:, …)', fits: isUrl },
  uuid: { words: 'a UUID', fits: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) },
  ipv4: { words: 'an IPv4 address', fits: (text) => /^(\d{1,3}\.){3}\d{1,3}$/.test(text) && text.split('.').every((part) => Number(part) < 256) },
};

function hasFormat(format: string, text: string): boolean {
  return FORMATS[format]?.fits(text) ?? true;
}

function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(text) && URL.canParse(text);
}

function checkNumber(schema: Schema, value: number, at: At): Fault[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === 'number' && value < minimum) return at(`Must be at least ${minimum}.`);
  if (typeof maximum === 'number' && value > maximum) return at(`Must be at most ${maximum}.`);
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) return at(`Must be more than ${exclusiveMinimum}.`);
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) return at(`Must be less than ${exclusiveMaximum}.`);
  if (typeof multipleOf === 'number' && multipleOf > 0) {
    const parts = value / multipleOf;
    if (Math.abs(parts - Math.round(parts)) > 1e-9) return at(`Must be a multiple of ${multipleOf}.`);
  }
  return [];
}

function checkList(schema: Schema, list: unknown[], path: Path, deeper: Deeper): Fault[] {
  const faults = list.flatMap((item, at) => deeper(itemOf(schema, at), item, [...path, at]));
  const { minItems, maxItems } = schema;
  if (typeof minItems === 'number' && list.length < minItems) faults.push({ path, message: `Needs at least ${items(minItems)}.` });
  if (typeof maxItems === 'number' && list.length > maxItems) faults.push({ path, message: `May have at most ${items(maxItems)}.` });
  if (schema.uniqueItems === true && list.some((item, at) => list.slice(0, at).some((other) => isSame(item, other)))) {
    faults.push({ path, message: 'Items must be unique.' });
  }
  return faults;
}

function items(count: number): string {
  return count === 1 ? '1 item' : `${count} items`;
}

function checkObject(schema: Schema, fields: { [name: string]: unknown }, path: Path, deeper: Deeper): Fault[] {
  const faults: Fault[] = [];
  for (const name of requiredOf(schema)) {
    if (!(name in fields)) faults.push({ path: [...path, name], message: 'Required.', isMissing: true });
  }
  const named = isObject(schema.properties) ? schema.properties : {};
  const patterns = isObject(schema.patternProperties) ? Object.entries(schema.patternProperties) : [];
  for (const [name, value] of Object.entries(fields)) {
    const place = [...path, name];
    const fitting = patterns.filter(([pattern]) => matches(pattern, name));
    if (name in named) faults.push(...deeper(named[name], value, place));
    for (const [, part] of fitting) faults.push(...deeper(part, value, place));
    if (name in named || fitting.length) continue;
    if (schema.additionalProperties === false) faults.push({ path: place, message: `Unknown field '${name}'.` });
    else faults.push(...deeper(furtherOf(schema) ?? {}, value, place));
  }
  return [...faults, ...checkNames(schema, fields, path)];
}

function checkNames(schema: Schema, fields: { [name: string]: unknown }, path: Path): Fault[] {
  const faults: Fault[] = [];
  const count = Object.keys(fields).length;
  const { minProperties, maxProperties } = schema;
  if (typeof minProperties === 'number' && count < minProperties) faults.push({ path, message: `Needs at least ${minProperties} fields.` });
  if (typeof maxProperties === 'number' && count > maxProperties) faults.push({ path, message: `May have at most ${maxProperties} fields.` });
  for (const [name, needed] of Object.entries(isObject(schema.dependentRequired) ? schema.dependentRequired : {})) {
    if (!(name in fields) || !Array.isArray(needed)) continue;
    for (const other of needed) {
      if (!(String(other) in fields)) faults.push({ path: [...path, String(other)], message: `Required together with '${name}'.` });
    }
  }
  return faults;
}

/** Schemas that are made of schemas. */
function checkParts(schema: Schema, value: unknown, path: Path, deeper: Deeper): Fault[] {
  const faults: Fault[] = [];
  const list = (word: string) => (Array.isArray(schema[word]) ? (schema[word] as unknown[]) : []);
  for (const part of list('allOf')) faults.push(...deeper(part, value, path));
  const tried = (word: string) => list(word).map((part) => deeper(part, value, path));
  const any = tried('anyOf');
  if (any.length && any.every((found) => found.length)) faults.push(...nearest(any));
  const one = tried('oneOf');
  const fitting = one.filter((found) => found.length === 0).length;
  if (one.length && fitting === 0) faults.push(...nearest(one));
  if (fitting > 1) faults.push({ path, message: 'Matches more than one of the choices; exactly one must match.' });
  if ('not' in schema && deeper(schema.not, value, path).length === 0) faults.push({ path, message: 'This value is not allowed.' });
  if ('if' in schema) {
    const branch = deeper(schema.if, value, path).length === 0 ? schema.then : schema.else;
    if (branch !== undefined) faults.push(...deeper(branch, value, path));
  }
  return faults;
}

/** Of several tries, the one whose faults lie deepest is what was meant. */
function nearest(tries: Fault[][]): Fault[] {
  const depth = (faults: Fault[]) => Math.max(...faults.map((fault) => fault.path.length));
  return [...tries].sort((one, other) => depth(other) - depth(one) || one.length - other.length)[0] ?? [];
}
