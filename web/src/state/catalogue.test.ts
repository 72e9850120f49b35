import { expect, it } from 'vitest';
import type { Tool } from '../wire/api';
import { freeModel, groupTools, Listed, sortModels, type Model } from './catalogue.svelte';

const model = (name: string, is_ready = true, is_default = false): Model => ({ name, provider: name.split('/')[0] ?? '', is_ready, is_default });
const models = [model('a/late', false), model('b/two'), model('a/one'), model('c/usual', true, true)];

it('puts the usual model first, then ready ones, then the others, by name', () => {
  expect(sortModels(models, '').map((row) => row.name)).toEqual(['c/usual', 'a/one', 'b/two', 'a/late']);
});

it('finds models by all the words in any order', () => {
  expect(sortModels(models, 'ONE a/').map((row) => row.name)).toEqual(['a/one']);
});

it('takes any provider/model that is not on the list as it is typed', () => {
  expect(freeModel(models, ' x/y:free/z ')).toBe('x/y:free/z');
  expect(freeModel(models, 'a/one')).toBeNull();
  expect(freeModel(models, 'one')).toBeNull();
  expect(freeModel(models, 'a /b')).toBeNull();
});

it('shows tools by category, search first, without empty ones', () => {
  const tool = (name: string, category: Tool['category']) => ({ name, category }) as Tool;
  const groups = groupTools([tool('z', 'other'), tool('b', 'search'), tool('a', 'search')]);
  expect(groups.map((group) => group.tools.map((row) => row.name))).toEqual([['a', 'b'], ['z']]);
});

it('reads a list once for all who need it, and again after it failed', async () => {
  let asked = 0;
  const list = new Listed(async () => {
    asked += 1;
    if (asked === 1) throw new Error('away');
    return [asked];
  });
  await Promise.all([list.need(), list.need()]);
  expect([asked, list.isLoaded, list.problem !== null]).toEqual([1, false, true]);
  await list.need();
  await list.need();
  expect([asked, list.rows, list.problem]).toEqual([2, [2], null]);
});
