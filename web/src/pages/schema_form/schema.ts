// What a JSON Schema asks for, as a form shows it: references followed, one kind a field. Knows no screen.

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };
/** A schema as it is written; `true` and `false` are schemas too. */
export type Schema = { [word: string]: unknown };

/** The control that a field gets. */
export type FieldKind =
  | 'text'
  | 'long_text'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'enum'
  | 'const'
  | 'array'
  | 'object'
  | 'choice'
  | 'null'
  | 'any';

/** A field of a form. */
export interface Shape {
  kind: FieldKind;
  /** The schema that holds, without references. */
  schema: Schema;
  /** Whether `null` may be sent instead. */
  isNullable: boolean;
  /** The ways to fill it in, for a choice. */
  branches: Branch[];
}

/** What a control for one plain value is given. */
export interface PlainField {
  shape: Shape;
  id: string;
  /** The id of what describes it. */
  described: string;
  value: Json | undefined;
  onchange: (value: Json | undefined) => void;
}

export interface Branch {
  label: string;
  schema: Schema;
}

/** Names that hold texts of several lines. */
const LONG_NAMES = new Set([
  'body', 'code', 'command', 'content', 'diff', 'message', 'new', 'old', 'patch', 'prompt', 'script', 'source',
  'template', 'text',
]);
/** A text that may be longer than this is not written in one line. */
const LINE_CHARS_MAX = 4000;
/** References that lead to references are followed so far. */
const REFERENCES_MAX = 16;

/** A schema with its reference followed; words beside the reference count too. */
export function resolve(schema: unknown, root: Schema): Schema {
  let found = asSchema(schema);
  for (let hops = 0; typeof found.$ref === 'string' && hops < REFERENCES_MAX; hops += 1) {
    const { $ref, ...beside } = found;
    found = { ...lookUp(String($ref), root), ...beside };
  }
  return found;
}

/** `true` says nothing, `false` refuses everything. */
function asSchema(schema: unknown): Schema {
  if (schema === false) return { not: {} };
  return isObject(schema) ? schema : {};
}

function lookUp(reference: string, root: Schema): Schema {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return {};
  let place: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    place = isObject(place) ? place[name] : Array.isArray(place) ? place[Number(name)] : undefined;
  }
  return asSchema(place);
}

/** How a field is shown; `name` helps to tell a line from a text. */
export function shapeOf(schema: unknown, root: Schema, name = ''): Shape {
  const found = merged(resolve(schema, root), root);
  const types = typesOf(found);
  const isNullable = types.includes('null');
  const plain = (kind: FieldKind): Shape => ({ kind, schema: found, isNullable, branches: [] });
  if ('const' in found) return plain('const');
  if (Array.isArray(found.enum)) {
    return { kind: 'enum', schema: found, isNullable: found.enum.includes(null), branches: [] };
  }
  const choices = choicesOf(found, root);
  if (choices) return choices;
  const wanted = types.filter((type) => type !== 'null');
  if (wanted.length > 1) return { ...plain('choice'), isNullable: false, branches: branchesOfTypes(found, types) };
  const only = wanted[0];
  if (only === undefined) return plain(isNullable ? 'null' : 'any');
  return plain(kindOf(only, found, name));
}

function kindOf(type: string, schema: Schema, name: string): FieldKind {
  switch (type) {
    case 'string':
      return isLong(schema, name) ? 'long_text' : 'text';
    case 'integer':
    case 'number':
    case 'boolean':
    case 'array':
    case 'object':
      return type;
    default:
      return 'any';
  }
}

function isLong(schema: Schema, name: string): boolean {
  if (typeof schema.pattern === 'string' || typeof schema.format === 'string') return false;
  return LONG_NAMES.has(name) || (typeof schema.maxLength === 'number' && schema.maxLength > LINE_CHARS_MAX);
}

/** The types that a schema names, or those that its other words speak of. */
export function typesOf(schema: Schema): string[] {
  if (typeof schema.type === 'string') return [schema.type];
  if (Array.isArray(schema.type)) return schema.type.filter((type) => typeof type === 'string');
  if (isObject(schema.properties) || 'additionalProperties' in schema || 'required' in schema) return ['object'];
  if ('items' in schema || 'prefixItems' in schema) return ['array'];
  if ('pattern' in schema || 'minLength' in schema || 'maxLength' in schema) return ['string'];
  if ('minimum' in schema || 'maximum' in schema || 'multipleOf' in schema) return ['number'];
  return [];
}

/** `allOf` as one schema, as far as a form needs it: properties and required names are joined. */
function merged(schema: Schema, root: Schema): Schema {
  if (!Array.isArray(schema.allOf)) return schema;
  const { allOf, ...own } = schema;
  return [...(allOf as unknown[]), own].reduce<Schema>((whole, part) => {
    const next = part === own ? own : merged(resolve(part, root), root);
    return {
      ...whole,
      ...next,
      ...joined('properties', whole, next),
      ...(Array.isArray(whole.required) && Array.isArray(next.required)
        ? { required: [...new Set([...whole.required, ...next.required])] }
        : {}),
    };
  }, {});
}

