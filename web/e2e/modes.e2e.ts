// How much a session may do without asking: shown all the time, and changed where one writes.

import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { playing, Scene, script } from './asking';
import { auditPage, until } from './harness';

const play = playing();
let scene: Scene;

const mode = (page: Page) => page.getByRole('combobox', { name: 'Mode' });
const approve = async () => (await scene.server.api<{ approve: string }>(`/api/sessions/${scene.session}`)).approve;
const write = (name: string): [string, object] => ['write_file', { path: name, content: 'x\n' }];

it('U-60: the mode is shown, changed in a session, and holds for what comes', async () => {
  scene = await play(script([write('read_only.txt')], [write('edit.txt')], [['execute_command', { command: 'touch all.txt' }]], [write('ask.txt')]), { args: [] });
  const { page } = scene;
  expect(await mode(page).locator('option').allInnerTexts()).toEqual(['Read only', 'Ask', 'Edit freely', 'Allow all']);
  await until(async () => (await mode(page).inputValue()) === 'ask', 'it asks unless said otherwise');
  await mode(page).selectOption('read_only');
  await until(async () => (await approve()) === 'read_only', 'the server knows');
  await scene.server.ended(await scene.say('Go 1.'));
  expect(scene.made('read_only.txt')).toBe(false);
  await mode(page).selectOption('edit');
  await until(async () => (await approve()) === 'edit' && (await mode(page).inputValue()) === 'edit', 'the server and the page know');
  await scene.server.ended(await scene.say('Go 2.'));
  expect(scene.made('edit.txt')).toBe(true);
  // The widest wants a second word.
  await mode(page).selectOption('all');
  const dialog = page.getByRole('dialog', { name: 'Allow everything in this session?' });
  await auditPage(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await until(async () => (await mode(page).inputValue()) === 'edit', 'it is as it was');
  expect(await approve()).toBe('edit');
  await mode(page).selectOption('all');
  await dialog.getByRole('button', { name: 'Allow all' }).click();
  await until(async () => (await approve()) === 'all', 'the server knows');
  await until(async () => (await mode(page).inputValue()) === 'all', 'the page shows it');
  await auditPage(page);
  await scene.server.ended(await scene.say('Go 3.'));
  expect(scene.made('all.txt')).toBe(true);
  await page.reload();
  await until(async () => (await mode(page).inputValue()) === 'all', 'the mode is there again');
  await mode(page).selectOption('ask');
  await until(async () => (await approve()) === 'ask', 'the server knows');
  await scene.ask(1, 'Go 4.');
  expect(scene.made('ask.txt')).toBe(false);
});

it('U-60: a session that is not begun yet begins with the mode that was chosen, and the next one asks again', async () => {
  scene = await play(script([write('free.txt')]), { args: [] });
  const { page } = scene;
  await page.getByRole('link', { name: 'New session' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await mode(page).selectOption('edit');
  await page.getByRole('textbox', { name: 'Message' }).fill('Go 1.');
  await page.keyboard.press('Enter');
  await page.getByText('Done 1.').waitFor();
  expect(scene.made('free.txt')).toBe(true);
  await until(async () => (await mode(page).inputValue()) === 'edit', 'the session has it');
  await page.getByRole('link', { name: 'New session' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await until(async () => (await mode(page).inputValue()) === 'ask', 'the next one asks');
});

it.each([{ width: 360, height: 740 }, { width: 1280, height: 800 }])('U-60: the mode is in view, whatever the screen ($width px)', async (screen) => {
  scene = await play(script([write('a.txt')]), {}, screen);
  const box = await mode(scene.page).boundingBox();
  expect(box && box.x >= 0 && box.x + box.width <= screen.width && box.y + box.height <= screen.height).toBe(true);
  const clipped = await mode(scene.page).evaluate((select) => select.scrollWidth > select.clientWidth + 1);
  expect(clipped).toBe(false);
});
