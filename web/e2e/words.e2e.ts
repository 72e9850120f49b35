// The words of the app: plain ones, the same for the same thing, on the real app. And that none of the old ones is left
// in what browsers load.

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { auditPage, scripted, Server, until, Windows } from './harness';

/** Words that people stopped at. */
const OLD = [
  'What shall we haul', 'Go on', 'A run goes on', 'As usual', 'Remember would', 'could not go on', 'Try again', 'as a fork',
  'Look at the run', 'Put this away', 'Own page', 'Waited for its place', 'Told', 'left out', ', needed', 'Filed under',
  'The doctor could not', 'speaks of', 'There is no such', 'does not answer', 'side bar', 'goes on',
];

let hanging: Server;
let failing: Server;
let windows: Windows;
beforeAll(async () => {
  [hanging, failing, windows] = await Promise.all([
    Server.start({ model: scripted('hang.script') }),
    Server.start({ model: scripted('shot_error.script') }),
    Windows.open(),
  ]);
});
afterEach(() => windows.expectQuiet());
afterAll(async () => {
  await windows?.close();
  await hanging?.end();
  await failing?.end();
});

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const send = async (page: Page, text: string) => {
  await composer(page).fill(text);
  await composer(page).press('Enter');
};

it('U-94: none of the words that people stopped at is in what browsers load', async () => {
  const text = async (path: string) => (await failing.fetch(path)).text();
  const seen = new Map<string, string>();
  const wanted = [...(await text('/')).matchAll(/\/assets\/[\w.-]+\.js/g)].map(([path]) => path);
  for (let path = wanted.pop(); path; path = wanted.pop()) {
    if (seen.has(path)) continue;
    const script = await text(path);
    seen.set(path, script);
    wanted.push(...[...script.matchAll(/[\w.-]+\.js(?=["'`])/g)].map(([name]) => `/assets/${name}`).filter((each) => !seen.has(each)));
  }
  const all = [...seen.values()].join('\n');
  expect(all).toContain('What would you like to do?');
  expect(OLD.filter((words) => new RegExp(`(?<![\\w-])${words}(?![\\w-])`).test(all))).toEqual([]);
});

it('U-94: home, composer, model chooser and session search', async () => {
  const page = await windows.page(hanging, '/');
  await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
  await page.getByRole('button', { name: /^Model:/ }).click();
  await page.getByRole('option', { name: /^Default \(scripted\/.+\)$/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('searchbox', { name: 'Search sessions' }).fill('heron');
  await page.getByText('No sessions match “heron”.').waitFor();
  await page.getByRole('searchbox', { name: 'Search sessions' }).fill('');
  await send(page, 'Go on until I stop you.');
  await page.getByText('I begin, and I do not end by myself.').waitFor();
  expect(await composer(page).getAttribute('placeholder')).toBe('Reply…');
  await page.getByRole('group', { name: 'Thinking' }).first().waitFor();
  await send(page, 'Too early.');
  await page.getByText('Still running. Your draft is saved; send it when the run has ended.').waitFor();
  expect(await composer(page).inputValue()).toBe('Too early.');
  await page.getByRole('button', { name: 'Stop the run' }).click();
  await page.getByText('Cancelled').first().waitFor();
  await page.context().close();
});

it('U-94: a question is answered with the same four words everywhere', async () => {
  const first = await hanging.startRun('Go on until I stop you.');
  await hanging.api(`/api/runs/${first.run}/cancel`, {});
  await hanging.ended(first.run);
  const { run_id } = await hanging.api<{ run_id: string }>(`/api/sessions/${first.session}/runs`, { message: 'Write it down.' });
  const page = await windows.page(hanging, `/s/${first.session}`);
  const card = page.locator('[data-question]');
  await card.getByText('Allow write_file?').waitFor();
  await card.getByText('“Always allow” saves this rule').waitFor();
  const buttons = (await card.locator('.answers button').allInnerTexts()).map((text) => text.replace(/\s*\d\s*$/, '').trim());
  expect(buttons.slice(0, 4)).toEqual(['Allow once', 'Allow for this session', 'Always allow', 'Deny']);
  await hanging.answer(run_id, 'deny');
  await hanging.ended(run_id);
  await page.context().close();
});

it('U-94: a run that failed, and the inspector', async () => {
  const { session, run } = await failing.startRun('Summarise the notes.');
  await failing.ended(run);
  const page = await windows.page(failing, `/s/${session}`);
  const alert = page.getByRole('alert').filter({ hasText: 'The run failed' });
  await alert.getByRole('button', { name: 'Retry in a new session' }).waitFor();
  await alert.getByRole('button', { name: 'Open run' }).click();
  await page.getByRole('link', { name: 'Open full page' }).waitFor();
  await page.context().close();
});

it('U-94: tools, models and the API', async () => {
  const page = await windows.page(failing, '/tools/search_text');
  await page.locator('dt').getByText('Category', { exact: true }).waitFor();
  await page.getByText('text, required').first().waitFor();
  await page.getByPlaceholder(/^not set/).first().waitFor();
  await page.goto(`${failing.url}/models`);
  await page.getByRole('button', { name: /Run doctor for scripted/ }).click();
  await page.getByText('Nothing to check', { exact: true }).waitFor();
  await page.getByText('runs locally').waitFor();
  await page.context().close();
  const missing = await failing.fetch('/api/runs/nowhere');
  expect([missing.status, ((await missing.json()) as { title: string }).title]).toEqual([404, 'Not found']);
});

it('an unknown address shows a page that says so and leads back, and the API answers with a problem', async () => {
  const page = await windows.page(failing, '/');
  const answer = await page.goto(`${failing.url}/nowhere/at/all`);
  expect(answer?.status()).toBe(404);
  await page.getByRole('heading', { name: 'Not found' }).waitFor();
  await auditPage(page);
  await page.getByRole('link', { name: 'Start a new session' }).click();
  await until(() => new URL(page.url()).pathname === '/', 'the way back');
  await page.context().close();
  const problem = await failing.fetch('/api/nowhere', { headers: { accept: 'text/html' } });
  expect([problem.status, problem.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
});
