import { expect, it } from 'vitest';
import type { Tool } from '../../wire/api';
import { EXAMPLES, readRule } from './syntax';

const tools = [
  { name: 'read_file', scopes: ['read_files'], aliases: ['open_file'] },
  { name: 'execute_command', scopes: ['execute_commands'] },
  { name: 'fetch_url', scopes: ['network_access'] },
] as unknown as Tool[];

it('says what a rule means', () => {
  expect(readRule('read_file(src/**)', tools)).toEqual({ means: 'Calls of read_file that touch only src/**.', doubt: null });
  expect(readRule('scope:read_files', tools).means).toBe('Calls of tools with the scope read_files (read_file).');
  expect(readRule('move_file(a)(b)', []).means).toBe('Calls of move_file that touch nothing but a and b.');
  expect(readRule('*', tools)).toEqual({ means: 'Calls of any tool.', doubt: null });
});

it.each([
  ['read_file(src', 'The bracket is not closed.'],
  ['read_file()', 'The brackets are empty.'],
  ['reed_file', "There is no tool 'reed_file' now; the rule applies once there is one."],
  ['open_file', "'open_file' is an alias of read_file; an allow rule must name read_file."],
  ['scope:files', 'Scopes are read_files, write_files, execute_commands, network_access, system_info, task_management.'],
  ['a b', "'a b' is not a tool name."],
])('doubts %s', (rule, doubt) => {
  expect(readRule(rule, tools).doubt).toBe(doubt);
});

it('has examples that are beyond doubt', () => {
  expect(EXAMPLES.map(({ rule }) => readRule(rule, tools).doubt)).toEqual(EXAMPLES.map(() => null));
});
