// The transcript of a run as it happens: S-25 to S-36, R-30, against the real server and a scripted model.

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { auditPage, scripted, Server, until, Windows } from './harness';
import { SearchServer } from './search_server';
import { changes, moments, watch, type Moment, type Part } from './timeline';

let search: SearchServer;
let windows: Windows;
beforeAll(async () => {
  search = await SearchServer.start();
  search.finds('one', [
    { title: 'The pawl', url: 'https://example.org/pawl', content: 'It drops into the teeth.' },
    { title: 'Ships', url: 'https://ships.example.net/gear', content: 'Gear of ships.' },
  ]);
  search.finds('two', [
    { title: 'The pawl again', url: 'http://example.org/pawl?from=two#top', content: 'The same page.' },
    { title: 'The brake', url: 'https://example.org/brake', content: 'It lets down slowly.' },
  ]);
  windows = await Windows.open();
});
afterAll(async () => {
  await windows?.close();
  await search?.end();
});

const part = (name: string, at = 0) => (moment: Moment): Part | undefined =>
  moment.parts.filter((each) => each.part === name)[at];

describe('a run with thinking and search', () => {
  let server: Server;
  let page: Page;
  let all: Moment[];

  beforeAll(async () => {
    const allowed = ['web_search', 'read_file', 'get_file_tree'].flatMap((tool) => ['--allow', tool]);
    server = await Server.start({ model: scripted('phases.script'), config: search.config, args: allowed });
    search.hold('one');
    search.hold('two');
    const { session_id } = await server.api<{ session_id: string }>('/api/sessions', {});
    page = await windows.page(server, `/s/${session_id}`);
    await page.getByRole('textbox').first().waitFor();
    await watch(page);
    const { run_id } = await server.api<{ run_id: string }>(`/api/sessions/${session_id}/runs`, {
      message: 'Think, search,\n  think, answer.',
      reasoning_effort: 'high',
    });
    // Searching is shown before anything is found, and the first search while the second goes on.
    await page.locator('[data-part=search]').first().waitFor();
    search.release('one');
    await page.locator('[data-part=search] a').first().waitFor();
    search.release('two');
    await server.ended(run_id);
    await page.getByRole('button', { name: 'Inspect run' }).waitFor();
    await until(async () => (await page.locator('[data-part=reasoning] [aria-expanded=true]').count()) === 0, 'all thinking closes');
    all = await moments(page);
  });
  afterAll(async () => server?.end());
  afterEach(() => windows.expectQuiet());

  it('S-25 a block with a spinner is there at once, and says that it waits', () => {
    const first = all.find((moment) => moment.parts.length > 0);
    expect(first?.parts).toMatchObject([{ part: 'reasoning', isOpen: true, isBusy: true }]);
    expect(first?.parts[0]?.text).toContain('Waiting for reasoning tokens...');
  });

  it('S-26 S-34 pieces of thinking are added to the newest block as they come', () => {
    const texts = changes(all, (moment) => part('reasoning')(moment)?.text ?? '');
    const growing = texts.filter((text) => text.includes('First I'));
    expect(growing.length).toBeGreaterThanOrEqual(2);
    expect(growing[0]).not.toContain('look for.');
    expect(growing.some((text) => text.includes('First I think about what to look for.'))).toBe(true);
  });

  it('S-35 thinking after tools streams too', () => {
    const texts = changes(all, (moment) => part('reasoning', 1)(moment)?.text ?? '').filter((text) => text.includes('Then I'));
    expect(texts.length).toBeGreaterThanOrEqual(2);
    expect(texts[0]).not.toContain('was found.');
  });

  it('S-32 every phase has its own block, seeded with a spinner right after the tools', () => {
    const last = all.at(-1);
    expect(last?.parts.filter((each) => each.part === 'reasoning')).toHaveLength(3);
    for (const phase of [1, 2]) {
      const seeded = all.find((moment) => part('reasoning', phase)(moment));
      expect(seeded && part('reasoning', phase)(seeded)).toMatchObject({ isOpen: true, isBusy: true });
      expect(seeded && part('reasoning', phase)(seeded)?.text).toContain('Waiting for reasoning tokens...');
    }
  });

  it('S-34 what happened stands in the order of time', () => {
    const order = all.at(-1)?.parts.map((each) => each.part).filter((name) => name !== 'warnings');
    expect(order).toEqual(['reasoning', 'search', 'reasoning', 'tools', 'reasoning', 'answer', 'sources']);
  });

  it('S-27 the eye goes from reasoning to search to the answer', () => {
    const eyes = changes(all, (moment) => moment.parts.find((each) => each.isCurrent)?.part ?? '').filter(Boolean);
    // What comes within one frame is not seen apart: whatever is seen comes in this order, and these always.
    const order = ['reasoning', 'search', 'reasoning', 'tools', 'reasoning', 'answer'];
    let at = -1;
    for (const eye of eyes) expect((at = order.indexOf(eye, at + 1)), eyes.join(' ')).toBeGreaterThanOrEqual(0);
    expect(eyes.slice(0, 2)).toEqual(['reasoning', 'search']);
    expect(eyes.at(-1)).toBe('answer');
    expect(all.every((moment) => moment.parts.filter((each) => each.isCurrent).length <= 1)).toBe(true);
  });

  it('S-33 thinking closes when search was called and 350 ms were silent, without another token', () => {
    const called = all.find((moment) => part('search')(moment));
    const closed = all.find((moment) => part('reasoning')(moment)?.isOpen === false);
    const spoke = all.findLast((moment, at) => at > 0 && part('reasoning')(moment)?.isBusy);
    const silence = (closed?.at ?? 0) - Math.max(called?.at ?? 0, spoke?.at ?? 0);
    expect(silence).toBeGreaterThanOrEqual(340);
    expect(silence).toBeLessThan(1500);
    // It closed long before the next block came: nothing but the silence closed it.
    expect(closed && part('answer')(closed)).toBeUndefined();
  });

  it('S-28 search is there with a spinner when it is called, opens with its first result', () => {
    const first = all.find((moment) => part('search')(moment));
    expect(first && part('search')(first)).toMatchObject({ isOpen: false, isBusy: true });
    const opened = all.find((moment) => part('search')(moment)?.isOpen);
    expect(opened && part('search')(opened)?.text).toContain('The pawl');
  });

  it('S-28 links appear as they come, while another search still goes on', () => {
    const early = all.find((moment) => part('search')(moment)?.text.includes('Ships'));
    expect(early && part('search')(early)).toMatchObject({ isBusy: true, isOpen: true });
    expect(early && part('search')(early)?.text).not.toContain('The brake');
  });

  it('S-28 search closes when the answer begins, and not before', () => {
    const open = changes(all, (moment) => part('search')(moment)?.isOpen ?? null).filter((value) => value !== null);
    expect(open).toEqual([false, true, false]);
    const opened = all.findIndex((moment) => part('search')(moment)?.isOpen);
    const closed = all.findIndex((moment, at) => at > opened && part('search')(moment)?.isOpen === false);
    const answered = all.findIndex((moment) => part('answer')(moment));
    expect(closed).toBe(answered);
  });

  it('S-28 pages are told apart by host and path, and stand by host', async () => {
    const panel = page.locator('[data-part=search]');
    await panel.getByRole('button').first().click();
    expect(await panel.locator('.host-name').allInnerTexts()).toEqual(['example.org', 'ships.example.net']);
    expect(await panel.locator('.host a').allInnerTexts()).toEqual(['The pawl', 'The brake', 'Ships']);
    await panel.getByRole('button').first().click();
  });

  it('S-29 R-30 chips have counts and states; hidden tools have none', async () => {
    const chips = page.locator('[data-part=tools] .chips button');
    expect((await chips.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))).toEqual([
      'read_file ×2 failed',
      'get_file_tree done',
    ]);
    const text = (await page.locator('article').innerText()).toLowerCase();
    expect(text).not.toContain('get_current_time');
    expect(await page.locator('[data-part]:not([data-part=warnings])', { hasText: 'calculate' }).count()).toBe(0);
    // The inspector has all of them.
    await page.getByRole('button', { name: 'Inspect run' }).click();
    await page.getByText('get_current_time').filter({ visible: true }).first().waitFor();
    await page.getByText('calculate').filter({ visible: true }).first().waitFor();
    await page.keyboard.press('Escape');
  });

  it('S-30 a warning is told once, above the panels, and can be put away for good', async () => {
    const order = all.at(-1)?.parts.map((each) => each.part) ?? [];
    expect(order.filter((name) => name === 'warnings')).toHaveLength(1);
    expect(order[0]).toBe('warnings');
    const warnings = page.getByRole('list', { name: 'Warnings' });
    expect(await warnings.getByRole('status').count()).toBe(1);
    expect(await warnings.innerText()).toContain('DROPPED_ARGS');
    await warnings.getByRole('button', { name: 'Dismiss' }).click();
    await warnings.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('button', { name: 'Inspect run' }).waitFor();
    expect(await warnings.count()).toBe(0);
  });

  it('the reader’s own opening wins over what happens by itself', async () => {
    const block = page.locator('[data-part=reasoning]').first();
    expect(await block.getByRole('button').getAttribute('aria-expanded')).toBe('false');
    await block.getByRole('button').click();
    expect(await block.innerText()).toContain('First I think');
  });

  it('a footnote leads to its source, and the source to its call', async () => {
    await page.locator('[data-part=answer] .cite').click();
    const source = page.locator('[data-part=sources] li:focus');
    await source.waitFor();
    expect(await source.innerText()).toContain('The pawl');
    expect(await page.locator('[data-part=sources] li').count()).toBe(3);
    expect(await source.getByRole('button').count()).toBe(1);
  });

  it('says what the run took, and keeps the line breaks of the user', async () => {
    const text = await page.locator('article').innerText();
    expect(text).toContain('900 in, 120 out');
    expect(text).toContain('$0.0021');
    expect(await page.locator('.bubble p').innerText()).toBe('Think, search,\n  think, answer.');
  });

  it('without a wish for reasoning no block waits, and with one it goes when words come instead', async () => {
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await page.reload();
    await page.getByRole('button', { name: 'Inspect run' }).waitFor();
    await watch(page);
    const { run_id } = await server.api<{ run_id: string }>(`/api/sessions/${id}/runs`, {
      message: 'Answer without a thought.',
      reasoning_effort: 'low',
    });
    await server.ended(run_id);
    await page.getByText('No thought was needed.').waitFor();
    const seen = await moments(page);
    const counts = changes(seen, (moment) => moment.parts.filter((each) => each.part === 'reasoning').length);
    expect(counts).toEqual([3, 4, 3]);
  });

  it.each(['light', 'dark'] as const)('has no accessibility violations (%s)', async (theme) => {
    // Without motion: colours on their way from one theme to the other are nobody's.
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    const closed = page.locator('article [aria-expanded=false]:enabled');
    while (await closed.count()) await closed.first().click();
    await auditPage(page);
  });
});

