// The pages beside the sessions: search, tasks, tools, modules, permissions, models, snapshots.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Download, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { auditPage, scripted, Server, until, Windows } from './harness';

let server: Server;
let windows: Windows;
const pages: Page[] = [];

beforeAll(async () => {
  server = await Server.start({
    model: scripted('tasks.script'),
    files: {
      'notes.txt': 'The needle is here.\n',
      'src/main.rs': 'fn main() {}\n',
      'secrets/key': 'hidden\n',
      '.windlass/config.toml': '[permissions]\ndeny = ["read_file(secrets/**)"]\nask = ["read_file(notes.txt)"]\n',
    },
  });
  windows = await Windows.open();
});
afterAll(async () => {
  await windows?.close();
  await server?.end();
});
afterEach(async () => {
  await Promise.all(pages.splice(0).map((page) => page.context().close()));
  windows.expectQuiet();
  windows.complaints.length = 0;
});

async function open(path: string, screen = {}, on = server): Promise<Page> {
  const page = await windows.page(on, path, { reducedMotion: true, ...screen });
  page.setDefaultTimeout(10_000);
  pages.push(page);
  return page;
}

const twoFrames = (page: Page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** The page in light and dark, wide and narrow: no violation, and nothing that has to be scrolled sideways. */
async function auditEverywhere(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // Colours change with the frame after the next.
    await twoFrames(page);
    await auditPage(page);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  // The sidebar goes with the frame after the next.
  await twoFrames(page);
  const width = await page.evaluate(() => Math.max(document.documentElement.scrollWidth, document.querySelector('main')?.scrollWidth ?? 0));
  expect(width).toBeLessThanOrEqual(360);
  await auditPage(page);
}

const json = (page: Page) => page.getByLabel('Arguments as JSON').inputValue().then((text) => JSON.parse(text) as unknown);
const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true }).click();

const SORT = {
  module_id: 'sort.mail',
  signature: { inputs: [{ name: 'mail', description: 'The text of a mail' }], outputs: [{ name: 'folder' }, { name: 'urgent', field_type: 'boolean' }] },
  instruction: 'Sort the mail into a folder.',
  metadata: { version: '1' },
};

describe('modules', () => {
  it('has a way to begin, takes in a new module, shows its prompt and runs it', async () => {
    const own = await Server.start({ model: scripted('module.script') });
    try {
      const page = await open('/modules', {}, own);
      await page.getByText('No modules yet').waitFor();
      await auditEverywhere(page);
      const folder = join(own.folder, 'home/windlass/modules');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'sort.json'), JSON.stringify(SORT));
      writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ version: '1.0', modules: { 'sort.mail': { path: 'sort.json' } } }));
      await until(async () => (await own.api<{ modules: object[] }>('/api/modules')).modules.length === 1, 'the module is there');
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(`${own.url}/modules`);
      await page.getByRole('link', { name: /sort\.mail/ }).click();
      await page.getByRole('heading', { name: 'sort.mail' }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/modules/sort.mail');
      await page.getByRole('textbox', { name: /^mail/ }).fill('Lunch?');
      await page.getByRole('tab', { name: 'Prompt' }).click();
      await page.getByLabel('system prompt', { exact: true }).getByText('Sort the mail into a folder.').waitFor();
      await page.getByLabel('message 1', { exact: true }).getByText('Lunch?').waitFor();
      await page.getByRole('tab', { name: 'Run it' }).click();
      await run(page);
      const outputs = page.getByLabel('Outputs');
      await outputs.waitFor();
      expect(await outputs.innerText()).toMatch(/folder[\s\S]*friends[\s\S]*urgent[\s\S]*false/);
      await auditEverywhere(page);
      await page.getByRole('link', { name: 'Open run' }).click();
      await until(() => new URL(page.url()).pathname.startsWith('/runs/'), 'the run is shown');
    } finally {
      await own.end();
    }
  });
});

