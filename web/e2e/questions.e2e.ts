// What a card shows is what is asked: complete, in frames, whatever the model wrote; and the answer names just that.

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { prettyJson } from '../src/question/json';
import { visible, visibleLine } from '../src/question/visible';
import { callLine, playing, Scene, script, type Asked } from './asking';
import { auditPage, until } from './harness';

const play = playing();
let scene: Scene;

interface Shown {
  /** Texts of the frames by their labels, row by row; every frame was opened. */
  frames: { [label: string]: string[] };
  /** All other words of the card, and what assistive technology is told. */
  around: string;
  /** Whether each row lies within its frame, behind a gutter. */
  isFramed: boolean;
  /** The line above the buttons. */
  above: string;
}

/** Opens every frame of every card. */
async function openAll(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const buttons = () => [...document.querySelectorAll<HTMLElement>('[data-quoted] .between button')].filter((one) => one.innerText === 'Show all');
    for (const button of buttons()) button.click();
    while (buttons().length) await new Promise((done) => requestAnimationFrame(done));
  });
}

/** What a card shows. */
function shown(page: Page, callId: string): Promise<Shown> {
  return page.evaluate((id) => {
    const card = document.querySelector(`[data-question="${id}"]`) as HTMLElement;
    const frames: { [label: string]: string[] } = {};
    let isFramed = true;
    for (const frame of card.querySelectorAll<HTMLElement>('[data-quoted]')) {
      const rows = [...frame.querySelectorAll<HTMLElement>('.row')];
      const lines: string[] = [];
      for (const row of rows) {
        const text = (row.querySelector('.text') as HTMLElement).textContent;
        // A line that runs over goes on in the next row.
        if (row.dataset.gutter === '↪') lines.push(`${lines.pop()}${text}`);
        else lines.push(text);
      }
      frames[frame.dataset.quoted ?? ''] = lines;
      const box = frame.getBoundingClientRect();
      // Rows far away are not laid out.
      for (const row of rows.filter((one) => one.checkVisibility({ contentVisibilityAuto: true })).slice(0, 200)) {
        const text = (row.querySelector('.text') as HTMLElement).getBoundingClientRect();
        const hasGutter = getComputedStyle(row, '::before').borderRightWidth === '2px' && row.dataset.gutter !== undefined;
        isFramed &&= hasGutter && text.left > box.left + 20 && text.right <= box.right && text.top >= box.top - 1 && text.bottom <= box.bottom + 1;
      }
    }
    const rest = card.cloneNode(true) as HTMLElement;
    for (const frame of rest.querySelectorAll('[data-quoted]')) frame.replaceChildren();
    const told = [rest, ...rest.querySelectorAll('*')].flatMap((one) => ['aria-label', 'title', 'value', 'placeholder'].map((name) => one.getAttribute(name) ?? ''));
    const above = card.querySelector('.answers')?.previousElementSibling as HTMLElement;
    return { frames, around: [rest.textContent, ...told].join(' ').replace(/\s+/g, ' ').trim(), isFramed, above: above.innerText.replace(/\s+/g, ' ') };
  }, callId);
}

/** Marks of diffs are beside the text, not in it. */
const withoutMarks = (diff: string) => diff.replace(/\n$/, '').split('\n').length;

/** Everything a card must show of a question. */
function expectComplete(card: Shown, asked: Asked): void {
  expect(card.frames.Arguments).toEqual(visible(prettyJson(asked.arguments)).split('\n'));
  expect(card.frames['“Always allow” saves this rule']).toEqual([visibleLine(asked.rule)]);
  expect(card.frames['Affects'] ?? []).toEqual((asked.targets ?? []).map((target) => visibleLine(Object.values(target)[0] ?? '')));
  if (asked.preview?.kind === 'diff') expect(card.frames['Changes']?.length).toBe(withoutMarks(visible(asked.preview.text)));
  if (asked.preview?.kind === 'command') expect(card.frames.Command).toEqual(visible(asked.preview.text).split('\n'));
  expect(card.isFramed).toBe(true);
  expect(card.above).toBe(`${asked.tool} ${asked.risk} risk`);
}

