// The frame of the app: sessions, composer, states, keys. Against the real server, with scripts as models.

import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JournalRecord } from '../src/view/types';
import { auditPage, scripted, Server, until, Windows, type Screen } from './harness';

let server: Server;
let hanging: Server;
let windows: Windows;
const opened: BrowserContext[] = [];

beforeAll(async () => {
  [server, hanging, windows] = await Promise.all([Server.start(), Server.start({ model: scripted('hang.script') }), Windows.open()]);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((context) => context.close()));
  windows.expectQuiet();
});
afterAll(async () => {
  await windows?.close();
  await server?.end();
  await hanging?.end();
});

/** A page in a window of its own, which ends with the test. */
async function show(path = '/', screen: Screen = {}, at = server): Promise<Page> {
  const context = await windows.context(screen);
  opened.push(context);
  return windows.page(at, path, screen, context);
}

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const sideBar = (page: Page) => page.getByRole('navigation', { name: 'Sessions' });
const said = (page: Page, text: string | RegExp) => page.getByRole('main').getByText(text).first();
const idOf = (page: Page) => new URL(page.url()).pathname.split('/')[2] ?? '';

/** A session with one run that has ended. */
async function pastSession(title: string): Promise<string> {
  const { session, run } = await server.startRun('Say hello.');
  await server.ended(run);
  await server.api(`/api/sessions/${session}`, { title }, 'PATCH');
  return session;
}

/** Says something in a new session. */
async function begin(page: Page, message: string): Promise<void> {
  await composer(page).fill(message);
  await composer(page).press('Enter');
  await page.waitForURL(/\/s\/./);
}

