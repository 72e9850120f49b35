// The app as somebody finds it on the first day: no model, no key, nothing but the binary. And what its parts do for
// each other.

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { auditPage, Server, until, Windows } from './harness';

let server: Server;
let bare: Server;
let windows: Windows;
beforeAll(async () => {
  [server, bare, windows] = await Promise.all([Server.start(), Server.start({ model: null, config: '[providers.ollama]\nbase_url = "http://127.0.0.1:9"\n' }), Windows.open()]);
});
afterEach(() => windows.expectQuiet());
afterAll(async () => {
  await windows?.close();
  await server?.end();
  await bare?.end();
});

it('without key, network or configuration the built-in model answers, with the real tools', async () => {
  const page = await windows.page(bare, '/');
  await page.getByText('You are using the small built-in model').waitFor();
  await auditPage(page);
  await page.getByRole('button', { name: /List the files/ }).click();
  await page.keyboard.press('Enter');
  await page.getByText(/There (is|are) \d+ files? in this project/).waitFor();
  await auditPage(page);
  await page.context().close();
});

it('a message of the past is edited as a fork, and a run is saved, from beside the transcript', async () => {
  const { session, run } = await server.startRun('Say hello.');
  await server.ended(run);
  const page = await windows.page(server, `/s/${session}`);
  await page.getByRole('button', { name: 'Save snapshot' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save snapshot' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Snapshot saved').waitFor();
  const { saves } = await server.api<{ saves: { title: string }[] }>('/api/saves');
  expect(saves.map((save) => save.title)).toEqual(['Say hello.']);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Edit in a new session' }).first().click();
  const field = page.getByRole('textbox', { name: 'Edit your message' });
  expect(await field.inputValue()).toBe('Say hello.');
  await field.fill('Say hello, but kindly.');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname.startsWith('/s/') && !url.pathname.endsWith(session));
  await page.getByText('Say hello, but kindly.').first().waitFor();
  await page.context().close();
});

it('whoever sends sees what comes of it, wherever they were reading', async () => {
  const long = 'A line of the past.\n'.repeat(120);
  const { session, run } = await server.startRun(long);
  await server.ended(run);
  const page = await windows.page(server, `/s/${session}`);
  await page.getByText('Hello! Ask me').first().waitFor();
  await page.mouse.move(640, 300);
  await page.mouse.wheel(0, -100_000);
  await page.getByRole('button', { name: /end/i }).first().waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill('And again.');
  await page.keyboard.press('Enter');
  const answer = page.getByText('Hello again.');
  await answer.waitFor();
  await until(() => answer.evaluate((element) => element.getBoundingClientRect().top < innerHeight), 'the answer is in view');
  await page.context().close();
});
