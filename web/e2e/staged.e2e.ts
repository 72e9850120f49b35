// Edits that are staged: shown with their diff, made by a button, and only while the file is as it was.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { auditPage, scripted, Server, Windows } from './harness';

let windows: Windows;
let server: Server;
let session: string;
let page: Page;

beforeAll(async () => {
  windows = await Windows.open();
  server = await Server.start({ model: scripted('staged.script'), args: ['--approve', 'stage'] });
  session = (await server.api<{ session_id: string }>('/api/sessions', {})).session_id;
  page = await windows.page(server, `/s/${session}`);
});
afterAll(async () => {
  await server?.end();
  await windows?.close();
});
afterEach(() => windows.expectQuiet());

const say = async (message: string) => {
  const { run_id } = await server.api<{ run_id: string }>(`/api/sessions/${session}/runs`, { message });
  await server.ended(run_id);
};
const file = (name: string) => join(server.project, name);
const staged = (call: string) => page.locator(`[data-staged="${call}"]`);

describe('a staged edit', () => {
  it('R-39 is not made until it is applied', async () => {
    await say('Write one file.');
    await staged('call_1').waitFor();
    expect(existsSync(file('one.txt'))).toBe(false);
    expect(await page.locator('[data-call="call_1"]').getAttribute('data-state')).toBe('staged');
    expect(await staged('call_1').locator('.row.add').count()).toBe(2);
    await auditPage(page);
    await staged('call_1').getByRole('button', { name: 'Apply' }).click();
    await staged('call_1').getByText('Applied.').waitFor();
    expect(readFileSync(file('one.txt'), 'utf8')).toBe('first\nsecond\n');
  });

  it('R-39 is not made over a file that came meanwhile', async () => {
    await say('Write another.');
    await staged('call_2').waitFor();
    writeFileSync(file('two.txt'), 'mine\n');
    await staged('call_2').getByRole('button', { name: 'Apply' }).click();
    await staged('call_2').getByText('Not applied').waitFor();
    expect(readFileSync(file('two.txt'), 'utf8')).toBe('mine\n');
  });

  it('U-41: several edits of one run are approved for themselves, and the model is told', async () => {
    await say('Write three.');
    await staged('call_5').waitFor();
    await staged('call_4').getByRole('button', { name: 'Apply' }).click();
    await staged('call_4').getByText('Applied.').waitFor();
    expect([3, 4, 5].map((n) => existsSync(file(['', '', '', 'three', 'four', 'five'][n] + '.txt')))).toEqual([false, true, false]);
    await say('What is done?');
    await page.getByText('The fourth.').waitFor();
    await page.reload();
    await page.locator('[data-call="call_4"]').getByText('applied', { exact: true }).waitFor();
    await staged('call_3').getByRole('button', { name: 'Apply' }).waitFor();
  });
});