describe('sending', () => {
  it('begins a session with the first message, at an address of its own, without showing anything in between', async () => {
    const page = await show();
    await composer(page).waitFor();
    await page.evaluate(() => {
      const seen = new Set<string>();
      Object.assign(window, { seen });
      new MutationObserver(() => {
        if (document.querySelector('.skeleton.session')) seen.add('skeleton');
      }).observe(document.body, { childList: true, subtree: true });
    });
    await begin(page, 'Say hello.');
    await said(page, 'Hello! Ask me').waitFor();
    expect(await composer(page).inputValue()).toBe('');
    expect(await composer(page).evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await page.evaluate(() => [...(window as unknown as { seen: Set<string> }).seen])).toEqual([]);
    await sideBar(page).getByRole('link', { name: 'Say hello.' }).first().waitFor();
    await until(async () => (await page.title()) === 'Say hello. · Windlass', 'the title follows');
    await composer(page).fill('And again.');
    await composer(page).press('Control+Enter');
    await said(page, /Hello (\*\*)?again/).waitFor();
  });

  it('breaks the line with Shift-Enter, and grows with the text', async () => {
    const page = await show();
    await composer(page).fill('one');
    const low = (await composer(page).boundingBox())?.height ?? 0;
    await composer(page).press('Shift+Enter');
    await composer(page).pressSequentially('two');
    expect(await composer(page).inputValue()).toBe('one\ntwo');
    expect((await composer(page).boundingBox())?.height ?? 0).toBeGreaterThan(low);
    expect(new URL(page.url()).pathname).toBe('/');
  });

  it('keeps drafts by session over a reload', async () => {
    const id = await pastSession('With a draft');
    const page = await show(`/s/${id}`);
    await composer(page).fill('half a thought');
    await page.reload();
    await until(async () => (await composer(page).inputValue()) === 'half a thought', 'the draft is back');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'New session' }).click();
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
    expect(await composer(page).inputValue()).toBe('');
  });

  it('tells why a message was refused, keeps it, and sends it with another model', async () => {
    const page = await show();
    await page.getByRole('button', { name: /^Model/ }).click();
    await page.getByRole('combobox', { name: /Search models/ }).fill('nowhere/none');
    await page.keyboard.press('Enter');
    await composer(page).fill('Say hello.');
    await composer(page).press('Enter');
    await page.getByText('Not sent:').waitFor();
    expect(await composer(page).inputValue()).toBe('Say hello.');
    await page.getByRole('button', { name: /^Model/ }).click();
    await page.getByRole('option', { name: /Default/ }).click();
    await page.getByRole('button', { name: 'Retry' }).click();
    await said(page, 'Hello! Ask me').waitFor();
  });

  it('wishes for the effort and the tools that were chosen, and remembers them', async () => {
    const page = await show();
    await page.getByRole('combobox', { name: 'Thinking effort' }).selectOption('low');
    await page.getByRole('button', { name: /Tools/ }).click();
    await page.getByRole('button', { name: 'None' }).click();
    await page.getByRole('checkbox', { name: /^read_file/ }).check();
    await page.keyboard.press('Escape');
    await begin(page, 'Say hello.');
    await said(page, 'Hello! Ask me').waitFor();
    const { records } = await server.api<{ records: JournalRecord[] }>(`/api/sessions/${idOf(page)}/records`);
    const wishes = records.flatMap(({ event }) => (event.type === 'run_started' ? [event.wishes] : []));
    expect(wishes[0]).toMatchObject({ tools: ['read_file'], sampling: { reasoning_effort: 'low' } });
    await page.reload();
    await page.getByRole('button', { name: /Tools 1\// }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Thinking effort' }).inputValue()).toBe('low');
    // With the session, not with the browser.
    const { settings } = await server.api<{ settings: { reasoning_effort?: string } }>(`/api/sessions/${idOf(page)}`);
    expect(settings.reasoning_effort).toBe('low');
    await page.getByRole('combobox', { name: 'Thinking effort' }).selectOption('');
    await until(async () => {
      const after = await server.api<{ settings?: { reasoning_effort?: string } }>(`/api/sessions/${idOf(page)}`);
      return after.settings?.reasoning_effort === undefined;
    }, 'no reasoning effort in the settings');
  });

  it('names the model readably on a phone', async () => {
    const page = await show('/', { width: 390, height: 844 });
    const name = page.getByRole('button', { name: /^Model/ }).locator('.name');
    expect(await name.evaluate((it) => it.clientWidth)).toBeGreaterThan(200);
    expect(await name.textContent()).toMatch(/^scripted\//);
  });

  it('edits the last message as a fork with the up arrow', async () => {
    const id = await pastSession('To be forked');
    const page = await show(`/s/${id}`);
    await said(page, 'Hello! Ask me').waitFor();
    await composer(page).press('ArrowUp');
    await page.getByText('Editing your message.').waitFor();
    await auditPage(page);
    await page.keyboard.press('Escape');
    await page.getByText('Editing your message.').waitFor({ state: 'hidden' });
    await composer(page).press('ArrowUp');
    const edited = page.getByRole('textbox', { name: 'Edit your message' });
    expect(await edited.inputValue()).toBe('Say hello.');
    await edited.fill('Say hello, please.');
    await edited.press('Enter');
    await page.waitForURL((url) => url.pathname.startsWith('/s/') && !url.pathname.endsWith(id));
    await said(page, 'Say hello, please.').waitFor();
    await page.getByRole('link', { name: 'forked', exact: true }).waitFor();
    const { fork } = await server.api<{ fork?: { session_id: string; step: number } }>(`/api/sessions/${idOf(page)}`);
    expect(fork).toMatchObject({ session_id: id, step: 0 });
  });
});

describe('a run that goes on', () => {
  it('is seen live in two tabs, goes on over a reload where it was, and stops with Esc', async () => {
    const page = await show('/', {}, hanging);
    await begin(page, 'Go on until I stop you.');
    await said(page, 'I begin, and I do not end by myself.').waitFor();
    await until(async () => (await page.title()).startsWith('● '), 'the title tells that it runs');
    await sideBar(page).locator('li', { hasText: 'running' }).first().waitFor();

    const other = await windows.page(hanging, new URL(page.url()).pathname, {}, page.context());
    await said(other, 'I begin, and I do not end by myself.').waitFor();
    await page.bringToFront();
    await page.reload();
    await said(page, 'I begin, and I do not end by myself.').waitFor();
    expect(await page.getByRole('main').getByText('I begin, and I do not end').count()).toBe(1);

    await composer(page).fill('Too early.');
    await composer(page).press('Enter');
    await page.getByText('Still running. Your draft is saved; send it when the run has ended.').waitFor();
    await composer(page).press('Escape');
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(await composer(page).inputValue()).toBe('Too early.');
    await other.bringToFront();
    await other.getByRole('button', { name: 'Send' }).waitFor();
    await until(async () => !(await page.title()).includes('●'), 'the title tells that it ended');
    const { runs } = await hanging.api<{ runs: { outcome?: string }[] }>(`/api/runs?session_id=${idOf(page)}`);
    expect(runs.map((run) => run.outcome)).toEqual(['cancelled']);
  });

  it('shows its question in the sidebar and in the title until it is answered elsewhere', async () => {
    const page = await show('/', {}, hanging);
    await begin(page, 'Go on until I stop you.');
    await page.getByRole('button', { name: 'Stop the run' }).click();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await composer(page).fill('Write it down.');
    await composer(page).press('Enter');
    await sideBar(page).locator('li', { hasText: 'question waiting' }).waitFor();
    await until(async () => (await page.title()).startsWith('(1) ●'), 'the title tells of the question');
    await allow(hanging, idOf(page));
    await said(page, 'It is written.').waitFor();
    await until(async () => !/^\(|●/.test(await page.title()), 'the title is quiet again');
    await sideBar(page).locator('li', { hasText: 'question waiting' }).waitFor({ state: 'detached' });
  });
});

/** Answers the question of a session from outside. */
async function allow(at: Server, session: string): Promise<void> {
  const { records } = await at.api<{ records: JournalRecord[] }>(`/api/sessions/${session}/records`);
  const asked = records.findLast(({ event }) => event.type === 'permission_requested');
  await at.answer(asked?.run_id ?? '', 'once');
}

describe('sessions', () => {
  it('are renamed in the sidebar and in the head', async () => {
    const id = await pastSession('Old name');
    const page = await show(`/s/${id}`);
    const row = sideBar(page).getByRole('listitem').filter({ hasText: 'Old name' });
    await row.hover();
    await row.getByRole('button', { name: 'More actions for Old name' }).click();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Session title' }).fill('New name');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'New name' }).getByRole('button').click();
    await page.getByRole('textbox', { name: 'Session title' }).fill('Newest name');
    await page.keyboard.press('Enter');
    await sideBar(page).getByRole('link', { name: 'Newest name' }).waitFor();
    await page.getByRole('heading', { name: 'Newest name' }).getByRole('button').click();
    await page.getByRole('textbox', { name: 'Session title' }).fill('Never kept');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Newest name' }).waitFor();
    expect((await server.api<{ title: string }>(`/api/sessions/${id}`)).title).toBe('Newest name');
  });

  it('are deleted after a question that says what is lost, in all tabs', async () => {
    const id = await pastSession('To be deleted');
    const page = await show(`/s/${id}`);
    const other = await windows.page(server, '/', {}, page.context());
    await sideBar(other).getByRole('link', { name: 'To be deleted' }).waitFor();
    const watcher = await windows.page(server, `/s/${id}`, {}, page.context());
    await said(watcher, 'Hello! Ask me').waitFor();
    await page.bringToFront();
    const row = sideBar(page).getByRole('listitem').filter({ hasText: 'To be deleted' });
    await row.hover();
    await row.getByRole('button', { name: /More actions for/ }).click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this session?' });
    await dialog.getByText('its 1 run with all messages').waitFor();
    await auditPage(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await row.hover();
    await row.getByRole('button', { name: /More actions for/ }).click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
    expect(await sideBar(page).getByRole('link', { name: 'To be deleted' }).count()).toBe(0);
    await other.bringToFront();
    await sideBar(other).getByRole('link', { name: 'To be deleted' }).waitFor({ state: 'detached' });
    await watcher.bringToFront();
    await said(watcher, 'Session deleted').waitFor();
  });

  it('are searched by the server, from the keyboard', async () => {
    await pastSession('A heron like any other');
    await pastSession('A very special heron');
    const page = await show();
    await sideBar(page).getByRole('link', { name: 'A very special heron' }).waitFor();
    await page.getByRole('heading', { name: 'What would you like to do?' }).click();
    await page.keyboard.press('/');
    await page.keyboard.type('special heron');
    await until(async () => (await sideBar(page).getByRole('link').count()) === 1, 'one is left');
    await sideBar(page).getByRole('link', { name: 'A very special heron' }).waitFor();
    await page.keyboard.type(' nowhere');
    expect(await page.getByRole('searchbox', { name: 'Search sessions' }).inputValue()).toBe('special heron nowhere');
    await page.getByText('No sessions match “special heron nowhere”.').waitFor();
    await page.keyboard.press('Escape');
    await until(async () => (await sideBar(page).getByRole('link').count()) > 1, 'all are back');
    await composer(page).focus();
    await page.keyboard.press('Control+k');
    expect(await page.getByRole('searchbox', { name: 'Search sessions' }).evaluate((field) => field === document.activeElement)).toBe(true);
  });

  it('come page by page, as far as one scrolls', async () => {
    const many = await Server.start();
    try {
      for (let at = 0; at < 120; at += 1) await many.api('/api/sessions', { title: `Session ${at}` });
      const page = await show('/', {}, many);
      await sideBar(page).getByRole('link', { name: 'Session 119', exact: true }).waitFor();
      expect(await sideBar(page).getByRole('link').count()).toBeLessThan(120);
      await until(async () => {
        await sideBar(page).getByRole('link').last().scrollIntoViewIfNeeded();
        return (await sideBar(page).getByRole('link').count()) === 120;
      }, 'all are there');
      await many.api('/api/sessions', { title: 'Made elsewhere' });
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      await sideBar(page).getByRole('link', { name: 'Made elsewhere' }).waitFor();
      expect(await sideBar(page).getByRole('link').count()).toBe(121);
    } finally {
      await many.end();
    }
  });

  it('that are not there say so', async () => {
    const page = await show('/s/nothing');
    await page.locator('.notice').getByText('Session not found').last().waitFor();
    await auditPage(page);
  });
});

describe('a run in the middle', () => {
  it('goes on over a reload and over a server that was killed, exactly where it was', async () => {
    const shaky = await Server.start({ model: scripted('ask.script') });
    try {
      const page = await show('/', {}, shaky);
      await begin(page, 'Write it down.');
      await sideBar(page).locator('li', { hasText: 'question waiting' }).waitFor();
      await page.reload();
      await said(page, 'I need a file for that.').waitFor();
      await shaky.kill();
      await page.getByText('The server is not responding. Retrying').waitFor();
      await said(page, 'I need a file for that.').waitFor();
      await shaky.up();
      await page.getByText('The server is not responding. Retrying').waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Allow once' }).click();
      await said(page, 'It is written.').waitFor();
      expect(await page.getByRole('main').getByText('I need a file for that.').count()).toBe(1);
      await page.getByRole('button', { name: 'Send' }).waitFor();
    } finally {
      await shaky.end();
    }
  });
});

describe('states', () => {
  it('greets, with examples that fill the composer', async () => {
    for (const theme of ['light', 'dark'] as const) {
      const page = await show('/', { theme });
      await page.getByRole('button', { name: /Explain this folder/ }).click();
      await until(async () => (await composer(page).inputValue()).startsWith('What is in this folder?'), 'the example is there');
      await auditPage(page);
    }
  });

  it('are reachable for everybody, in light and dark', async () => {
    const id = await pastSession('Audited');
    for (const theme of ['light', 'dark'] as const) {
      const page = await show(`/s/${id}`, { theme });
      await said(page, 'Hello! Ask me').waitFor();
      await auditPage(page);
      await page.getByRole('button', { name: /^Model/ }).click();
      await page.getByRole('listbox', { name: 'Models' }).getByRole('option').nth(2).waitFor();
      await auditPage(page);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: /Tools/ }).click();
      await page.getByRole('checkbox', { name: /^read_file/ }).waitFor();
      await auditPage(page);
      await page.keyboard.press('Escape');
      await composer(page).press('ArrowUp');
      await page.getByText('Editing your message.').waitFor();
      await auditPage(page);
      await composer(page).or(page.getByRole('textbox', { name: /Edit your message/ })).press('Escape');
      const row = sideBar(page).getByRole('listitem').filter({ hasText: 'Audited' });
      await row.hover();
      await row.getByRole('button', { name: 'More actions for Audited' }).click();
      await page.getByRole('button', { name: 'Rename' }).waitFor();
      await auditPage(page);
      await page.getByRole('button', { name: 'Delete…' }).click();
      await page.getByRole('dialog', { name: 'Delete this session?' }).waitFor();
      await auditPage(page);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: /Keyboard shortcuts/ }).click();
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await auditPage(page);
    }
  });

  it('says that the server is away, keeps everything, and comes back by itself', async () => {
    const shaky = await Server.start();
    try {
      const page = await show('/', {}, shaky);
      await begin(page, 'Say hello.');
      await said(page, 'Hello! Ask me').waitFor();
      await composer(page).fill('And again.');
      await shaky.kill();
      await page.getByText('The server is not responding. Retrying').waitFor();
      await auditPage(page);
      await composer(page).press('Enter');
      await page.getByText('Not sent:').waitFor();
      expect(await composer(page).inputValue()).toBe('And again.');
      await said(page, 'Hello! Ask me').waitFor();
      await shaky.up();
      await page.getByText('The server is not responding. Retrying').waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Retry' }).click();
      await said(page, /Hello (\*\*)?again/).waitFor();
      expect(await page.getByRole('main').getByText('Hello! Ask me').count()).toBe(1);
    } finally {
      await shaky.end();
    }
  });

  it('says that a page broke, and shows it again', async () => {
    const page = await show('/');
    await composer(page).fill('still here');
    let isBroken = true;
    await page.route('**/api/tools', async (route) => {
      if (!isBroken) return route.continue();
      const nameless = { category: 'search', effects: 'read' };
      return route.fulfill({ json: { tools: [nameless, nameless] } });
    });
    await page.reload();
    await page.getByRole('button', { name: /Tools/ }).click();
    await page.getByText('Something went wrong').waitFor();
    await auditPage(page);
    isBroken = false;
    await page.getByRole('button', { name: 'Retry' }).click();
    expect(await composer(page).inputValue()).toBe('still here');
  });

  it('says that a part of the app could not be loaded', async () => {
    const page = await show('/');
    await page.route(/TasksPage.*\.js/, (route) => route.abort());
    await page.getByRole('link', { name: 'Tasks' }).click();
    await page.getByText('Could not load this part of the app').waitFor();
    await auditPage(page);
  });

  it('knows pages that are not there', async () => {
    const page = await show('/');
    await page.evaluate(() => {
      history.pushState(null, '', '/nowhere');
      dispatchEvent(new PopStateEvent('popstate'));
    });
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await auditPage(page);
  });
});

