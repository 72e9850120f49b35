import { flushSync, mount, unmount } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RunView } from '../../view/session';
import type { Module } from '../../wire/api';
import TryModule from './TryModule.svelte';
import { ModuleTrial } from './trial.svelte';

const module: Module = {
  module_id: 'sort.mail',
  model: 'module/sort.mail',
  predictor: 'predict',
  instruction: 'Sort.',
  inputs: [
    { name: 'mail', field_type: 'string', description: 'The text' },
    { name: 'count', field_type: 'integer' },
  ],
  outputs: [{ name: 'folder', field_type: 'string' }],
  inputs_schema: {
    type: 'object',
    properties: { mail: { type: 'string', description: 'The text' }, count: { type: 'integer' } },
    required: ['mail', 'count'],
  },
  outputs_schema: {},
  demos: 0,
  has_tools: false,
  tags: [],
  version: '1',
  optimizer: '',
};

let shown: object | null = null;
afterEach(() => {
  if (shown) void unmount(shown);
  shown = null;
  document.body.innerHTML = '';
  vi.unstubAllGlobals();
});

function show(trial: ModuleTrial): void {
  shown = mount(TryModule, { target: document.body, props: { trial } });
  flushSync();
}

describe('running a module', () => {
  it('asks for every input by its name, and sends nothing while one is missing', async () => {
    const asked = vi.fn();
    vi.stubGlobal('fetch', asked);
    const trial = new ModuleTrial(module);
    show(trial);
    const labels = [...document.querySelectorAll('label')].map((label) => label.textContent ?? '');
    for (const name of ['mail', 'count']) expect(labels.some((label) => label.includes(name))).toBe(true);
    trial.set({ mail: 'hi' });
    await trial.start();
    flushSync();
    expect(asked).not.toHaveBeenCalled();
    expect(document.body.textContent).toContain('count');
    expect(trial.faults).toHaveLength(1);
  });

  it('shows outputs by name, and what went wrong instead of them', () => {
    const trial = new ModuleTrial(module);
    const ended = { run_id: 'r', questions: [], error: null, ended: { outcome: 'completed', reason: 'answered' }, answer: '{"folder":"work"}' };
    trial.runId = 'r';
    trial.sessionId = 's';
    trial.run = ended as unknown as RunView;
    show(trial);
    const outputs = document.querySelector('dl[aria-label="Outputs"]');
    expect(outputs?.textContent).toMatch(/folder\s*work/);
    expect(document.querySelector('a[href="/runs/r"]')).not.toBeNull();
    trial.run = { ...ended, error: 'urgent is missing' } as unknown as RunView;
    flushSync();
    expect(document.querySelector('dl[aria-label="Outputs"]')).toBeNull();
    expect(document.body.textContent).toContain('urgent is missing');
  });

  it('leads to the session where a call waits for an answer', () => {
    const trial = new ModuleTrial(module);
    trial.runId = 'r';
    trial.sessionId = 's';
    trial.run = { run_id: 'r', questions: [{ tool: 'write_file' }], error: null, ended: null, answer: '' } as unknown as RunView;
    show(trial);
    expect(document.querySelector('a[href="/s/s"]')?.textContent).toContain('Answer in the session');
  });
});