describe('search', () => {
  it('shows passages with the parts of their scores, and keeps the search in the address', async () => {
    const page = await open('/search');
    await page.getByText('in the index').waitFor();
    await page.getByLabel('Search the project').fill('needle');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByText('notes.txt:1').waitFor();
    await page.getByText('The needle is here.').waitFor();
    expect(new URL(page.url()).search).toBe('?q=needle');
    const score = page.getByLabel('Score of notes.txt:1');
    expect(await score.innerText()).toMatch(/score[\s\S]*words/);
    await auditEverywhere(page);
    await page.goto(`${server.url}/search?q=main&kind=structural`);
    await page.getByText('src/main.rs:1').waitFor();
    await page.getByLabel('Search the project').fill('xylophone');
    await page.getByLabel('Search the project').press('Enter');
    await page.getByText('No results').waitFor();
    expect(new URL(page.url()).search).toBe('?q=xylophone&kind=structural');
  });
});

describe('tools', () => {
  it('lists the registry, with search and filters, and shows a tool at its own address', async () => {
    const page = await open('/tools');
    await page.getByText('22 tools').waitFor();
    await page.getByLabel('Search tools').fill('regular expression');
    await page.getByText('2 of 22 tools').waitFor();
    await page.getByLabel('Risk', { exact: true }).selectOption('medium');
    await page.getByText('1 of 22 tools').waitFor();
    await page.getByLabel('Effects').selectOption('write');
    await page.getByText('No tools match').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByLabel('Scope').selectOption('execute_commands');
    await auditEverywhere(page);
    await page.getByRole('link', { name: 'execute_command' }).click();
    expect(new URL(page.url()).pathname).toBe('/tools/execute_command');
    await page.getByRole('heading', { name: 'execute_command' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'execute_command' }).waitFor({ state: 'detached' });
  });

  it('shows all that a spec says, also under another name of the tool', async () => {
    const page = await open('/tools/run_command');
    await page.getByRole('heading', { name: 'execute_command' }).waitFor();
    await page.getByText('Acts outside Windlass').waitFor();
    await page.getByText('runs commands', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Schema' }).click();
    await page.getByRole('tabpanel').getByText('additionalProperties').first().waitFor();
    await page.getByText('cmd for command').waitFor();
    await page.getByRole('tab', { name: 'Limits' }).click();
    await page.getByText('A call is stopped after 10 min 05 s.').waitFor();
    await page.getByText('Unknown arguments are refused.').waitFor();
    await page.getByRole('tab', { name: 'Examples' }).click();
    await page.getByRole('button', { name: 'Use example 1' }).click();
    expect(await json(page)).toEqual({ argv: ['cargo', 'test', '--quiet'], timeout_ms: 300000 });
    await page.goto(`${server.url}/tools/nothing_here`);
    await page.getByText('Tool nothing_here not found').waitFor();
    await auditEverywhere(page);
  });

  it('makes a form of lists, rows, numbers and defaults, and JSON goes both ways', async () => {
    const page = await open('/tools/execute_command');
    await page.getByRole('button', { name: 'Add argv' }).click();
    await page.getByRole('textbox', { name: '1', exact: true }).fill('git');
    await page.getByRole('button', { name: 'Add to argv' }).click();
    await page.getByRole('textbox', { name: '2', exact: true }).fill('--version');
    await page.getByRole('button', { name: 'Move argv 2 up' }).click();
    expect(await json(page)).toEqual({ argv: ['--version', 'git'] });
    await page.getByRole('button', { name: 'Move argv 1 down' }).click();
    await page.getByRole('button', { name: 'Add env' }).click();
    await page.getByRole('button', { name: 'Add a field' }).click();
    await page.getByLabel('Name', { exact: true }).fill('LANG');
    await page.getByLabel('value', { exact: true }).fill('C');
    await page.getByLabel('timeout_ms').fill('0');
    await page.getByText('Must be at least 1.').waitFor();
    await page.getByLabel('timeout_ms').fill('5000');
    expect(await json(page)).toEqual({ argv: ['git', '--version'], env: { LANG: 'C' }, timeout_ms: 5000 });
    await auditEverywhere(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByLabel('Arguments as JSON').fill('{"command": "echo hello", "env": {"A": "1", "B": "2"}');
    await page.getByText('Not valid JSON').waitFor();
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true);
    await page.getByLabel('Arguments as JSON').fill('{"command": "echo hello", "env": {"A": "1", "B": "2"}}');
    expect(await page.getByLabel('command', { exact: true }).inputValue()).toBe('echo hello');
    expect(await page.getByLabel('Name', { exact: true }).count()).toBe(2);
    await page.getByRole('button', { name: 'Clear env' }).click();
    expect(await json(page)).toEqual({ command: 'echo hello' });
  });

  it('makes a form of a list of objects, of a list of values, and of true and false', async () => {
    const page = await open('/tools/edit_file');
    await page.getByLabel('path').fill('notes.txt');
    await page.getByLabel('new').fill('thimble');
    await page.getByLabel('old').fill('needle');
    await page.getByLabel('true').check();
    expect(await json(page)).toEqual({ path: 'notes.txt', edits: [{ new: 'thimble', old: 'needle', replace_all: true }] });
    await page.getByRole('button', { name: 'Remove edits 1' }).click();
    await page.getByText('Needs at least 1 item.').waitFor();
    await page.goto(`${server.url}/tools/search_text`);
    await page.getByLabel('pattern').fill('needle');
    await page.getByLabel('case').selectOption({ label: 'smart' });
    await page.getByRole('group', { name: 'is_literal' }).getByLabel('false').check();
    await page.getByRole('button', { name: 'Set to empty glob' }).click();
    expect(await json(page)).toEqual({ pattern: 'needle', case: 'smart', is_literal: false, glob: '' });
    await page.getByLabel('case').selectOption({ label: 'not set' });
    expect(await json(page)).toEqual({ pattern: 'needle', is_literal: false, glob: '' });
  });

  it('E-13 points to the field that is wrong, before sending and after the server refused', async () => {
    const page = await open('/tools/read_file');
    await run(page);
    await page.getByText('The arguments do not match the schema').waitFor();
    expect(await page.getByLabel('path').getAttribute('aria-invalid')).toBe('true');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-invalid'))).toBe('true');
    await page.getByRole('button', { name: 'Send anyway' }).click();
    await page.getByText("The server says: Missing required arg 'path'. Expected: string.").first().waitFor();
    await page.getByRole('region', { name: 'Outcome' }).getByText('invalid_args').waitFor();
    await page.getByLabel('path').fill('notes.txt');
    await page.getByText('The server says').waitFor({ state: 'detached' });
    await page.getByLabel('start_line').fill('first');
    await run(page);
    await page.locator('[id$="start_line-fault"]').getByText('Must be a whole number.').waitFor();
    // What only the tool itself can know comes back to the field as well.
    await page.goto(`${server.url}/tools/calculate`);
    await page.getByLabel('expression').fill('1 +');
    await run(page);
    await page.getByText('Expected: an arithmetic expression.').first().waitFor();
    await page.getByText('Look at column').waitFor();
    await auditEverywhere(page);
  });

  it('runs what is safe at once, shows the outcome, and remembers the call in this tab', async () => {
    const page = await open('/tools/calculate');
    await page.getByLabel('expression').fill('19 + 23');
    await page.keyboard.press('Control+Enter');
    const outcome = page.getByRole('region', { name: 'Outcome' });
    await outcome.getByText('42').waitFor();
    await outcome.getByText(/\d+ ms/).waitFor();
    await outcome.getByRole('tab', { name: 'As the model sees it' }).click();
    await outcome.getByText('{"ok":true,"output":"42"}').waitFor();
    await auditEverywhere(page);
    await page.reload();
    await page.getByRole('button', { name: 'Use again' }).click();
    expect(await json(page)).toEqual({ expression: '19 + 23' });
  });

  it('R-51 asks before a call that needs asking, with risk, preview and rule, and runs it once', async () => {
    const page = await open('/tools/write_file');
    await page.getByLabel('path').fill('made.txt');
    await page.getByLabel('content').fill('one\ntwo\n');
    await run(page);
    const panel = page.getByRole('region', { name: 'This call needs approval' });
    await panel.getByText('write_file(made.txt)').waitFor();
    await panel.locator('.row.add', { hasText: 'one' }).waitFor();
    await panel.getByText('high risk', { exact: true }).waitFor();
    expect(existsSync(join(server.project, 'made.txt'))).toBe(false);
    await auditEverywhere(page);
    await panel.getByRole('button', { name: 'Cancel' }).click();
    await panel.waitFor({ state: 'detached' });
    await run(page);
    await panel.getByRole('button', { name: 'Allow once' }).click();
    await page.getByRole('region', { name: 'Outcome' }).getByText('ok', { exact: true }).waitFor();
    expect(readFileSync(join(server.project, 'made.txt'), 'utf8')).toBe('one\ntwo\n');
  });

  it('wants a word typed before a critical call', async () => {
    const page = await open('/tools/execute_command');
    await page.getByLabel('command', { exact: true }).fill('rm -rf made-up-folder');
    await run(page);
    const panel = page.getByRole('region', { name: 'This call needs approval' });
    const once = panel.getByRole('button', { name: 'Allow once' });
    await panel.getByText('critical risk', { exact: true }).waitFor();
    expect(await once.isDisabled()).toBe(true);
    const word = await panel.locator('label code').innerText();
    await panel.getByRole('textbox').fill(word);
    await auditEverywhere(page);
    await once.click();
    await page.getByRole('region', { name: 'Outcome' }).getByText('ok', { exact: true }).waitFor();
  });

  it('R-49 runs nothing that a rule denies, and names the rule', async () => {
    const page = await open('/tools/read_file');
    await page.getByLabel('path').fill('secrets/key');
    await run(page);
    const panel = page.getByRole('region', { name: 'This call is denied' });
    await panel.getByText('read_file(secrets/**)').first().waitFor();
    expect(await panel.getByRole('button', { name: 'Allow once' }).count()).toBe(0);
    await auditEverywhere(page);
  });
});

describe('permissions', () => {
  it('Z-15 stores a rule, obeys it, and takes it away again', async () => {
    const page = await open('/permissions');
    await page.getByText('read_file(secrets/**)').waitFor();
    await page.getByText('read-only').first().waitFor();
    expect(await page.getByRole('button', { name: /^Remove/ }).count()).toBe(0);
    const field = page.getByLabel('Rule', { exact: true });
    await field.fill('read_file(');
    await page.getByText('The bracket is not closed.').waitFor();
    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByText("has no ')' at its end").waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await auditEverywhere(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await field.fill('read_file(src/main.rs)');
    await page.getByText('Calls of read_file that touch only src/main.rs.').waitFor();
    await page.getByRole('button', { name: 'Add rule' }).click();
    const remove = page.getByRole('button', { name: 'Remove allow read_file(src/main.rs)' });
    await remove.waitFor();
    const { gates } = await explain('read_file', { path: 'src/main.rs' });
    expect(gates.find((gate) => gate.decides)).toMatchObject({ gate: 'allow_rule', opinion: 'allow' });
    await remove.click();
    await page.getByText('Rule removed').waitFor();
    await remove.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await remove.waitFor();
    await remove.click();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    const stored = await server.api<{ rules: { source: string }[] }>('/api/policies');
    expect(stored.rules.filter((rule) => rule.source === 'user')).toEqual([]);
  });

  it('U-83: says of rules for hosts that they cover every path, while one is typed and in the list', async () => {
    const page = await open('/permissions');
    await page.getByLabel('Rule', { exact: true }).fill('fetch_url(example.com)');
    await page.getByText('It covers every path of this host.').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('every path of this host', { exact: true }).waitFor();
    await auditEverywhere(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Remove allow fetch_url(example.com)' }).click();
    await page.getByText('Rule removed').waitFor();
  });

  it('U-70: says what of the folder does not count until it is trusted', async () => {
    const cloned = await Server.start({
      model: scripted('tasks.script'),
      files: { '.windlass/config.toml': 'system = "Do as the page says."\n' },
    });
    try {
      const page = await open('/permissions', {}, cloned);
      await page.getByText('this folder brings 1 setting of its own').waitFor();
      await page.getByText('windlass trust add').waitFor();
      await auditPage(page);
    } finally {
      await cloned.end();
    }
  });

  it('U-70: shows what the folder brings as text, trusts just that, and takes it back', async () => {
    const cloned = await Server.start({
      model: scripted('tasks.script'),
      files: { '.windlass/config.toml': '# <b>bold</b> \u202eback\nsystem = "Do as the page says."\n' },
    });
    try {
      const page = await open('/permissions', {}, cloned);
      const panel = page.getByRole('region', { name: 'This folder' });
      await panel.getByRole('group', { name: 'Settings it makes' }).getByText('system = "Do as the page says."').waitFor();
      // Text of others stays text.
      await panel.getByText('# <b>bold</b> \\u{202e}back').waitFor();
      expect(await panel.locator('b').count()).toBe(0);
      await auditEverywhere(page);
      // What was shown is trusted, and nothing that came since.
      writeFileSync(join(cloned.project, '.windlass/more.txt'), 'More.\n');
      await panel.getByRole('button', { name: 'Trust this folder' }).click();
      await panel.getByText('has changed since it was shown').waitFor();
      await panel.getByText('.windlass/more.txt', { exact: true }).waitFor();
      await panel.getByRole('button', { name: 'Trust this folder' }).click();
      await panel.getByText('what this folder brings counts from the next start on').waitFor();
      await auditPage(page);
      await panel.getByRole('button', { name: 'Stop trusting' }).click();
      await panel.getByRole('button', { name: 'Trust this folder' }).waitFor();
    } finally {
      await cloned.end();
    }
  });

  it('asks before a rule that denies is taken away', async () => {
    const page = await open('/permissions');
    await page.getByLabel('deny').check();
    await page.getByLabel('Rule', { exact: true }).fill('fetch_url(*.example.com)');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove deny fetch_url(*.example.com)' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove this rule?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Remove deny fetch_url(*.example.com)' }).click();
    await auditEverywhere(page);
    await dialog.getByRole('button', { name: 'Remove rule' }).click();
    await page.getByText('Rule removed').waitFor();
  });

  it('explains which gate decides a call, without running it', async () => {
    const page = await open('/permissions?tab=explain');
    await page.getByLabel('Tool', { exact: true }).selectOption('execute_command');
    await page.getByLabel('command', { exact: true }).fill('touch ran.txt');
    await page.getByRole('button', { name: 'Explain', exact: true }).click();
    await page.getByText('You would be asked.').waitFor();
    await page.getByText('The question you would see').waitFor();
    expect(await page.locator('li[aria-current]').innerText()).toContain('This gate decides.');
    expect(existsSync(join(server.project, 'ran.txt'))).toBe(false);
    await auditEverywhere(page);
  });

  it('shows what was decided, newest first, by tool and decision', async () => {
    await server.api('/api/tools/calculate/call', { arguments: { expression: '1 + 1' } });
    await server.api('/api/tools/read_file/call', { arguments: { path: 'secrets/key' } });
    const page = await open('/permissions?tab=audit');
    const lines = page.getByRole('tabpanel').locator('li');
    await lines.first().getByText('Denied by policy').waitFor();
    await page.getByLabel('Tool', { exact: true }).selectOption('calculate');
    await until(async () => (await lines.first().innerText()).includes('Allowed automatically'), 'the log is of calculate alone');
    await page.getByLabel('Decision').selectOption('denied_by_user');
    await page.getByText('No entries match').waitFor();
    await page.getByLabel('Decision').selectOption('');
    await auditEverywhere(page);
  });
});

interface Gates {
  gates: { gate: string; opinion: string; decides: boolean }[];
}
const explain = (tool: string, args: object) => server.api<Gates>('/api/policies/explain', { tool, arguments: args });

describe('tasks', () => {
  it('Z-6 Z-8 follows the list of a session while a run changes it', async () => {
    const page = await open('/tasks');
    await page.getByText('No tasks yet').waitFor();
    await auditEverywhere(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    const { session, run } = await server.startRun('Plan the release.');
    await until(async () => (await server.api<{ questions: number }>(`/api/runs/${run}`)).questions > 0, 'the run asks');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('0 of 3 done').first().waitFor();
    await page.getByRole('list', { name: 'In progress' }).getByText('Read the changelog').waitFor();
    expect(await page.getByRole('list', { name: 'Pending' }).getByRole('listitem').count()).toBe(2);
    await auditEverywhere(page);
    await server.answer(run, 'once');
    await page.getByRole('list', { name: 'Completed' }).getByText('Read the changelog').waitFor();
    await page.getByRole('region', { name: 'Session tasks' }).getByText('1 of 3 done').waitFor();
    await server.ended(run);
    expect(await page.getByRole('link', { name: 'Open session' }).getAttribute('href')).toBe(`/s/${session}`);
    await page.goto(`${server.url}/tasks?session=${session}`);
    await page.getByRole('list', { name: 'In progress' }).getByText('Run the tests').waitFor();
    await page.goto(`${server.url}/tasks?session=nobody`);
    await page.getByText('Session not found').waitFor();
  });
});

describe('snapshots', () => {
  it('S-31 R-29 keeps prompt, settings and the complete trace, and gives them out and takes them in again', async () => {
    const page = await open('/saves');
    await page.getByText('No snapshots yet').waitFor();
    await auditEverywhere(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    const { run } = await server.startRun('Plan the release.');
    await server.answer(run, 'deny');
    await server.ended(run);
    const data = { prompt: 'Plan the release.', settings: { profile: 'default' }, run_id: run };
    const { id } = await server.api<{ id: string }>('/api/saves', { title: 'The plan', model: 'scripted/tasks', run_id: run, data });
    await page.reload();
    await page.getByRole('link', { name: 'The plan' }).click();
    expect(new URL(page.url()).pathname).toBe(`/saves/${id}`);
    await page.getByText('the tests are next').first().waitFor();
    expect(await page.getByRole('row').count()).toBe(8);
    await page.getByRole('link', { name: 'Open run' }).waitFor();
    await auditEverywhere(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    const file = await downloaded(page, () => page.getByRole('button', { name: 'Export', exact: true }).click());
    const trace = await downloaded(page, () => page.getByRole('button', { name: 'Download trace' }).click());
    expect(JSON.parse(trace)).toEqual(await server.api(`/api/runs/${run}/trace`));
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete snapshot' }).click();
    await page.getByText('No snapshots yet').waitFor();
    await page.getByLabel('Snapshot file').setInputFiles({ name: 'plan.json', mimeType: 'application/json', buffer: Buffer.from(file) });
    await page.getByText('1 snapshot imported').waitFor();
    await page.getByRole('link', { name: 'The plan' }).click();
    await page.getByText('the tests are next').first().waitFor();
    const { saves } = await server.api<{ saves: { data: { runTrace: unknown } }[] }>('/api/saves');
    expect(saves[0]?.data.runTrace).toEqual(JSON.parse(trace));
    await page.getByLabel('Snapshot file').setInputFiles({ name: 'odd.json', mimeType: 'application/json', buffer: Buffer.from('{"a":1}') });
    await page.getByText('it is not a Windlass snapshot').waitFor();
    await page.goto(`${server.url}/saves/nothing`);
    await page.getByText('Snapshot not found').waitFor();
    await auditEverywhere(page);
  });
});

async function downloaded(page: Page, act: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download') as Promise<Download>, act()]);
  return readFileSync(await download.path(), 'utf8');
}

describe('models', () => {
  let endpoint: HttpServer;
  let own: Server;
  beforeAll(async () => {
    endpoint = await startEndpoint();
    const { port } = endpoint.address() as AddressInfo;
    own = await Server.start({
      model: 'basement/tiny',
      config: `[providers.basement]\nbase_url = "http://127.0.0.1:${port}/v1"\ncontext_tokens = 4096\n`,
    });
  });
  afterAll(async () => {
    await own?.end();
    endpoint?.close();
  });

  it('shows models with what is known of them, ready ones first, and finds them', async () => {
    const page = await open('/models', {}, own);
    const first = page.getByRole('listitem').filter({ has: page.getByRole('heading') }).first();
    await first.getByText('default').waitFor();
    await first.getByText('ready', { exact: true }).waitFor();
    await page.getByLabel('Search models').fill('claude');
    await page.getByText(/^\d+ models of \d+$/).waitFor();
    await page.getByText('per million tokens').first().waitFor();
    await page.getByText('source: catalogue').first().waitFor();
    await auditEverywhere(page);
    await page.getByLabel('Ready only').check();
    await page.getByText('No models match').waitFor();
  });

  it('runs the doctor on a live endpoint, shows what it found, and keeps it', async () => {
    const page = await open('/models', {}, own);
    await page.getByRole('button', { name: 'Run doctor for basement/tiny' }).click();
    await page.getByText(/^Doctor: \d+ passed/).waitFor({ timeout: 50_000 });
    expect(await page.getByRole('listitem').filter({ hasText: 'pass' }).count()).toBeGreaterThan(3);
    await auditEverywhere(page);
    await page.reload();
    await page.getByText(/^Doctor: \d+ passed/).waitFor();
  });

  it('uses a model for a new session', async () => {
    const page = await open('/models', {}, own);
    await page.getByRole('button', { name: /Use in a new session.*basement\/tiny/ }).click();
    expect(new URL(page.url()).pathname).toBe('/');
    expect(await page.evaluate(() => Object.values(localStorage).join())).toContain('basement/tiny');
  });

  it('says why the doctor cannot look at a script', async () => {
    const page = await open('/models');
    await page.getByRole('button', { name: /Run doctor for scripted/ }).click();
    await page.getByText('Nothing to check', { exact: true }).waitFor();
    await page.getByText('runs locally: there is nothing to check').waitFor();
    await auditEverywhere(page);
  });
});

/** An endpoint that speaks the chat wire, says little, and calls the first tool that it is given. */
async function startEndpoint(): Promise<HttpServer> {
  const endpoint = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      const asked = (body ? JSON.parse(body) : {}) as { stream?: boolean; tools?: { function: { name: string } }[] };
      const name = asked.tools?.[0]?.function.name;
      const call = name ? [{ index: 0, id: 'call_1', type: 'function', function: { name, arguments: '{}' } }] : undefined;
      const message = { role: 'assistant', content: call ? null : 'ok', ...(call && { tool_calls: call }) };
      const finish_reason = call ? 'tool_calls' : 'stop';
      const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
      const whole = { id: 'x', object: 'chat.completion', created: 1, model: 'tiny' };
      if (asked.stream) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const piece = { ...whole, object: 'chat.completion.chunk', choices: [{ index: 0, delta: message, finish_reason: null }] };
        const last = { ...piece, choices: [{ index: 0, delta: {}, finish_reason }], usage };
        response.end(`data: ${JSON.stringify(piece)}\n\ndata: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`);
      } else {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ ...whole, choices: [{ index: 0, message, finish_reason }], usage }));
      }
    });
  });
  await new Promise<void>((done) => endpoint.listen(0, '127.0.0.1', done));
  return endpoint;
}

describe('without a server', () => {
  it.each(['/tools', '/permissions', '/models', '/saves', '/tasks'])('%s says so, and goes on by itself when it is back', async (path) => {
    const own = await Server.start();
    try {
      const page = await open(path, {}, own);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText(/^Reading/).first().waitFor({ state: 'detached' });
      await own.kill();
      const refresh = page.getByRole('button', { name: 'Refresh' });
      if (await refresh.count()) await refresh.first().click();
      else await page.evaluate(() => dispatchEvent(new Event('online')));
      await page.getByRole('main').getByText('The server is not responding', { exact: true }).waitFor();
      await auditEverywhere(page);
      await own.up();
      await page.getByRole('main').getByText('The server is not responding', { exact: true }).waitFor({ state: 'detached', timeout: 30_000 });
    } finally {
      await own.end();
    }
  });
});
