// What can be chosen from: the models and the tools of this server. Read when first needed, and again when the
// server came back.

import { models, tools, type Tool } from '../wire/api';
import { Refusal, type Schemas } from '../wire/http';

export type Model = Schemas['Model'];

/** One list: loaded once, loaded again on demand, with what went wrong. */
export class Listed<T> {
  rows = $state.raw<T[]>([]);
  isLoaded = $state(false);
  problem = $state<string | null>(null);
  private asked: Promise<void> | null = null;

  constructor(private readonly load: () => Promise<T[]>) {}

  /** Loads the list if that has not happened yet. */
  need(): Promise<void> {
    this.asked ??= this.read();
    return this.asked;
  }

  /** Loads it again; the old rows stay until the new ones are there. */
  again(): Promise<void> {
    this.asked = this.read();
    return this.asked;
  }

  private async read(): Promise<void> {
    try {
      this.rows = await this.load();
      this.isLoaded = true;
      this.problem = null;
    } catch (error) {
      this.asked = null;
      this.problem = error instanceof Refusal ? error.message : 'Could not load the list.';
    }
  }
}

export const catalogue = {
  models: new Listed<Model>(async () => (await models()).models),
  tools: new Listed<Tool>(async () => (await tools()).tools),
};

/** Models to choose from: ready ones first, then by name; only those that have all the words. */
export function sortModels(models: readonly Model[], typed: string): Model[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = (model: Model) => (model.is_ready ? 0 : 2) + (model.is_default ? 0 : 1);
  return models
    .filter((model) => words.every((word) => model.name.toLowerCase().includes(word)))
    .sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

/** The name that was typed, if it could be a model that is not on the list: `provider/model`. */
export function freeModel(models: readonly Model[], typed: string): string | null {
  const name = typed.trim();
  if (!/^[^\s/]+\/\S+$/.test(name) || models.some((model) => model.name === name)) return null;
  return name;
}

const CATEGORIES: readonly { category: Tool['category']; label: string }[] = [
  { category: 'search', label: 'Search' },
  { category: 'utility', label: 'Utility' },
  { category: 'other', label: 'Files, commands and other' },
];

/** The tools by category, in the order in which people look for them. */
export function groupTools(tools: readonly Tool[]): { label: string; tools: Tool[] }[] {
  return CATEGORIES.map(({ category, label }) => ({
    label,
    tools: tools.filter((tool) => tool.category === category).sort((a, b) => a.name.localeCompare(b.name)),
  })).filter((group) => group.tools.length > 0);
}