describe('trouble', () => {
  let server: Server;
  let session: string;
  let page: Page;
  beforeAll(async () => {
    server = await Server.start({ model: scripted('trouble.script') });
    session = (await server.api<{ session_id: string }>('/api/sessions', {})).session_id;
    page = await windows.page(server, `/s/${session}`);
  });
  afterAll(async () => server?.end());
  afterEach(() => windows.expectQuiet());

  const start = async (message: string) =>
    (await server.api<{ run_id: string }>(`/api/sessions/${session}/runs`, { message })).run_id;

  it('a wait for another try is counted down, and over when the model is back', async () => {
    const run = await start('Try.');
    await page.getByText('The provider is busy.').waitFor();
    await page.getByText(/Retrying in [12] s/).waitFor();
    await server.ended(run);
    await page.getByText('Here I am again.').waitFor();
    expect(await page.getByText('The model did not answer').count()).toBe(0);
  });

  it('S-36 a run that failed says why, and what can be done', async () => {
    const run = await start('Fail.');
    await server.ended(run);
    const notice = page.getByRole('alert').filter({ hasText: 'The run failed' });
    await notice.waitFor();
    expect(await notice.innerText()).toContain('The key is not accepted.');
    await auditPage(page);
  });

  it('a run that was stopped says so, and keeps what was said', async () => {
    const run = await start('Hang.');
    await page.getByText('Before the silence.').waitFor();
    await server.api(`/api/runs/${run}/cancel`, {});
    await page.getByText('Cancelled').waitFor();
  });
});