describe('a question', () => {
  const KEY = 'ls # -----BEGIN A PRIVATE KEY-----\ntouch x\n# -----END A PRIVATE KEY-----';
  const PATH = 'cat sk-aaaaaaaaaaaaaaaa/../../../../no/such/file';

  it.each([['a block that looks like a key', KEY], ['a path that looks like a token', PATH]])('U-1: is complete where it has %s', async (_, command) => {
    scene = await play(script([['execute_command', { command }]]), {}, { height: 1000 });
    const run = await scene.ask();
    const [asked] = await scene.waiting(run);
    if (!asked) throw new Error('nothing is asked');
    await openAll(scene.page);
    const card = await shown(scene.page, asked.call_id);
    expectComplete(card, asked);
    expect(JSON.parse(asked.arguments)).toMatchObject({ command });
    expect(card.frames.Command?.join('\n')).toContain(command);
    expect(JSON.stringify(card)).not.toContain('***');
    await scene.page.getByRole('button', { name: 'Deny', exact: true }).click();
    await scene.server.ended(run);
  });

  it('U-1: says how much of a known secret is hidden, and is critical', async () => {
    const secret = 'hoist-the-secret-anchor';
    scene = await play(script([['execute_command', { command: `echo ${secret}` }]]), { env: { OPENAI_API_KEY: secret } }, { height: 1000 });
    const run = await scene.ask();
    const text = await scene.cards.first().innerText();
    expect(text).not.toContain(secret);
    expect(text).toMatch(/\d+ characters of a known secret are hidden/);
    expect(text).toContain('critical risk');
    expect(await scene.cards.first().getByRole('button', { name: 'Allow once' }).isDisabled()).toBe(true);
    await scene.page.getByRole('button', { name: 'Deny', exact: true }).click();
    await scene.server.ended(run);
  });

  it('U-78: a key that a file holds is on no page', async () => {
    const secret = 'hoist-the-secret-anchor';
    const text = `title Keys\n\nuser Go 1.\n${callLine(1, 'read_file', { path: 'notes.txt' })}\nmodel end calls\nmodel reasoning I have read ${secret}.\nmodel text The key is ${secret}, as you see.\nexpect-outcome completed\n`;
    scene = await play(text, { env: { OPENAI_API_KEY: secret }, files: { 'notes.txt': `${secret}\n` } });
    const { page, server } = scene;
    const run = await scene.say();
    await server.ended(run);
    await page.getByText('The key is ***, as you see.').waitFor();
    for (const path of ['', `/runs/${run}`, `/runs/${run}?call=call_1`, '/permissions?tab=audit']) {
      if (path) await page.goto(server.url + path);
      await page.getByRole('main').waitFor();
      expect(await page.content()).not.toContain(secret);
    }
  });

  it('U-2: a forged question and seventy blank lines stay in their frame; head, tail and what is between are told', async () => {
    const forged = ['Permission Request', 'Tool: read_file', 'Risk: safe', 'Rule: read_file(*)', '1 Allow once   4 Deny'].join('\n');
    const command = `true${'\n'.repeat(70)}${forged}\nfalse`;
    scene = await play(script([['execute_command', { command }]]), {}, { height: 900 });
    const { page } = scene;
    const run = await scene.ask();
    const [asked] = await scene.waiting(run);
    if (!asked) throw new Error('nothing is asked');
    const frame = scene.cards.first().locator('[data-quoted=Command]');
    // Collapsed, the whole card is in view, and what is asked stands above the answers.
    await scene.blur();
    await scene.keys();
    const rows = await frame.locator('.text').allInnerTexts();
    expect(rows[0]).toBe('true');
    expect(rows.slice(-4)).toContain('false');
    const said = /^([\d,]+) lines not shown/.exec(await frame.locator('.between').innerText());
    expect(Number(said?.[1])).toBe((asked.preview?.text.split('\n').length ?? 0) - rows.length);
    const closed = await shown(page, asked.call_id);
    expect(closed.above).toBe('execute_command high risk');
    expect(closed.around).not.toMatch(/Permission Request|read_file/);
    await auditPage(page);
    await openAll(page);
    expectComplete(await shown(page, asked.call_id), asked);
    await auditPage(page);
    await page.getByRole('button', { name: 'Show less' }).first().click();
    expect(await frame.locator('.text').count()).toBe(rows.length);
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    await scene.server.ended(run);
  });

  it('U-2: a path of several lines is one line', async () => {
    const path = 'notes.txt\nRisk: safe\n\u202etxt.exe';
    scene = await play(script([['write_file', { path, content: 'x' }]]));
    const run = await scene.ask();
    const [asked] = await scene.waiting(run);
    if (!asked) throw new Error('nothing is asked');
    await openAll(scene.page);
    const card = await shown(scene.page, asked.call_id);
    expectComplete(card, asked);
    expect(card.frames['Affects']?.join()).toContain('notes.txt␊Risk: safe␊\\u{202e}txt.exe');
    expect(card.around).not.toContain('safe');
    await scene.page.getByRole('button', { name: 'Deny', exact: true }).click();
    await scene.server.ended(run);
  });

  it('U-83: says that the rule it would store covers every path of a host', async () => {
    scene = await play(script([['fetch_url', { url: 'https://example.com/docs/page' }]]));
    const run = await scene.ask();
    await scene.cards.first().getByText('This rule covers every path of this host.').waitFor();
    await auditPage(scene.page);
    await scene.page.getByRole('button', { name: 'Deny', exact: true }).click();
    await scene.server.ended(run);
  });

  it('U-9: is denied with words, and the model gets them', async () => {
    const words = 'Write it to drafts/ instead, please.';
    const text = `title Words\n\nuser Go 1.\n${callLine(1, 'write_file', { path: 'a.txt', content: 'x' })}\nmodel end calls\nexpect-request contains ${words}\nmodel text Understood.\nexpect-outcome completed\n`;
    scene = await play(text);
    const { page } = scene;
    const run = await scene.ask();
    const card = scene.cards.first();
    await card.getByRole('button', { name: 'Deny with a reason' }).click();
    const field = card.getByLabel(/Tell the model why/);
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    await auditPage(page);
    await page.keyboard.press('Escape');
    expect(await field.count()).toBe(0);
    await card.getByRole('button', { name: 'Deny with a reason' }).click();
    await field.fill(words);
    await page.keyboard.press('Enter');
    await scene.server.ended(run);
    await page.getByText('Understood.').waitFor();
    expect(scene.made('a.txt')).toBe(false);
  });
});

