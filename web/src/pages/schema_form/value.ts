// Values of a form: what is there at first, and changes that leave what was handed out as it was.

import { isObject, itemOf, propertiesOf, shapeOf, type Json, type JsonObject, type Schema } from './schema';

/** Where a value stands: names of fields and places in lists. */
export type Path = (string | number)[];

/** Objects in objects are made ready so far; deeper ones when somebody adds them. */
const DEPTH_MAX = 6;

/** What a field holds before anybody fills it in; nothing where only the user can know. */
export function firstValue(schema: unknown, root: Schema, isNeeded: boolean, depth = 0): Json | undefined {
  const shape = shapeOf(schema, root);
  if (shape.kind === 'const') return isNeeded ? (shape.schema.const as Json) : undefined;
  if (!isNeeded || depth > DEPTH_MAX) return undefined;
  if ('default' in shape.schema) return shape.schema.default as Json;
  switch (shape.kind) {
    case 'object':
      return firstObject(shape.schema, root, depth);
    case 'array':
      return firstList(shape.schema, root, depth);
    case 'null':
      return null;
    default:
      return undefined;
  }
}

/** What a field holds once somebody says that it is to be sent. */
export function addedValue(schema: unknown, root: Schema): Json {
  const first = firstValue(schema, root, true);
  if (first !== undefined) return first;
  const shape = shapeOf(schema, root);
  switch (shape.kind) {
    case 'text':
    case 'long_text':
      return '';
    case 'integer':
    case 'number':
      return typeof shape.schema.minimum === 'number' ? shape.schema.minimum : 0;
    case 'boolean':
      return false;
    case 'enum':
      return (shape.schema.enum as Json[])[0] ?? null;
    case 'choice':
      return addedValue(shape.branches[0]?.schema, root);
    case 'array':
      return [];
    case 'object':
      return {};
    case 'const':
      return shape.schema.const as Json;
    case 'null':
    case 'any':
      return null;
  }
}

function firstObject(schema: Schema, root: Schema, depth: number): JsonObject {
  const fields: JsonObject = {};
  for (const { name, schema: property, isRequired } of propertiesOf(schema)) {
    const value = firstValue(property, root, isRequired, depth + 1);
    if (value !== undefined) fields[name] = value;
  }
  return fields;
}

function firstList(schema: Schema, root: Schema, depth: number): Json[] {
  const count = Math.min(typeof schema.minItems === 'number' ? schema.minItems : 0, 20);
  if (depth > DEPTH_MAX) return [];
  return Array.from({ length: count }, (_, at) => addedValue(itemOf(schema, at), root));
}

/** The object with another field; `undefined` takes the field out. Names keep their order. */
export function withField(fields: JsonObject, name: string, value: Json | undefined): JsonObject {
  if (value !== undefined) return { ...fields, [name]: value };
  const { [name]: _gone, ...rest } = fields;
  return rest;
}

/** The list with the item at `from` moved to `to`. */
export function moved(list: Json[], from: number, to: number): Json[] {
  const item = list[from];
  if (item === undefined || to < 0 || to >= list.length) return list;
  const rest = list.filter((_, at) => at !== from);
  return [...rest.slice(0, to), item, ...rest.slice(to)];
}

/** `edits/0/new`, as the server names a field. */
export function pathOfField(field: string): Path {
  if (field === '' || field === 'args') return [];
  const parts = field.replace(/^\//, '').split('/');
  return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~')));
}

/** `edits › 1 › new`, as the form names it. */
export function nameOfPath(path: Path): string {
  return path.map((part) => (typeof part === 'number' ? String(part + 1) : part)).join(' › ');
}

export function keyOfPath(path: Path): string {
  return JSON.stringify(path.map(String));
}

export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => isSame(item, other[at]));
  }
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => name in other && isSame(one[name], other[name]));
}
