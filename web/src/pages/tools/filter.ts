// Which tools a list shows. Knows no screen.

import type { Tool } from '../../wire/api';
import { hasWords } from '../parts/words';

export interface ToolFilter {
  text: string;
  category: string;
  effects: string;
  risk: string;
  visibility: string;
  scope: string;
}

export const noFilter: ToolFilter = { text: '', category: '', effects: '', risk: '', visibility: '', scope: '' };

/** The tools that pass, by name; those whose name has the words first. */
export function filterTools(tools: readonly Tool[], filter: ToolFilter): Tool[] {
  const is = (wanted: string, own: string) => wanted === '' || wanted === own;
  return tools
    .filter(
      (tool) =>
        is(filter.category, tool.category) &&
        is(filter.effects, tool.effects) &&
        is(filter.risk, tool.risk) &&
        is(filter.visibility, tool.visibility) &&
        (filter.scope === '' || ((tool.scopes ?? []) as string[]).includes(filter.scope)) &&
        hasWords(filter.text, tool.name, tool.description, ...(tool.aliases ?? [])),
    )
    .sort((one, other) => rank(one, filter.text) - rank(other, filter.text) || one.name.localeCompare(other.name));
}

function rank(tool: Tool, text: string): number {
  return text !== '' && hasWords(text, tool.name) ? 0 : 1;
}

/** The tool of a name; an alias is a name too. */
export function toolNamed(tools: readonly Tool[], name: string): Tool | null {
  return tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.aliases?.includes(name)) ?? null;
}

/** The values of a field that occur, in the order of a list of words. */
export function occurring(tools: readonly Tool[], words: readonly string[], of: (tool: Tool) => readonly string[]): string[] {
  const found = new Set(tools.flatMap((tool) => [...of(tool)]));
  return [...words.filter((word) => found.has(word)), ...[...found].filter((word) => !words.includes(word)).sort()];
}
