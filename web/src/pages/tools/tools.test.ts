import { beforeEach, describe, expect, it } from 'vitest';
import type { Tool } from '../../wire/api';
import { rememberCall, triedCalls } from './calls';
import { filterTools, noFilter, occurring, toolNamed } from './filter';

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name, description: `Does ${name}.`, schema: {}, effects: 'read', idempotent: true, risk: 'safe', category: 'utility', visibility: 'secondary',
  strict_args: false, inspected: false, repeatable: false, untrusted_output: false, ...more,
});
const tools = [
  tool('write_file', { risk: 'high', effects: 'write', scopes: ['write_files'], description: 'Like read_file, the other way.' }),
  tool('read_file', { scopes: ['read_files'], aliases: ['open_file'] }),
  tool('web_search', { category: 'search', visibility: 'primary' }),
];
const names = (filter: Partial<typeof noFilter>) => filterTools(tools, { ...noFilter, ...filter }).map((found) => found.name);

describe('the list of tools', () => {
  it('is by name, and by name before description when something is looked for', () => {
    expect(names({})).toEqual(['read_file', 'web_search', 'write_file']);
    expect(names({ text: 'read' })).toEqual(['read_file', 'write_file']);
    expect(names({ text: 'OPEN file' })).toEqual(['read_file']);
  });

  it('shows what passes every filter', () => {
    expect(names({ risk: 'high' })).toEqual(['write_file']);
    expect(names({ scope: 'read_files', effects: 'read' })).toEqual(['read_file']);
    expect(names({ category: 'search', visibility: 'secondary' })).toEqual([]);
  });

  it('finds a tool by its aliases', () => {
    expect(toolNamed(tools, 'open_file')?.name).toBe('read_file');
    expect(toolNamed(tools, 'nothing')).toBeNull();
  });

  it('offers the words that occur', () => {
    expect(occurring(tools, ['safe', 'low', 'high'], (found) => [found.risk])).toEqual(['safe', 'high']);
  });
});

describe('calls that were tried', () => {
  beforeEach(() => sessionStorage.clear());

  it('are there newest first, the same ones once', () => {
    const call = (path: string, at_ms: number) => ({ tool: 'read_file', args: { path }, at_ms, status: 'ok', duration_ms: 1 });
    rememberCall(call('a', 1));
    rememberCall(call('b', 2));
    rememberCall(call('a', 3));
    expect(triedCalls().map((tried) => [tried.args.path, tried.at_ms])).toEqual([['a', 3], ['b', 2]]);
  });

  it('survive what somebody else wrote there', () => {
    sessionStorage.setItem('windlass.tried', '{nonsense');
    expect(triedCalls()).toEqual([]);
  });
});