describe('the frame', () => {
  it('has a drawer on narrow screens: trapped, closed by Esc, backdrop and going somewhere', async () => {
    const id = await pastSession('Seen on a phone');
    const page = await show('/', { width: 360, height: 740 });
    const drawer = page.getByRole('dialog', { name: 'Sidebar' });
    const openIt = () => page.getByRole('button', { name: /sidebar/ }).first().click();
    await openIt();
    await drawer.waitFor();
    await auditPage(page);
    for (let at = 0; at < 60; at += 1) await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement === document.body || Boolean(document.activeElement?.closest('dialog')))).toBe(true);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    await openIt();
    await page.mouse.click(350, 400);
    await drawer.waitFor({ state: 'hidden' });
    await openIt();
    await drawer.getByRole('link', { name: 'Seen on a phone' }).click();
    await drawer.waitFor({ state: 'hidden' });
    await said(page, 'Hello! Ask me').waitFor();
    expect(idOf(page)).toBe(id);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await auditPage(page);
  });

  it('keeps the theme that was chosen, and follows the system otherwise', async () => {
    const page = await show('/', { theme: 'light' });
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await page.getByRole('radio', { name: 'Dark' }).check();
    const dark = await paper();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole('radio', { name: 'Dark' }).waitFor();
    expect(await paper()).toBe(dark);
    await page.getByRole('radio', { name: 'System' }).check();
    expect(await paper()).toBe(light);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await paper()).toBe(dark);
  });

  it('opens the inspector at an address that a reload keeps, and remembers its width', async () => {
    const id = await pastSession('To be looked into');
    const page = await show(`/s/${id}`, { width: 1440, height: 900 });
    await said(page, 'Hello! Ask me').waitFor();
    await page.getByRole('button', { name: 'Open inspector (i)' }).click();
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.waitFor();
    expect(new URL(page.url()).searchParams.get('inspect')).toBeTruthy();
    const grip = page.getByRole('separator', { name: 'Inspector width' });
    await grip.focus();
    await page.keyboard.press('ArrowLeft');
    const width = (await inspector.boundingBox())?.width;
    await page.reload();
    await inspector.waitFor();
    expect((await inspector.boundingBox())?.width).toBe(width);
    await page.goBack();
    await inspector.waitFor({ state: 'detached' });
  });

  it('opens the inspector over the page on narrow screens, and closes it with Esc', async () => {
    const id = await pastSession('Looked into on a phone');
    const page = await show(`/s/${id}`, { width: 360, height: 740 });
    await said(page, 'Hello! Ask me').waitFor();
    await page.getByRole('button', { name: 'Open inspector (i)' }).click();
    const sheet = page.getByRole('dialog', { name: 'Inspector' });
    await sheet.getByRole('heading', { name: 'Inspector' }).waitFor();
    expect((await sheet.boundingBox())?.width).toBe(360);
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
  });

  it('explains its keys, and opens a new session with n', async () => {
    const id = await pastSession('Left with a key');
    const page = await show(`/s/${id}`);
    await said(page, 'Hello! Ask me').waitFor();
    await composer(page).fill('n?/');
    expect(await composer(page).inputValue()).toBe('n?/');
    await composer(page).fill('');
    await said(page, 'Hello! Ask me').click();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.getByText('Search sessions').waitFor();
    await auditPage(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.keyboard.press('n');
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
  });

  it('lets the keyboard skip to the content', async () => {
    const page = await show('/tools');
    await page.getByRole('heading', { name: /Tools/ }).first().waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
  });
});

describe('the built-in model', () => {
  it('answers small talk, takes a no, and the tasks of a session are counted while the talk goes on', async () => {
    const files = { 'notes.txt': 'The needle is here.\n', '.windlass/config.toml': '[permissions]\nask = ["read_file"]\n' };
    const own = await Server.start({ model: 'builtin', files });
    try {
      const page = await show('/', {}, own);
      page.setDefaultTimeout(20_000);
      await begin(page, 'Add a task: buy rope');
      const tasks = page.getByRole('link', { name: 'Session tasks, 1 open' });
      await tasks.waitFor();
      await page.getByRole('button', { name: /^Stop/ }).waitFor({ state: 'detached' });
      await composer(page).fill('Read notes.txt');
      await composer(page).press('Enter');
      await page.getByRole('button', { name: 'Deny', exact: true }).click();
      await said(page, 'was not allowed').waitFor();
      await page.getByRole('button', { name: /^Stop/ }).waitFor({ state: 'detached' });
      await composer(page).fill('hello');
      await composer(page).press('Enter');
      await said(page, 'What shall I do?').waitFor();
      await tasks.waitFor();
      await page.reload();
      await tasks.waitFor();
    } finally {
      await own.end();
    }
  }, 120_000);
});
