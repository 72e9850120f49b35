import { describe, expect, it } from 'vitest';
import { check } from './check';
import { furtherOf, propertiesOf, resolve, shapeOf, type Schema } from './schema';
import { addedValue, firstValue, isSame, moved, nameOfPath, pathOfField, withField } from './value';

const faults = (schema: Schema, value: unknown) =>
  check(schema, value, schema).map((fault) => `${nameOfPath(fault.path) || '(whole)'}: ${fault.message}`);

describe('the kind of a field', () => {
  const kind = (schema: unknown, name = '') => shapeOf(schema, {}, name).kind;

  it('is a line, or a text for names and sizes that hold one', () => {
    expect(kind({ type: 'string' }, 'path')).toBe('text');
    expect(kind({ type: 'string' }, 'content')).toBe('long_text');
    expect(kind({ type: 'string', maxLength: 65536 }, 'anything')).toBe('long_text');
    expect(kind({ type: 'string', format: 'uri', maxLength: 65536 }, 'link')).toBe('text');
  });

  it('is what the schema names, or what its words speak of', () => {
    expect(kind({ type: 'integer' })).toBe('integer');
    expect(kind({ minimum: 3 })).toBe('number');
    expect(kind({ properties: {} })).toBe('object');
    expect(kind({ items: {} })).toBe('array');
    expect(kind({ enum: [1, 2] })).toBe('enum');
    expect(kind({ const: 'x' })).toBe('const');
    expect(kind({ type: 'null' })).toBe('null');
    expect(kind({})).toBe('any');
    expect(kind(true)).toBe('any');
  });

  it('may be null in three ways of writing', () => {
    for (const schema of [
      { type: ['string', 'null'] },
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      { oneOf: [{ type: 'null' }, { type: 'string' }] },
    ]) {
      const shape = shapeOf(schema, {});
      expect([shape.kind, shape.isNullable]).toEqual(['text', true]);
    }
  });

  it('is a choice with labels that tell the branches apart', () => {
    const shape = shapeOf(
      {
        oneOf: [
          { type: 'string' },
          { type: 'object', properties: { kind: { const: 'circle' } } },
          { type: 'object', required: ['a', 'b'] },
          { title: 'Nothing at all', type: 'null' },
        ],
      },
      {},
    );
    expect(shape.branches.map((branch) => branch.label)).toEqual(['text', 'circle', 'object with a, b', 'Nothing at all']);
    expect(shapeOf({ type: ['string', 'integer'] }, {}).branches.map((branch) => branch.label)).toEqual(['text', 'whole number']);
  });

  it('is not a choice where branches only say which names are needed', () => {
    const schema = { type: 'object', properties: { a: {}, b: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] };
    expect(kind(schema)).toBe('object');
  });

  it('joins the parts of allOf', () => {
    const shape = shapeOf(
      { allOf: [{ type: 'object', properties: { a: {} }, required: ['a'] }, { properties: { b: {} }, required: ['b'] }] },
      {},
    );
    expect(propertiesOf(shape.schema).map((property) => [property.name, property.isRequired])).toEqual([['a', true], ['b', true]]);
  });
});

describe('references', () => {
  const root: Schema = {
    $defs: { name: { type: 'string', minLength: 2 }, 'a/b': { type: 'integer' }, loop: { $ref: '#/$defs/loop' } },
    type: 'object',
    properties: { child: { $ref: '#' }, name: { $ref: '#/$defs/name', description: 'here' } },
  };

  it('are followed, with the words that stand beside them', () => {
    expect(resolve({ $ref: '#/$defs/name', description: 'here' }, root)).toEqual({ type: 'string', minLength: 2, description: 'here' });
    expect(resolve({ $ref: '#/$defs/a~1b' }, root)).toEqual({ type: 'integer' });
  });

  it('that lead in a circle or nowhere say nothing', () => {
    expect(shapeOf({ $ref: '#/$defs/loop' }, root).kind).toBe('any');
    expect(shapeOf({ $ref: '#/$defs/missing' }, root).kind).toBe('any');
    expect(shapeOf({ $ref: 'https://elsewhere.example/x' }, root).kind).toBe('any');
  });

  it('to the whole schema end with the value', () => {
    expect(faults(root, { child: { child: { name: 'x' } } })).toEqual(['child › child › name: Must have at least 2 characters.']);
  });
});