describe('a run in pieces', () => {
  let server: Server;
  let session: string;
  let page: Page;
  beforeAll(async () => {
    server = await Server.start({ model: scripted('writing.script'), args: ['--approve', 'all'] });
    session = (await server.api<{ session_id: string }>('/api/sessions', {})).session_id;
    page = await windows.page(server, `/s/${session}`);
    await page.getByRole('textbox').first().waitFor();
  });
  afterAll(async () => server?.end());
  afterEach(() => windows.expectQuiet());

  const start = async (message: string) =>
    (await server.api<{ run_id: string }>(`/api/sessions/${session}/runs`, { message })).run_id;

  it('a call that is being written is shown with its size', async () => {
    await watch(page);
    await server.ended(await start('Write a long file.'));
    await page.getByRole('button', { name: 'Inspect run' }).waitFor();
    const seen = await moments(page);
    const written = seen.map(part('writing')).find(Boolean);
    expect(written?.text).toMatch(/Writing write_file … 1\d\d B/);
    expect(seen.at(-1) && part('writing')(seen.at(-1) as Moment)).toBeUndefined();
    // What it gave is a card: a diff behind a click.
    await page.locator('[data-call] [aria-expanded]').click();
    expect(await page.locator('[data-call] .diff .add').count()).toBe(1);
  });

  it('goes on where it was after a reload, and another window shows the same', async () => {
    const run = await start('Tell it in pieces.');
    await page.getByText('One piece,').waitFor();
    await page.reload();
    const other = await windows.page(server, `/s/${session}`);
    await page.getByText('One piece,').waitFor();
    await server.ended(run);
    const whole = 'One piece, two pieces, three pieces.';
    for (const window of [page, other]) {
      await until(
        async () => (await window.locator('[data-part=answer]').last().innerText()).replace(/\s+/g, ' ') === whole,
        'the whole answer, once',
      );
    }
    await other.close();
  });
});

describe('a run that says nothing', () => {
  it('offers to take it up, and tells what the server says to that', async () => {
    const server = await Server.start({ model: scripted('hang.script') });
    const { session } = await server.startRun('Wait for it.');
    const context = await windows.context();
    await context.clock.install();
    const page = await windows.page(server, `/s/${session}`, {}, context);
    await page.getByRole('article').first().waitFor();
    await page.clock.runFor(50_000);
    await page.getByText(/No activity for/).waitFor();
    await auditPage(page);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('alert').filter({ hasText: 'goes on already' }).waitFor();
    await page.close();
    await server.end();
  });
});
