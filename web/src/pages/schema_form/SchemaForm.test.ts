import { flushSync, mount, unmount } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import { check } from './check';
import type { JsonObject, Schema } from './schema';
import Harness from './FormStage.test.svelte';

let stage: { value: JsonObject; set(value: JsonObject): void } | null = null;
afterEach(() => {
  if (stage) void unmount(stage);
  stage = null;
  document.body.innerHTML = '';
});

function show(schema: Schema, value: JsonObject = {}): void {
  stage = mount(Harness, { target: document.body, props: { schema, first: value } }) as unknown as typeof stage;
  flushSync();
}
const value = () => stage?.value;
const at = (id: string) => {
  const element = document.getElementById(`f-${id}`);
  if (!element) throw new Error(`there is no f-${id}: ${[...document.querySelectorAll('[id]')].map((found) => found.id).join(' ')}`);
  return element as HTMLInputElement;
};
const button = (name: string) => {
  const found = [...document.querySelectorAll('button')].find((element) => (element.getAttribute('aria-label') ?? element.textContent ?? '').replace(/\s+/g, ' ').trim() === name);
  if (!found) throw new Error(`there is no button ${name}`);
  return found;
};
const press = (name: string) => {
  button(name).click();
  flushSync();
};
function type(id: string, text: string): void {
  at(id).value = text;
  at(id).dispatchEvent(new Event('input', { bubbles: true }));
  flushSync();
}
function choose(element: Element | null, chosen: string): void {
  (element as HTMLSelectElement).value = chosen;
  element?.dispatchEvent(new Event('change', { bubbles: true }));
  flushSync();
}

describe('a form made from a schema', () => {
  it('tells an empty text from one that is left out', () => {
    show({ type: 'object', properties: { name: { type: 'string' } } });
    expect(value()).toEqual({});
    press('Set to empty name');
    expect(value()).toEqual({ name: '' });
    type('name', 'rope');
    expect(value()).toEqual({ name: 'rope' });
    press('Clear name');
    expect(value()).toEqual({});
  });

  it('keeps what was typed for a number as it was typed', () => {
    show({ type: 'object', properties: { size: { type: 'number' }, count: { type: 'integer' } } });
    type('size', '1.50');
    type('count', 'many');
    expect([at('size').value, value()]).toEqual(['1.50', { size: 1.5, count: 'many' }]);
    expect(document.getElementById('f-count-fault')?.textContent).toContain('Must be a whole number.');
    type('count', '');
    expect(value()).toEqual({ size: 1.5 });
  });

  it('has three states for true, false and left out', () => {
    show({ type: 'object', properties: { deep: { type: 'boolean', default: true } } });
    const radios = () => [...document.querySelectorAll<HTMLInputElement>('input[type=radio]')];
    expect(radios().map((radio) => radio.checked)).toEqual([false, false, true]);
    radios()[1]?.click();
    flushSync();
    expect(value()).toEqual({ deep: false });
  });

  it('takes null where it may stand, and gives it back', () => {
    show({ type: 'object', properties: { note: { type: ['string', 'null'] } }, required: ['note'] }, { note: 'x' });
    const box = document.querySelector<HTMLInputElement>('input[type=checkbox]');
    box?.click();
    flushSync();
    expect(value()).toEqual({ note: null });
    box?.click();
    flushSync();
    expect(value()).toEqual({ note: '' });
  });

  it('adds, moves and removes items of a list', () => {
    show({ type: 'object', properties: { words: { type: 'array', items: { type: 'string' }, maxItems: 3 } } });
    press('Add words');
    press('Add to words');
    press('Add to words');
    type('words-0', 'one');
    type('words-1', 'two');
    expect(value()).toEqual({ words: ['one', 'two'] });
    press('Move words 2 up');
    expect(value()).toEqual({ words: ['two', 'one'] });
    expect(at('words-0').value).toBe('two');
    press('Add to words');
    expect(button('Add to words').disabled).toBe(true);
    press('Remove words 1');
    expect(value()).toEqual({ words: ['one', ''] });
  });

  it('has rows for names that the schema does not know', () => {
    show({ type: 'object', properties: { env: { type: 'object', additionalProperties: { type: 'string' } } } });
    press('Add env');
    press('Add a field');
    const name = () => document.querySelector<HTMLInputElement>('input[id*="-row-"]');
    expect(document.body.textContent).toContain('Not sent without a name.');
    expect(value()).toEqual({ env: {} });
    const box = name();
    if (!box) throw new Error('no row');
    box.value = 'HOME';
    box.dispatchEvent(new Event('input', { bubbles: true }));
    flushSync();
    type('env-HOME', '/there');
    expect(value()).toEqual({ env: { HOME: '/there' } });
    press('Remove HOME');
    expect(value()).toEqual({ env: {} });
  });

  it('offers the ways of a choice, and follows what is written by hand', () => {
    const schema = {
      type: 'object',
      properties: { place: { oneOf: [{ type: 'integer' }, { type: 'object', properties: { line: { type: 'integer' } }, required: ['line'] }] } },
    };
    show(schema);
    press('Add place');
    expect(value()).toEqual({ place: 0 });
    choose(at('place'), '1');
    expect(value()).toEqual({ place: {} });
    type('place-line', '7');
    expect(value()).toEqual({ place: { line: 7 } });
    stage?.set({ place: 3 });
    flushSync();
    expect(at('place').value).toBe('0');
    expect(check(schema, value(), schema)).toEqual([]);
  });

  it('follows references, fixed values and lists of values', () => {
    show({
      $defs: { size: { enum: ['small', 'large'] } },
      type: 'object',
      properties: { kind: { const: 'rope' }, size: { $ref: '#/$defs/size', description: 'How large' } },
      required: ['kind', 'size'],
    }, { kind: 'rope' });
    expect(document.body.textContent).toContain('"rope"');
    expect(document.body.textContent).toContain('How large');
    choose(at('size'), '1');
    expect(value()).toEqual({ kind: 'rope', size: 'large' });
  });

  it('takes any JSON by hand, and says when it is none', () => {
    show({ type: 'object', properties: { extra: {} } });
    press('Add extra');
    type('extra', '{"a": [1');
    expect(document.getElementById('f-extra-unread')?.textContent).toContain('Not valid JSON');
    expect(document.querySelector('output')?.textContent).toBe('unread');
    type('extra', '{"a": [1]}');
    expect(value()).toEqual({ extra: { a: [1] } });
    expect(document.querySelector('output')?.textContent).toBe('read');
  });
});
