// Keys answer only what can be seen: a card wholly in view, after a quiet moment, and never somebody who types.

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { callLine, playing, Scene, script } from './asking';
import { until } from './harness';

const play = playing();
let scene: Scene;

const write = (name: string): [string, object] => ['write_file', { path: name, content: `${name}\n` }];
const read = (name: string): [string, object] => ['read_file', { path: name }];
/** Files to read, and the rule that asks about it. Reading is asked at once, writing one by one. */
const FILES = {
  '.windlass/config.toml': '[permissions]\nask = ["read_file"]\n', 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c', 'd.txt': 'd',
};
const NAMES = ['a.txt', 'b.txt', 'c.txt', 'd.txt'];
const outcomes = async (run: string) =>
  Object.fromEntries((await scene.ran(run)).map(({ status, parameters }) => [parameters.path, status]));
const LONG = Array.from({ length: 60 }, (_, at) => `Paragraph ${at + 1} of what comes before.\n`).join('\n');
const isFocused = (page: Page, callId: string) =>
  page.evaluate((id) => (document.activeElement as HTMLElement | null)?.dataset.question === id, callId);
/** Whether all of a card is within the transcript. */
const isInView = (page: Page, callId: string) =>
  page.evaluate((id) => {
    const card = document.querySelector(`[data-question="${id}"]`)?.getBoundingClientRect();
    const view = document.querySelector('[data-scroller]')?.getBoundingClientRect();
    return card !== undefined && view !== undefined && card.top >= view.top - 1 && card.bottom <= view.bottom + 1;
  }, callId);

describe('a key', () => {
  it('U-3: answers nothing below the fold, and nothing in the moment when the card comes into view', async () => {
    const text = `title Below the fold\n\nuser Go 1.\nmodel text <<END\n${LONG}END\nuser Go 2.\n${callLine(1, ...write('below.txt'))}\nmodel end calls\nmodel text Done.\n`;
    scene = await play(text, {}, { height: 800 });
    const { page } = scene;
    await scene.server.ended(await scene.say());
    await page.getByText('Paragraph 60 of').waitFor();
    await page.mouse.move(700, 300);
    await until(async () => {
      await page.mouse.wheel(0, -4000);
      return page.locator('[data-scroller]').evaluate((box) => box.scrollTop === 0);
    }, 'the reader is at the top');
    const run = await scene.say('Go 2.');
    await scene.cards.first().waitFor({ state: 'attached' });
    await scene.blur();
    for (const key of ['1', '2', '3']) await page.keyboard.press(key);
    expect((await scene.waiting(run)).length).toBe(1);
    expect(await page.locator('[data-keys]').count()).toBe(0);
    // It comes into view: the key that is on its way does not count.
    await page.getByRole('button', { name: /Jump to latest/ }).click();
    await scene.blur();
    await page.keyboard.press('1');
    expect((await scene.waiting(run)).length).toBe(1);
    // Had one of them counted, this could not deny it.
    await scene.keys();
    await page.keyboard.press('4');
    await scene.server.ended(run);
    expect(scene.made('below.txt')).toBe(false);
    expect((await scene.ran(run)).map(({ status }) => status)).toEqual(['failed']);
  });

  it('U-3: that is held answers at most one question', async () => {
    scene = await play(script(NAMES.slice(0, 3).map(read)), { files: FILES });
    const { page } = scene;
    const run = await scene.ask(3);
    await scene.blur();
    await scene.keys();
    // The same key again without a release in between: what a held key sends.
    for (let times = 0; times < 40; times += 1) await page.keyboard.down('1');
    await until(async () => (await scene.cards.count()) === 2, 'one is answered');
    await scene.keys(scene.cards.first());
    for (let times = 0; times < 40; times += 1) await page.keyboard.down('1');
    await page.keyboard.up('1');
    expect((await scene.waiting(run)).length).toBe(2);
    await page.getByRole('button', { name: 'Deny all' }).click();
    await scene.server.ended(run);
    expect(Object.values(await outcomes(run)).sort()).toEqual(['completed', 'failed', 'failed']);
  });

  it('U-3: that was down before the question came answers nothing', async () => {
    scene = await play(script([write('held.txt')]));
    const { page } = scene;
    await scene.blur();
    await page.keyboard.down('1');
    const run = await scene.say();
    while ((await scene.cards.count()) === 0) await page.keyboard.down('1');
    for (let times = 0; times < 40; times += 1) await page.keyboard.down('1');
    await page.keyboard.up('1');
    // Pressed anew, but in the same breath.
    await page.keyboard.press('1');
    expect((await scene.waiting(run)).length).toBe(1);
    await scene.keys();
    await page.keyboard.press('4');
    await scene.server.ended(run);
    expect(scene.made('held.txt')).toBe(false);
  });

  it('U-3: is a letter in the composer, in the rule and in the words of a denial', async () => {
    scene = await play(script([write('typed.txt')]));
    const { page } = scene;
    const run = await scene.ask();
    const card = scene.cards.first();
    await scene.blur();
    await scene.keys();
    const box = page.getByRole('textbox', { name: 'Message' });
    await box.focus();
    await until(async () => (await page.locator('[data-keys]').count()) === 0, 'the keys are gone: the keyboard is elsewhere');
    await box.pressSequentially('1234');
    expect(await box.inputValue()).toBe('1234');
    await card.getByRole('button', { name: 'Edit rule' }).click();
    await card.getByLabel(/saves this rule/).pressSequentially('1');
    await card.getByRole('button', { name: 'Deny with a reason' }).click();
    await page.keyboard.type('1 2 3 4');
    expect(await card.getByLabel(/Tell the model why/).inputValue()).toBe('1 2 3 4');
    expect((await scene.waiting(run)).length).toBe(1);
  });

  it('U-3: with a modifier, under a dialog or with the keyboard elsewhere answers nothing', async () => {
    scene = await play(script([write('elsewhere.txt')]));
    const { page } = scene;
    const run = await scene.ask();
    await scene.blur();
    await scene.keys();
    for (const chord of ['Control+1', 'Alt+1', 'Shift+1', 'Meta+1']) {
      await page.keyboard.press(chord);
      await scene.keys();
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await page.locator('[data-keys]').count()).toBe(0);
    await page.keyboard.press('1');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'New session' }).focus();
    await page.keyboard.press('1');
    expect(await page.locator('[data-keys]').count()).toBe(0);
    expect((await scene.waiting(run)).length).toBe(1);
    await scene.cards.first().focus();
    await scene.keys();
    await page.keyboard.press('4');
    await scene.server.ended(run);
    expect(scene.made('elsewhere.txt')).toBe(false);
  });
});

