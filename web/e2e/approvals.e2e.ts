// Questions that wait for the user: cards, four decisions, keys, several at once, other windows.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditPage, scripted, Server, until, Windows } from './harness';

let windows: Windows;
let server: Server;
let session: string;
let page: Page;

beforeAll(async () => {
  windows = await Windows.open();
});
afterAll(async () => windows?.close());
afterEach(() => windows.expectQuiet());

const FILES = { 'old/keep.txt': 'x', 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' };

const ASKS = { '.windlass/config.toml': '[permissions]\nask = ["read_file"]\n' };

async function fresh(script = 'approvals.script', files = {}) {
  server = await Server.start({ model: scripted(script), args: ['--approve', 'ask'], files: { ...FILES, ...files } });
  session = (await server.api<{ session_id: string }>('/api/sessions', {})).session_id;
  page = await windows.page(server, `/s/${session}`);
  await page.getByRole('textbox').first().waitFor();
}

const say = async (message: string) =>
  (await server.api<{ run_id: string }>(`/api/sessions/${session}/runs`, { message })).run_id;
const cards = () => page.locator('[data-question]');
const card = (tool: string) => cards().filter({ hasText: tool }).first();
const press = async (key: string) => {
  // Nothing has the keyboard.
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.locator('[data-keys]').waitFor();
  await page.keyboard.press(key);
};
const changeRule = async (rule: string) => {
  await card('write_file').getByRole('button', { name: 'Edit rule' }).click();
  await card('write_file').getByLabel('“Always allow” saves this rule').fill(rule);
};
const made = (name: string) => existsSync(join(server.project, name));
/** How the calls ended, by the path that they read. */
const outcomes = async (run: string) => {
  const { tools } = await server.api<{ tools: { status: string; parameters: { path: string } }[] }>(`/api/runs/${run}/trace`);
  return Object.fromEntries(tools.map(({ status, parameters }) => [parameters.path, status]));
};
type Rule = { rule: string; session_id?: string | null };
const allRules = async () => (await server.api<{ rules: Rule[] }>('/api/policies')).rules;
/** The rules that are stored; grants end with their session. */
const rules = async () => (await allRules()).filter((rule) => !rule.session_id).map(({ rule }) => rule);
const grants = async () => (await allRules()).filter((rule) => rule.session_id).map(({ rule }) => rule);

describe('a card', () => {
  beforeEach(() => fresh());
  afterEach(async () => {
    await page.close();
    await server.end();
  });

  it('R-51 shows tool, true risk, complete arguments, the change and the rule', async () => {
    await say('Write one file.');
    await cards().first().waitFor();
    const text = await card('write_file').innerText();
    expect(text).toContain('Allow write_file?');
    expect(text).toMatch(/high risk/);
    expect(await page.getByLabel('Arguments', { exact: true }).locator('.text').allInnerTexts()).toEqual(
      JSON.stringify({ path: 'one.txt', content: 'first\nsecond\n', create_new: false, create_parents: true }, null, 2).split('\n'),
    );
    expect(await card('write_file').locator('.row.add .mark').allInnerTexts()).toEqual(['+', '+']);
    expect(await card('write_file').locator('.row.add .text').allInnerTexts()).toEqual(['first', 'second']);
    expect(await card('write_file').getByLabel('“Always allow” saves this rule').innerText()).toContain('write_file');
    for (const theme of ['light', 'dark'] as const) {
      // Without motion: colours on their way from one theme to the other are nobody's.
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await auditPage(page);
    }
  });

  it('Allow once runs the call, and the next one asks again', async () => {
    const run = await say('Write one file.');
    await card('write_file').getByRole('button', { name: 'Allow once' }).click();
    await server.ended(run);
    expect(readFileSync(join(server.project, 'one.txt'), 'utf8')).toBe('first\nsecond\n');
    await cards().first().waitFor({ state: 'detached' });
    await say('Write it again.');
    await cards().first().waitFor();
    expect(await rules()).toEqual([]);
  });

  it('Deny refuses the call, and the model is told', async () => {
    const run = await say('Write one file.');
    await card('write_file').getByRole('button', { name: 'Deny', exact: true }).click();
    await server.ended(run);
    expect(made('one.txt')).toBe(false);
    await page.locator('article[data-state=denied]').waitFor();
    await page.getByText('Written, or not.').waitFor();
  });

  it('Allow for this session allows the like for this session', async () => {
    let run = await say('Write one file.');
    await changeRule('write_file(*.txt)');
    await card('write_file').getByRole('button', { name: 'Allow for this session' }).click();
    await server.ended(run);
    run = await say('Write it again.');
    await server.ended(run);
    expect([made('one.txt'), made('two.txt')]).toEqual([true, true]);
    expect([await rules(), await grants()]).toEqual([[], ['write_file(*.txt)']]);
  });

  it('U-40: a grant of a session is listed on the page of permissions, is taken back there, and the next call asks again', async () => {
    const run = await say('Write one file.');
    await changeRule('write_file(*.txt)');
    await card('write_file').getByRole('button', { name: 'Allow for this session' }).click();
    await server.ended(run);
    const permissions = await windows.page(server, '/permissions');
    const row = permissions.getByRole('listitem').filter({ hasText: 'write_file(*.txt)' });
    await row.waitFor();
    const link = row.getByRole('link', { name: 'one session' });
    expect(await link.getAttribute('href')).toBe(`/s/${session}`);
    await auditPage(permissions);
    await row.getByRole('button', { name: 'Remove allow write_file(*.txt)' }).click();
    await row.waitFor({ state: 'detached' });
    // A grant is no rule that could be put back: only an answer gives it.
    expect(await permissions.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect(await grants()).toEqual([]);
    await permissions.close();
    await say('Write it again.');
    await cards().first().waitFor();
    expect(made('two.txt')).toBe(false);
  });

  it('Always allow saves the rule as it was edited', async () => {
    let run = await say('Write one file.');
    await changeRule('write_file(*.txt)');
    await card('write_file').getByRole('button', { name: 'Always allow' }).click();
    await server.ended(run);
    expect(await rules()).toEqual(['write_file(*.txt)']);
    run = await say('Write it again.');
    await server.ended(run);
    expect(made('two.txt')).toBe(true);
  });

  it.each([
    ['1', true],
    ['2', true],
    ['3', true],
    ['4', false],
  ] as const)('the key %s answers it', async (key, isMade) => {
    const run = await say('Write one file.');
    await cards().first().waitFor();
    await press(key);
    await server.ended(run);
    expect(made('one.txt')).toBe(isMade);
    expect((await rules()).length).toBe(key === '3' ? 1 : 0);
  });

  it('keys are letters while somebody writes', async () => {
    await say('Write one file.');
    await cards().first().waitFor();
    const box = page.getByRole('textbox').last();
    await box.focus();
    await page.keyboard.press('1');
    expect(await box.inputValue()).toContain('1');
    await card('write_file').getByRole('button', { name: 'Edit rule' }).click();
    await card('write_file').getByLabel('“Always allow” saves this rule').focus();
    await page.keyboard.press('4');
    expect(await cards().count()).toBe(1);
  });

  it('answered in another window, it disappears; an answer that comes too late is told what happened', async () => {
    const run = await say('Write one file.');
    await cards().first().waitFor();
    const other = await windows.page(server, `/s/${session}`);
    await other.locator('[data-question]').waitFor();
    // The first window is cut off from the server's news, and so still shows the card.
    await page.route('**/permissions/**', async (route) => {
      await other.getByRole('button', { name: 'Deny', exact: true }).click();
      await server.ended(run);
      await route.continue();
    });
    await card('write_file').getByRole('button', { name: 'Allow once' }).click();
    await page.getByRole('alert').filter({ hasText: 'too late' }).waitFor();
    await cards().first().waitFor({ state: 'detached' });
    expect(await other.locator('[data-question]').count()).toBe(0);
    expect(made('one.txt')).toBe(false);
    await other.close();
  });
});

describe('several cards', () => {
  let run: string;
  beforeEach(async () => {
    await fresh('several.script', ASKS);
    run = await say('Read three files.');
    await until(async () => (await cards().count()) === 3, 'three cards');
  });
  afterEach(async () => {
    await page.close();
    await server.end();
  });

  it('are allowed together', async () => {
    await page.getByRole('button', { name: 'Allow all once' }).click();
    await server.ended(run);
    expect(await outcomes(run)).toEqual({ 'a.txt': 'completed', 'b.txt': 'completed', 'c.txt': 'completed' });
    await until(async () => (await cards().count()) === 0, 'the cards are gone');
  });

  it('are denied together', async () => {
    await page.getByRole('button', { name: 'Deny all' }).click();
    await server.ended(run);
    expect(await outcomes(run)).toEqual({ 'a.txt': 'failed', 'b.txt': 'failed', 'c.txt': 'failed' });
  });

  it('arrow keys go between them, and keys answer the one that has the keyboard', async () => {
    await cards().first().focus();
    await page.keyboard.press('ArrowDown');
    expect(await cards().nth(1).evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await cards().nth(1).innerText()).toContain('"path": "b.txt"');
    await page.locator('[data-keys]').waitFor();
    await page.keyboard.press('4');
    await until(async () => (await cards().count()) === 2, 'one is answered');
    // The keyboard is on a card still.
    await until(async () => page.evaluate(() => document.activeElement?.hasAttribute('data-question') ?? false), 'the next card has the keyboard');
    await page.getByRole('button', { name: 'Allow all once' }).click();
    await server.ended(run);
    expect(await outcomes(run)).toEqual({ 'a.txt': 'completed', 'b.txt': 'failed', 'c.txt': 'completed' });
  });
});

it('a critical call needs its word', async () => {
  await fresh('critical.script');
  const run = await say('Run something dangerous.');
  await card('execute_command').waitFor();
  const text = await card('execute_command').innerText();
  expect(text).toMatch(/critical risk/);
  expect(await page.getByLabel('Command', { exact: true }).locator('.text').first().innerText()).toBe('rm -rf old');
  expect(await card('execute_command').getByRole('button', { name: 'Allow once' }).isDisabled()).toBe(true);
  // The key leads to the field where the word is missing.
  await press('1');
  const word = card('execute_command').getByLabel(/Type .* to allow it/);
  expect(await word.evaluate((element) => element === document.activeElement)).toBe(true);
  await auditPage(page);
  await word.fill((/Type (\S+) to allow/.exec(text) ?? [])[1] ?? '');
  await card('execute_command').getByRole('button', { name: 'Allow once' }).click();
  await server.ended(run);
  expect(made('old/keep.txt')).toBe(false);
  await page.close();
  await server.end();
});
