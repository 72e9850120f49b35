// What a rule means, in words, while it is typed. The server decides whether it is one.

import { hostNote } from '../../question/host';
import type { Tool } from '../../wire/api';

const SCOPES = ['read_files', 'write_files', 'execute_commands', 'network_access', 'system_info', 'task_management'];

/** Rules to learn from: text and meaning. */
export const EXAMPLES: { rule: string; means: string }[] = [
  { rule: 'read_file', means: 'every call of the tool' },
  { rule: 'read_file(src/main.rs)', means: 'that file' },
  { rule: 'read_file(src/**)', means: 'that folder and all below it' },
  { rule: 'read_file(*.md)', means: 'files with that ending, at any depth' },
  { rule: 'execute_command(git status *)', means: 'command lines that begin with these words' },
  { rule: 'fetch_url(*.example.com)', means: 'every path of every host below that one' },
  { rule: 'scope:read_files(docs/**)', means: 'all tools that read files, in that folder' },
  { rule: '*(docs/**)', means: 'any tool, in that folder' },
];

export interface Reading {
  /** What the rule means, as far as it is written. */
  means: string;
  /** What is probably wrong with it. */
  doubt: string | null;
}

/** Reads a rule as it is typed. */
export function readRule(text: string, tools: readonly Tool[]): Reading {
  const rule = text.trim();
  if (rule === '') return { means: '', doubt: null };
  const at = rule.indexOf('(');
  const tool = at < 0 ? rule : rule.slice(0, at);
  const patterns = at < 0 ? [] : rule.slice(at + 1).replace(/\)$/, '').split(')(');
  const where = patterns.length ? ` that ${patterns.length > 1 ? 'touch nothing but' : 'touch only'} ${patterns.join(' and ')}` : '';
  const note = hostNote(rule);
  const means = `${subject(tool, tools)}${where}.${note === null ? '' : ` It covers ${note}.`}`;
  if (at >= 0 && !rule.endsWith(')')) return { means, doubt: 'The bracket is not closed.' };
  if (patterns.some((pattern) => pattern === '')) return { means, doubt: 'The brackets are empty.' };
  return { means, doubt: doubtOf(tool, tools) };
}

function subject(tool: string, tools: readonly Tool[]): string {
  if (tool === '*') return 'Calls of any tool';
  if (!tool.startsWith('scope:')) return `Calls of ${tool}`;
  const scope = tool.slice('scope:'.length);
  const names = tools.filter((known) => (known.scopes as string[] | undefined)?.includes(scope)).map((known) => known.name);
  return `Calls of tools with the scope ${scope}${names.length ? ` (${names.join(', ')})` : ''}`;
}

function doubtOf(tool: string, tools: readonly Tool[]): string | null {
  if (tool === '*') return null;
  if (tool.startsWith('scope:')) {
    return SCOPES.includes(tool.slice(6)) ? null : `Scopes are ${SCOPES.join(', ')}.`;
  }
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(tool)) return `'${tool}' is not a tool name.`;
  const alias = tools.find((known) => known.aliases?.includes(tool));
  if (alias) return `'${tool}' is an alias of ${alias.name}; an allow rule must name ${alias.name}.`;
  return tools.length && !tools.some((known) => known.name === tool) ? `There is no tool '${tool}' now; the rule applies once there is one.` : null;
}