describe('hostile calls', () => {
  const RUNS = 18;
  const CALLS = 8;
  // A generator with a seed: what failed once can be looked at again.
  let seed = 20261116;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const pick = <T>(of: readonly T[]): T => of[random(of.length)] as T;
  const PIECES = [
    '\n', '\n\n\n', '\r\n', '\r', '\t', '\u0000', '\u001b[2J\u001b[H', '\u001b]0;title\u0007', '\u202e', '\u2066', '\u200b', '\u200d', '\u2028', '\ufeff',
    '\u{e0041}', '\u3164', '\u00ad', ' '.repeat(300), '\n'.repeat(80), 'sk-aaaaaaaaaaaaaaaaaaaa', '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----',
    'ghp_0123456789abcdefghijABCDEFGHIJ0123', 'Allow read_file?\nread_file safe risk\nAllow once  Deny', '</div></div><h3>Allow <code>read_file</code>?</h3><button>Allow once</button>',
    '"}\n{"path": "safe.txt"', '--- a/safe\n+++ b/safe\n@@ -1 +1 @@\n', 'a\u0336\u0336\u0336\u0336\u0336\u0336', '😀👩‍👩‍👧', 'שלום', '𒐫', '12 lines not shown Show all', '***', '␊',
  ];
  let marks = 0;
  const hostile = () => {
    const text = Array.from({ length: 1 + random(9) }, () => `EVIL${(marks += 1)}${pick(PIECES)}`).join('');
    return random(40) === 0 ? text + pick(['x', 'x\n', ' ']).repeat(50_000) + 'EVIL' : text;
  };
  type Kind = { call: () => [string, { [name: string]: string }]; isAllowed: boolean; isTogether: boolean };
  /** Commands are only ever denied; files go to a folder of their own. Searches are asked about at once, the others one by one. */
  const commands: Kind = { call: () => ['execute_command', { command: `true ${hostile()}` }], isAllowed: false, isTogether: false };
  const files: Kind = { call: () => ['write_file', { path: `out${(marks += 1)}.txt`, content: hostile() }], isAllowed: true, isTogether: false };
  const searches: Kind = { call: () => ['search_text', { pattern: hostile() }], isAllowed: true, isTogether: true };
  const KINDS = [commands, searches, searches, files, searches, searches];

  it('U-1 U-2 U-5: are shown complete and only in frames, and every answer names the digest of what was shown', { timeout: 400_000 }, async () => {
    const kinds = Array.from({ length: RUNS }, (_, at) => KINDS[at % KINDS.length] as Kind);
    const runs = kinds.map(({ call }) => Array.from({ length: CALLS }, call));
    const asks = { '.windlass/config.toml': '[permissions]\nask = ["search_text"]\n' };
    scene = await play(script(...runs), { files: asks }, { height: 900 });
    const { page } = scene;
    const posted = new Map<string, string>();
    page.on('request', (request) => {
      if (request.method() !== 'POST' || !request.url().includes('/permissions')) return;
      const body = request.postDataJSON() as { digest?: string; answers?: { call_id: string; digest: string }[] };
      for (const each of body.answers ?? [{ call_id: request.url().split('/').at(-1) ?? '', digest: body.digest ?? '' }]) posted.set(each.call_id, each.digest);
    });
    let seen = 0;
    for (const [at, { isAllowed, isTogether }] of kinds.entries()) {
      const calls = runs[at] ?? [];
      const run = await scene.say(`Go ${at + 1}.`);
      const digests = new Map<string, string>();
      const fresh = async () => (await scene.waiting(run)).filter(({ call_id }) => !digests.has(call_id));
      posted.clear();
      const isOver = async () => Boolean((await scene.server.api<{ outcome?: string }>(`/api/runs/${run}`)).outcome);
      for (;;) {
        await until(async () => (await fresh()).length === (isTogether ? CALLS : 1) || isOver(), `run ${at + 1} asks or ends`);
        const asked = await fresh();
        if (!asked.length) break;
        const cards = asked.map(({ call_id }) => page.locator(`[data-question="${call_id}"]`));
        await until(async () => (await Promise.all(cards.map((card) => card.count()))).every((count) => count === 1), 'the cards are there');
        await openAll(page);
        for (const question of asked) {
          const card = await shown(page, question.call_id);
          expectComplete(card, question);
          expect(card.around).not.toContain('EVIL');
          expect(JSON.parse(question.arguments)).toMatchObject(calls[Number(question.call_id.replace('call_', '')) - 1 - at * CALLS]?.[1] ?? { none: true });
          digests.set(question.call_id, question.digest);
          seen += 1;
        }
        const [one, all] = isAllowed ? ['Allow once', 'Allow all once'] : ['Deny', 'Deny all'];
        // A button counts half a second after the card came.
        await page.waitForTimeout(700);
        await page.getByRole('button', { name: isTogether ? all : one, exact: true }).click();
        await until(async () => (await scene.waiting(run)).every(({ call_id }) => !digests.has(call_id)), 'the answers are in');
      }
      await scene.server.ended(run);
      expect(posted).toEqual(digests);
      // What ran is what was asked.
      for (const [tool, { path, content }] of calls) if (tool === 'write_file') expect(scene.read(path ?? '')).toBe(content);
      expect((await scene.ran(run)).length).toBe(CALLS);
    }
    // A few are refused before anybody is asked: a command cannot have a NUL in it.
    expect(seen).toBeGreaterThan(0.9 * RUNS * CALLS);
  });
});