describe('a card that is too long for the screen', () => {
  it('U-3: shows its head and its answers, says that there is more, and takes keys once its end was in view', async () => {
    scene = await play(script([write('long.txt')]), {}, { height: 480 });
    const { page } = scene;
    const run = await scene.ask();
    const id = (await scene.waiting(run))[0]?.call_id ?? '';
    await scene.blur();
    await until(() => isInView(page, id), 'head and answers are in view');
    await page.getByText('Scroll down to see the rest').waitFor();
    await page.keyboard.press('1');
    expect((await scene.waiting(run)).length).toBe(1);
    expect(await page.locator('[data-keys]').count()).toBe(0);
    await page.locator('[data-body]').evaluate((body) => body.scrollTo(0, body.scrollHeight));
    await page.getByText('Scroll down to see the rest').waitFor({ state: 'detached' });
    await scene.keys();
    await page.keyboard.press('4');
    await scene.server.ended(run);
    expect(scene.made('long.txt')).toBe(false);
  });
});

describe('after an answer', () => {
  it.each([{ height: 760 }, { height: 1300 }])('U-3 U-7: the next question has the keyboard and is in view, in the order of the calls ($height px)', async (screen) => {
    scene = await play(script(NAMES.map(read)), { files: FILES }, screen);
    const { page } = scene;
    const run = await scene.ask(4);
    const ids = (await scene.waiting(run)).map(({ call_id }) => call_id);
    expect(await scene.cards.evaluateAll((all) => all.map((card) => (card as HTMLElement).dataset.question))).toEqual(ids);
    expect(await scene.cards.locator('header').allInnerTexts()).toEqual(
      [1, 2, 3, 4].map((place) => expect.stringMatching(new RegExp(`Allow read_file\\?\\s*${place} of 4`))),
    );
    await scene.blur();
    // Only one card shows keys, and it is the one that they answer.
    await scene.keys(scene.card(ids[0] ?? ''));
    expect(await page.locator('[data-keys]').count()).toBe(1);
    for (const [at, id] of ids.entries()) {
      await until(() => isInView(page, id), `question ${at + 1} is in view`);
      await scene.keys(scene.card(id));
      expect(await scene.card(id).locator('.answers kbd:visible').count()).toBe(4);
      expect(await page.locator('.answers kbd:visible').count()).toBe(4);
      await page.keyboard.press(at % 2 ? '4' : '1');
      await scene.card(id).waitFor({ state: 'detached' });
      const next = ids[at + 1];
      if (next) await until(() => isFocused(page, next), `question ${at + 2} has the keyboard`);
    }
    await scene.server.ended(run);
    expect(await outcomes(run)).toEqual({ 'a.txt': 'completed', 'b.txt': 'failed', 'c.txt': 'completed', 'd.txt': 'failed' });
  });

  it('U-3: a question of the next step has it too, and waits for its own quiet moment', async () => {
    const steps = ['one.txt', 'two.txt'].map((name, at) => `${callLine(at + 1, ...write(name))}\nmodel end calls\n`);
    scene = await play(`title Two steps\n\nuser Go 1.\n${steps.join('tool 1 ok {}\n')}model text Done.\n`);
    const { page } = scene;
    const run = await scene.ask();
    const first = await scene.cards.first().getAttribute('data-question');
    await scene.blur();
    await scene.keys();
    await page.keyboard.press('1');
    await until(async () => {
      const now = await scene.cards.first().getAttribute('data-question', { timeout: 500 }).catch(() => null);
      return now !== null && now !== first;
    }, 'the second step asks');
    await page.keyboard.press('1');
    expect((await scene.waiting(run)).length).toBe(1);
    const second = (await scene.waiting(run))[0]?.call_id ?? '';
    await until(() => isFocused(page, second), 'it has the keyboard');
    await scene.keys();
    await page.keyboard.press('4');
    await scene.server.ended(run);
    expect([scene.made('one.txt'), scene.made('two.txt')]).toEqual([true, false]);
  });

  it('U-3: the second click of a double click answers nothing', async () => {
    scene = await play(script(NAMES.slice(0, 2).map(read)), { files: FILES }, { height: 1000 });
    const run = await scene.ask(2);
    const allow = scene.cards.first().getByRole('button', { name: 'Allow once' });
    await until(() => allow.isEnabled(), 'the buttons count');
    const box = await allow.boundingBox();
    for (let times = 0; times < 6; times += 1) await scene.page.mouse.click((box?.x ?? 0) + 20, (box?.y ?? 0) + 10);
    await until(async () => (await scene.cards.count()) === 1, 'one is answered');
    expect((await scene.waiting(run)).length).toBe(1);
    await scene.page.getByRole('button', { name: 'Deny', exact: true }).click();
    await scene.server.ended(run);
    expect(Object.values(await outcomes(run)).sort()).toEqual(['completed', 'failed']);
  });
});
