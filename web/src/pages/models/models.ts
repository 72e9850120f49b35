// Models as the page shows them: in order, by words, and what the doctor's verdicts mean. Knows no screen.

import type { Schemas } from '../../wire/http';
import type { Tone } from '../../ui/Badge.svelte';
import { hasWords } from '../parts/words';

export type Model = Schemas['Model'];
export type Findings = Schemas['Findings'];
export type Finding = Findings['findings'][number];

export interface ModelFilter {
  text: string;
  provider: string;
  isReady: boolean;
}

/** Ready ones first, the default before them; then by name. */
export function shownModels(models: readonly Model[], filter: ModelFilter): Model[] {
  const rank = (model: Model) => (model.is_default ? 0 : 1) + (model.is_ready ? 0 : 2);
  return models
    .filter((model) => (!filter.isReady || model.is_ready) && (filter.provider === '' || providerOf(model) === filter.provider))
    .filter((model) => hasWords(filter.text, model.name, model.provider))
    .sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
}

export function providerOf(model: Model): string {
  return model.provider || model.name.split('/')[0] || model.name;
}

/** The name without its provider and, for a script, without its folders. */
export function shortName(model: Model): string {
  const own = model.name.slice(model.name.indexOf('/') + 1);
  return providerOf(model) === 'scripted' ? (own.split('/').at(-1) ?? own) : own;
}

export function verdictTone(verdict: string): Tone {
  switch (verdict) {
    case 'pass':
      return 'good';
    case 'fail':
      return 'bad';
    case 'unsure':
      return 'warn';
    default:
      return 'neutral';
  }
}

/** `12 passed, 2 failed`: in the order of what matters. */
export function summaryOf(findings: readonly Finding[]): string {
  const words: [string, string][] = [['pass', 'passed'], ['fail', 'failed'], ['unsure', 'unsure'], ['skipped', 'skipped']];
  const counted = words.map(([verdict, word]) => [findings.filter((finding) => finding.verdict === verdict).length, word] as const);
  return counted.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`).join(', ');
}
