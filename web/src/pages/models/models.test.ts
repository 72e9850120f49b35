import { expect, it } from 'vitest';
import { providerOf, shortName, shownModels, summaryOf, type Finding, type Model } from './models';

const model = (name: string, more: Partial<Model> = {}): Model => ({ name, provider: '', is_default: false, is_ready: false, ...more });
const models = [
  model('openai/gpt'), model('anthropic/claude', { is_ready: true }), model('scripted//tmp/a.script', { is_default: true, is_ready: true }),
];
const names = (filter: Partial<Parameters<typeof shownModels>[1]>) =>
  shownModels(models, { text: '', provider: '', isReady: false, ...filter }).map((found) => found.name);

it('shows the default first, then ready ones, then by name', () => {
  expect(names({})).toEqual(['scripted//tmp/a.script', 'anthropic/claude', 'openai/gpt']);
  expect(names({ isReady: true })).toEqual(['scripted//tmp/a.script', 'anthropic/claude']);
  expect(names({ text: 'GPT' })).toEqual(['openai/gpt']);
  expect(names({ provider: 'anthropic' })).toEqual(['anthropic/claude']);
});

it('names a model without its provider and folders', () => {
  expect(models.map((found) => [providerOf(found), shortName(found)])).toEqual([
    ['openai', 'gpt'], ['anthropic', 'claude'], ['scripted', 'a.script'],
  ]);
  expect(shortName(model('builtin'))).toBe('builtin');
});

it('sums up what the doctor found', () => {
  const finding = (verdict: string) => ({ probe: 'x', title: 'x', verdict, meaning: 'x' }) as Finding;
  expect(summaryOf(['pass', 'fail', 'pass', 'skipped'].map(finding))).toBe('2 passed, 1 failed, 1 skipped');
});
