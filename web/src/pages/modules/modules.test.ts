import { describe, expect, it } from 'vitest';
import type { Module } from '../../wire/api';
import { FIRST_MANIFEST, FIRST_MODULE } from './first';
import { filterModules, formSchema, outputsOf, scoreOf } from './modules';

function module(id: string, more: Partial<Module> = {}): Module {
  return {
    module_id: id,
    model: `module/${id}`,
    predictor: 'predict',
    instruction: '',
    inputs: [],
    outputs: [],
    inputs_schema: {},
    outputs_schema: {},
    demos: 0,
    has_tools: false,
    tags: [],
    version: '1',
    optimizer: '',
    ...more,
  };
}

describe('modules', () => {
  it('are found by their names, tags and instructions, all words together', () => {
    const all = [module('sort.mail', { tags: ['office'] }), module('npc.haggle', { instruction: 'Haggle over the price.' })];
    const names = (text: string) => filterModules(all, text).map((row) => row.module_id);
    expect(names('')).toEqual(['sort.mail', 'npc.haggle']);
    expect(names('OFFICE mail')).toEqual(['sort.mail']);
    expect(names('haggle price')).toEqual(['npc.haggle']);
    expect(names('mail price')).toEqual([]);
  });

  it('say how good they are only where somebody measured it', () => {
    expect(scoreOf(module('a'))).toBe('');
    expect(scoreOf(module('a', { metric_score: 0.816 }))).toBe('82 %');
  });

  it('ask for the inputs that a person gives and not for those that the run fills in', () => {
    const own = module('a', {
      inputs: [{ name: 'query', field_type: 'string' }],
      inputs_schema: {
        type: 'object',
        properties: { query: { type: 'string' }, available_tools: {} },
        required: ['query', 'available_tools'],
      },
    });
    expect(formSchema(own)).toEqual({ type: 'object', properties: { query: { type: 'string' } }, required: ['query'] });
  });
});

describe('outputs', () => {
  const own = module('a', { outputs: [{ name: 'reasoning', field_type: 'string' }, { name: 'price', field_type: 'integer' }] });

  it('come in the order of the signature, text as it is and the rest as JSON', () => {
    expect(outputsOf(own, '{"extra":[1],"price":7,"reasoning":"a\\nb"}')).toEqual([
      { name: 'reasoning', text: 'a\nb', isJson: false },
      { name: 'price', text: '7', isJson: true },
      { name: 'extra', text: '[\n  1\n]', isJson: true },
    ]);
  });

  it('are none where the answer is no object', () => {
    for (const answer of ['', 'Hello', '[1]', 'null', '"text"']) expect(outputsOf(own, answer)).toBeNull();
  });
});

describe('the first module', () => {
  it('is what its manifest names', () => {
    const manifest = JSON.parse(FIRST_MANIFEST) as { modules: { [id: string]: { path: string } } };
    const first = JSON.parse(FIRST_MODULE) as { module_id: string; signature: { inputs: object[] } };
    expect(Object.keys(manifest.modules)).toEqual([first.module_id]);
    expect(first.signature.inputs).toHaveLength(1);
  });
});