function joined(word: string, one: Schema, other: Schema): Schema {
  return isObject(one[word]) && isObject(other[word]) ? { [word]: { ...one[word], ...other[word] } } : {};
}

/** `oneOf` and `anyOf`: with `null` on one side it is no choice but a field that may be null. */
function choicesOf(schema: Schema, root: Schema): Shape | null {
  const list = Array.isArray(schema.oneOf) ? schema.oneOf : Array.isArray(schema.anyOf) ? schema.anyOf : null;
  if (!list) return null;
  const { oneOf: _oneOf, anyOf: _anyOf, ...beside } = schema;
  const resolved = list.map((branch) => resolve(branch, root));
  // Branches that only say which names are needed are checks, not ways to fill in.
  if (resolved.every((branch) => Object.keys(branch).every((word) => word === 'required' || word === 'not'))) return null;
  const isNull = (branch: Schema) => branch.type === 'null' || branch.const === null;
  const real = resolved.filter((branch) => !isNull(branch));
  const isNullable = real.length < resolved.length;
  const [first] = real;
  if (first && real.length === 1) {
    const inner = shapeOf({ ...first, ...beside }, root);
    return { ...inner, isNullable: isNullable || inner.isNullable };
  }
  const branches = resolved.map((branch, at) => ({ label: labelOf(branch, root, at), schema: withBeside(branch, beside) }));
  return { kind: 'choice', schema, isNullable: false, branches };
}

/** What stands beside a choice holds for each branch; properties are joined. */
function withBeside(branch: Schema, beside: Schema): Schema {
  const { title: _title, description: _description, default: _default, $defs: _defs, definitions: _old, ...rest } = beside;
  return { ...rest, ...branch, ...joined('properties', rest, branch) };
}

function branchesOfTypes(schema: Schema, types: string[]): Branch[] {
  return types.map((type) => ({ label: wordOfType(type), schema: { ...schema, type } }));
}

function labelOf(branch: Schema, root: Schema, at: number): string {
  if (typeof branch.title === 'string') return branch.title;
  if ('const' in branch) return JSON.stringify(branch.const);
  const shape = shapeOf(branch, root);
  const properties = isObject(branch.properties) ? Object.entries(branch.properties) : [];
  const tag = properties.map(([, property]) => resolve(property, root)).find((property) => 'const' in property);
  if (tag) return String(tag.const);
  const required = Array.isArray(branch.required) ? branch.required.join(', ') : '';
  if (shape.kind === 'object' && required) return `object with ${required}`;
  if (shape.kind === 'choice' || shape.kind === 'any') return `choice ${at + 1}`;
  return wordOfKind(shape.kind);
}

/** The plain word of a kind of field. */
export function wordOfKind(kind: FieldKind): string {
  switch (kind) {
    case 'text':
    case 'long_text':
      return 'text';
    case 'integer':
      return 'whole number';
    case 'number':
      return 'number';
    case 'boolean':
      return 'true or false';
    case 'enum':
      return 'one of a list';
    case 'const':
      return 'fixed value';
    case 'array':
      return 'list';
    case 'object':
      return 'object';
    case 'choice':
      return 'choice';
    case 'null':
      return 'null';
    case 'any':
      return 'any JSON';
  }
}

function wordOfType(type: string): string {
  switch (type) {
    case 'string':
      return 'text';
    case 'integer':
      return 'whole number';
    case 'boolean':
      return 'true or false';
    case 'array':
      return 'list';
    default:
      return type;
  }
}

/** The named fields of an object, those that are needed first. */
export function propertiesOf(schema: Schema): { name: string; schema: unknown; isRequired: boolean }[] {
  const required = requiredOf(schema);
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const rows = properties.map(([name, property]) => ({ name, schema: property, isRequired: required.includes(name) }));
  return [...rows.filter((row) => row.isRequired), ...rows.filter((row) => !row.isRequired)];
}

export function requiredOf(schema: Schema): string[] {
  return Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [];
}

/** The schema of names that an object does not have by itself; nothing where there may be none. */
export function furtherOf(schema: Schema): Schema | null {
  const further = schema.additionalProperties;
  if (further === false) return null;
  if (isObject(further)) return further;
  const patterns = isObject(schema.patternProperties) ? Object.values(schema.patternProperties) : [];
  if (patterns.length) return asSchema(patterns[0]);
  return further === true || !isObject(schema.properties) ? {} : null;
}

/** The schema of one place of a list. */
export function itemOf(schema: Schema, at: number): unknown {
  const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  return at < first.length ? first[at] : (schema.items ?? {});
}

export function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