describe('the first value', () => {
  it('has what must be there and is known, and leaves out the rest', () => {
    const schema = {
      type: 'object',
      properties: {
        path: { type: 'string' },
        depth: { type: 'integer', default: 3 },
        count: { type: 'integer', default: 1 },
        kind: { const: 'file' },
        edits: { type: 'array', minItems: 1, items: { type: 'object', properties: { new: { type: 'string' } }, required: ['new'] } },
        place: { type: 'object', properties: { line: { type: 'integer', default: 0 } }, required: ['line'] },
      },
      required: ['path', 'count', 'kind', 'edits', 'place'],
    };
    expect(firstValue(schema, schema, true)).toEqual({ count: 1, kind: 'file', edits: [{}], place: { line: 0 } });
  });

  it('of a field that is added is the default, or the plainest value of its kind', () => {
    expect(addedValue({ type: 'integer', default: 60 }, {})).toBe(60);
    expect(addedValue({ type: 'integer', minimum: 5 }, {})).toBe(5);
    expect(addedValue({ type: 'string' }, {})).toBe('');
    expect(addedValue({ enum: ['a', 'b'] }, {})).toBe('a');
    expect(addedValue({ oneOf: [{ type: 'array' }, { type: 'string' }] }, {})).toEqual([]);
  });

  it('of a schema that holds itself is not endless', () => {
    const root: Schema = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] };
    expect(JSON.stringify(firstValue(root, root, true)).length).toBeLessThan(200);
  });
});

describe('a check', () => {
  it('finds the field that is needed and the one that is too much', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };
    expect(faults(schema, { b: 1 })).toEqual(['a: Required.', "b: Unknown field 'b'."]);
  });

  it.each([
    [{ type: 'integer' }, 1.5, 'Must be a whole number.'],
    [{ type: 'integer' }, 'one', 'Must be a whole number.'],
    [{ type: ['string', 'null'] }, 3, 'Must be text or null.'],
    [{ minimum: 2 }, 1, 'Must be at least 2.'],
    [{ maximum: 2 }, 3, 'Must be at most 2.'],
    [{ exclusiveMinimum: 2 }, 2, 'Must be more than 2.'],
    [{ multipleOf: 0.1 }, 0.25, 'Must be a multiple of 0.1.'],
    [{ minLength: 1 }, '', 'Must not be empty.'],
    [{ maxLength: 2 }, 'äöü', 'Must have at most 2 characters; it has 3.'],
    [{ pattern: '^[0-9a-f]+$' }, 'xyz', 'Must match ^[0-9a-f]+$'],
    [{ format: 'date' }, '31.1.2025', 'Must be a date such as 2025-01-31.'],
    [{ format: 'uri' }, 'example.org', 'Must be an address that begins with its scheme (mailto:, file:, …).'],
    [{ enum: ['a', 'b'] }, 'c', 'Must be one of "a", "b".'],
    [{ const: 1 }, 2, 'Must be 1.'],
    [{ minItems: 1 }, [], 'Needs at least 1 item.'],
    [{ uniqueItems: true }, [1, 1], 'Items must be unique.'],
    [{ oneOf: [{ type: 'integer' }, { minimum: 0 }] }, 3, 'Matches more than one of the choices; exactly one must match.'],
    [{ not: { type: 'string' } }, 'x', 'This value is not allowed.'],
  ])('says what is wrong: %j with %j', (schema, value, message) => {
    expect(faults(schema as Schema, value)).toEqual([`(whole): ${message}`]);
  });

  it('lets pass what fits', () => {
    expect(faults({ multipleOf: 0.1 }, 0.3)).toEqual([]);
    expect(faults({ type: 'integer' }, 2.0)).toEqual([]);
    expect(faults({ pattern: '(?P<odd>x)' }, 'y')).toEqual([]);
    expect(faults({ format: 'unheard-of' }, 'y')).toEqual([]);
  });

  it('points into lists and to the branch that was meant', () => {
    const schema = {
      type: 'array',
      items: { anyOf: [{ type: 'string' }, { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }] },
    };
    expect(faults(schema, ['a', { n: 'x' }])).toEqual(['2 › n: Must be a whole number.']);
  });

  it('looks at names by pattern and at those that are not named', () => {
    const schema = { type: 'object', patternProperties: { '^n_': { type: 'integer' } }, additionalProperties: { type: 'string' } };
    expect(faults(schema, { n_a: 'x', other: 1 })).toEqual(['n_a: Must be a whole number.', 'other: Must be text.']);
    expect(furtherOf(schema)).toEqual({ type: 'string' });
  });
});

describe('values', () => {
  it('are changed without touching what was there', () => {
    const before = { a: 1, b: 2 };
    expect(withField(before, 'a', undefined)).toEqual({ b: 2 });
    expect(withField(before, 'c', null)).toEqual({ a: 1, b: 2, c: null });
    expect(before).toEqual({ a: 1, b: 2 });
    expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b']);
    expect(moved(['a'], 0, 1)).toEqual(['a']);
  });

  it('are found by the name that the server gives', () => {
    expect(pathOfField('edits/0/new')).toEqual(['edits', 0, 'new']);
    expect(pathOfField('args')).toEqual([]);
    expect(nameOfPath(['edits', 0, 'new'])).toBe('edits › 1 › new');
  });

  it('are the same whatever the order of their names', () => {
    expect(isSame({ a: [1, { b: 2 }], c: 3 }, { c: 3, a: [1, { b: 2 }] })).toBe(true);
    expect(isSame({ a: 1 }, { b: 1 })).toBe(false);
  });
});
