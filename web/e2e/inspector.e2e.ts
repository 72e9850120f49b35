import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { auditPage, scripted, Server, until, Windows, type Screen } from './harness';

const MESSAGE = 'Look around, compute the size, and write a report.';

interface Trace {
  runId: string;
  startedAt: string;
  endedAt: string;
  totalDurationMs: number;
  tokens: { input: number; output: number; total: number; costUsd: number };
  reasoning: { content: string; timestamp: string }[];
  tools: { name: string; status: string; startedAt: string; endedAt: string; durationMs: number; visibility: string }[];
  answer: string;
}

let windows: Windows;
beforeAll(async () => {
  windows = await Windows.open();
});
afterAll(async () => {
  await windows?.close();
});
afterEach(() => windows.expectQuiet());

/** Starts the tour and answers its question. */
async function tour(server: Server, decision: 'once' | 'deny' = 'once'): Promise<{ session: string; run: string }> {
  const started = await server.startRun(MESSAGE, { reasoning_effort: 'low' });
  await server.answer(started.run, decision);
  await server.ended(started.run);
  return started;
}

const row = (page: Page, key: string) => page.locator(`[data-key="${key}"]`);
const pane = (page: Page) => page.locator('.pane');
const search = (page: Page) => new URL(page.url()).search;

/** The audit, in both themes. */
async function audit(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // Colours that are on their way are no colours of ours.
    await page.evaluate(() =>
      Promise.all(document.getAnimations().flatMap((one) => (one instanceof CSSTransition ? [one.finished.catch(() => one)] : []))),
    );
    await auditPage(page);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

describe('a run that has ended', () => {
  let server: Server;
  let run: string;
  let session: string;
  beforeAll(async () => {
    server = await Server.start({ model: scripted('inspector_tour.script') });
    ({ run, session } = await tour(server));
  });
  afterAll(async () => {
    await server?.end();
  });
  const open = (query = '', screen: Screen = {}) => windows.page(server, `/runs/${run}${query}`, { width: 1440, height: 900, ...screen });

  it('R-30 S-29 has every call on the timeline, hidden tools too and marked so', async () => {
    const page = await open();
    for (const call of ['call_1', 'call_2', 'call_3', 'call_4', 'call_5']) await row(page, `call:${call}`).waitFor();
    await page.getByRole('button', { name: /^Call calculate hidden tool Done at \d+ ms , takes \d+ ms$/ }).waitFor();
    await row(page, 'call:call_2').getByText('hidden').waitFor();
    await row(page, 'call:call_3').getByText('hidden').waitFor();
    expect(await row(page, 'call:call_1').getByText('hidden').count()).toBe(0);
    await page.getByRole('button', { name: /^Call read_file Failed/ }).waitFor();
    await row(page, 'question:call_4').waitFor();
    await row(page, 'thought:2.0').waitFor();
    await audit(page);
    await page.context().close();
  });

  it('S-31 S-32 puts bars on a real time axis: thinking inside its step, parallel calls side by side', async () => {
    const page = await open();
    const bar = async (key: string) => {
      const boxes = await row(page, key).locator('.bar').evaluateAll((bars) =>
        bars.map((one) => one.getBoundingClientRect()).map((box) => [box.left, box.right] as const),
      );
      return { left: Math.min(...boxes.map(([left]) => left)), right: Math.max(...boxes.map(([, right]) => right)) };
    };
    await row(page, 'step:2').waitFor();
    // Pieces are read after the durable records: then thinking has times of its own.
    await until(async () => (await page.locator('.bar.rough').count()) === 0, 'thinking has its own times');
    const [one, two, step, thought] = [await bar('call:call_1'), await bar('call:call_2'), await bar('step:2'), await bar('thought:2.0')];
    expect(Math.max(one.left, two.left)).toBeLessThan(Math.min(one.right, two.right));
    expect(thought.left).toBeGreaterThan(step.left + 20);
    expect(thought.right).toBeLessThanOrEqual(step.right + 3);
    expect((await bar('call:call_4')).left).toBeGreaterThanOrEqual(step.right - 3);
    expect(await row(page, 'step:2').locator('.bar.waiting').count()).toBe(1);
    expect(await row(page, 'call:call_4').locator('.bar.asking').count()).toBe(1);
    expect(await page.locator('.axis .tick').count()).toBeGreaterThan(2);
    await page.context().close();
  });

  it('zooms by buttons, wheel and keys, and fits again', async () => {
    const page = await open();
    await row(page, 'step:1').waitFor();
    const width = async () => (await page.locator('.chart .inner').boundingBox())?.width ?? 0;
    const fitting = await width();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await until(async () => (await width()) > fitting * 1.4, 'it zooms in');
    const zoomed = await width();
    await row(page, 'step:2').hover();
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    await until(async () => (await width()) > zoomed * 1.4, 'the wheel zooms');
    await page.getByRole('button', { name: 'Fit' }).click();
    await until(async () => Math.abs((await width()) - fitting) < 2, 'it fits');
    await row(page, 'step:1').focus();
    await page.keyboard.press('+');
    await until(async () => (await width()) > fitting * 1.4, 'a key zooms');
    await page.keyboard.press('0');
    await until(async () => Math.abs((await width()) - fitting) < 2, 'a key fits');
    await page.context().close();
  });

  it('goes with arrow keys, opens with Enter, and says what is under the pointer', async () => {
    const page = await open();
    await row(page, 'step:1').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await until(() => page.evaluate(() => document.activeElement?.getAttribute('data-key') === 'call:call_1'), 'focus moves');
    await page.keyboard.press('Enter');
    await pane(page).getByRole('heading', { name: 'get_file_tree' }).waitFor();
    expect(search(page)).toBe('?call=call_1');
    await page.keyboard.press('End');
    await until(() => page.evaluate(() => document.activeElement?.getAttribute('data-key') === 'step:3'), 'the last one');
    await row(page, 'call:call_4').hover();
    await page.locator('.tip').getByText('Waiting for you').waitFor();
    await page.context().close();
  });

  it('keeps what is looked at in the address, on its page and in the drawer', async () => {
    const page = await open();
    await row(page, 'call:call_4').click();
    await pane(page).getByRole('heading', { name: 'write_file' }).waitFor();
    expect(search(page)).toBe('?call=call_4');
    await page.reload();
    await pane(page).getByRole('heading', { name: 'write_file' }).waitFor();
    await page.getByRole('button', { name: 'Copy link' }).click();
    await until(() => page.evaluate(async (end) => (await navigator.clipboard.readText()).endsWith(end), `/runs/${run}?call=call_4`), 'the link is copied');
    await row(page, 'step:2').click();
    await until(() => search(page) === '?step=2', 'the step is in the address');
    await page.goto(`${server.url}/runs/${run}?call=nowhere`);
    await page.getByText('Not found in this run').waitFor();

    await page.goto(`${server.url}/s/${session}?inspect=${run}`);
    await row(page, 'step:2').click();
    await pane(page).getByRole('heading', { name: 'Step 2' }).waitFor();
    expect(search(page)).toBe(`?inspect=${run}&step=2`);
    await page.reload();
    await pane(page).getByRole('heading', { name: 'Step 2' }).waitFor();
    await page.getByRole('button', { name: 'Timeline', exact: true }).first().click();
    await row(page, 'step:2').waitFor();
    await page.context().close();
  });

  it('filters by kind, state, tool and text, and counts', async () => {
    const page = await open();
    const keys = () => page.locator('[data-key]').evaluateAll((rows) => rows.map((one) => one.getAttribute('data-key')));
    await row(page, 'step:3').waitFor();
    await page.getByRole('button', { name: 'Calls: 5' }).waitFor();
    for (const kind of ['Steps: 3', 'Thinking: 2', 'Questions: 1', 'Notices: 1']) await page.getByRole('button', { name: kind }).click();
    await until(async () => (await keys()).length === 5, 'calls alone');
    await page.getByLabel('State', { exact: true }).selectOption('Failed');
    await until(async () => (await keys()).join() === 'call:call_5', 'the failed one');
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByLabel('Tool', { exact: true }).selectOption('calculate');
    await until(async () => (await keys()).join() === 'call:call_2', 'one tool');
    await page.getByLabel('Tool', { exact: true }).selectOption('');
    await page.getByPlaceholder('Find in this run').fill('needle is in notes');
    await until(async () => (await keys()).join() === 'call:call_4,question:call_4', 'by text');
    await page.getByPlaceholder('Find in this run').fill('no such thing');
    await page.getByText('No matches').waitFor();
    await audit(page);
    await page.context().close();
  });

  it('shows a call whole: arguments as given and as used, outcome, permission, states', async () => {
    const page = await open('?call=call_4');
    await pane(page).getByText('A comma before a closing bracket was removed.').waitFor();
    await pane(page).getByText('notes.txt.\\n",}').waitFor();
    await pane(page).getByRole('tab', { name: 'As used' }).click();
    await pane(page).getByText('"create_new": false').waitFor();
    await pane(page).getByText('+The size is 42.').first().waitFor();
    await pane(page).getByRole('tab', { name: 'As the model saw it' }).click();
    await pane(page).getByText('"ok":true').waitFor();
    await pane(page).getByRole('tab', { name: 'JSON' }).click();
    await pane(page).locator('.tree').getByText('path').first().waitFor();
    await pane(page).getByText('Allowed once.').waitFor();
    await pane(page).getByText('Decided by you.').waitFor();
    await pane(page).getByRole('button', { name: 'Explain with the current rules' }).click();
    await pane(page).getByText('decides', { exact: true }).waitFor();
    const states = await pane(page).locator('.states li').allInnerTexts();
    expect(states.map((text) => text.split('\n')[0]?.trim())).toEqual(['Requested', 'Needs approval', 'Decided', 'Running', 'Done']);
    await audit(page);

    await row(page, 'call:call_2').click();
    await pane(page).getByText('Dropped: precision').waitFor();
    await row(page, 'call:call_5').click();
    await pane(page).getByText('not_found').waitFor();
    await pane(page).getByText('Hint').waitFor();
    await audit(page);
    await page.context().close();
  });

  it('shows a step whole: tries and waits, tokens and cost, request, wire and response', async () => {
    const page = await open('?step=2');
    await pane(page).getByText('The provider is too busy.').waitFor();
    await pane(page).getByText('overloaded').waitFor();
    await pane(page).getByText('1.9k').waitFor();
    await pane(page).getByText('$0.0061').waitFor();
    await pane(page).getByText('Tool calls').waitFor();
    await pane(page).getByText('Now that I know the size').waitFor();
    await pane(page).getByRole('tab', { name: 'Request' }).click();
    await pane(page).getByText(MESSAGE).waitFor();
    await pane(page).getByText(/^Tools \(\d+\)$/).waitFor();
    await pane(page).getByText('Sampling and tool choice').click();
    await audit(page);
    await pane(page).getByRole('tab', { name: 'HTTP' }).click();
    await pane(page).getByText('there is no HTTP request').waitFor();
    await page.context().close();
  });

  it('sums up the run: outcome, where the time went, tokens and cost by step', async () => {
    const page = await open();
    await pane(page).getByText('The model answered.').waitFor();
    const total = await pane(page).locator('tfoot').innerText();
    expect(total.replace(/\s+/g, ' ')).toMatch(/^Total .* 5\.4k 240 \$0\.0173$/);
    for (const name of ['Model', 'Tools', 'Waiting for permission', 'Waiting to retry']) {
      await pane(page).locator('.spent').getByText(name, { exact: true }).waitFor();
    }
    await pane(page).getByText('DROPPED_ARGS').waitFor();
    await pane(page).getByRole('button', { name: 'Step 2' }).click();
    await until(() => search(page) === '?step=2', 'a step of the table opens');
    await page.context().close();
  });

  it('hands out the trace and the records as files, whole', async () => {
    const page = await open();
    const file = async (name: string) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
    };
    const trace = await file('Trace');
    expect(trace.name).toBe(`${run}.trace.json`);
    expect((JSON.parse(trace.text) as Trace).tools).toHaveLength(5);
    const records = await file('Records');
    const lines = records.text.trim().split('\n').map((line) => JSON.parse(line) as { run_id: string; event: { type: string } });
    expect([lines[0]?.event.type, lines.at(-1)?.event.type]).toEqual(['run_started', 'run_ended']);
    expect(lines.every((line) => line.run_id === run)).toBe(true);
    await page.context().close();
  });

  it('plays the run again and says that it comes out the same', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('dialog').getByText('No differences').waitFor();
    await page.getByRole('dialog').getByText(/All \d+ records/).waitFor();
    await audit(page);
    await page.context().close();
  });

  it('S-31 R-29 saves a snapshot with message, settings and the complete RunTrace', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Snapshot' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('The tour');
    await dialog.getByLabel('Note').fill('Looks right.');
    await audit(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Snapshot saved').waitFor();
    const { saves } = await server.api<{ saves: { title: string; model: string; provider: string; data: { [name: string]: unknown } }[] }>('/api/saves');
    const saved = saves.find((one) => one.title === 'The tour');
    expect(saved?.provider).toBe('scripted');
    const { prompt, settings, runTrace, transitions } = saved?.data as {
      prompt: string;
      settings: { profile: string; wishes: { sampling: { reasoning_effort: string } } };
      runTrace: Trace;
      transitions: { id: string; states: { state: string; at: string }[] }[];
    };
    expect([prompt, settings.profile, settings.wishes.sampling.reasoning_effort]).toEqual([MESSAGE, 'default', 'low']);
    const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
    expect([runTrace.startedAt, runTrace.endedAt].every((at) => moment.test(at))).toBe(true);
    expect(runTrace.totalDurationMs).toBeGreaterThan(500);
    expect(runTrace.tokens).toMatchObject({ input: 5400, output: 240, total: 5640 });
    expect(runTrace.tokens.costUsd).toBeCloseTo(0.0173);
    expect(runTrace.reasoning.map((one) => moment.test(one.timestamp) && one.content.length > 10)).toEqual([true, true]);
    expect(runTrace.tools.map((tool) => [tool.name, tool.status, tool.visibility])).toEqual([
      ['get_file_tree', 'completed', 'secondary'],
      ['calculate', 'completed', 'hidden'],
      ['get_current_time', 'completed', 'hidden'],
      ['write_file', 'completed', 'primary'],
      ['read_file', 'failed', 'secondary'],
    ]);
    expect(runTrace.tools.every((tool) => moment.test(tool.startedAt) && moment.test(tool.endedAt) && tool.durationMs >= 0)).toBe(true);
    expect(runTrace.answer).toContain('the size is 42');
    const states = transitions.find((one) => one.id === 'call_4')?.states ?? [];
    expect(states.map((one) => one.state)).toEqual(['requested', 'asking', 'decided', 'running', 'ok']);
    expect(states.every((one) => moment.test(one.at))).toBe(true);
    await page.context().close();
  });

  it('forks from a step with another outcome, and shows its passages with their scores', async () => {
    const page = await open('?step=1');
    await pane(page).getByRole('button', { name: 'Fork from here' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Keep').inputValue()).toBe('1');
    await dialog.getByLabel('Replace the outcome of a call').selectOption('call_1');
    await dialog.getByLabel('Outcome as JSON').fill('{ not json');
    await dialog.getByRole('button', { name: 'Fork and run' }).click();
    await dialog.getByText('The outcome is not valid JSON').waitFor();
    await audit(page);
    // Longer than what the timeline is sent: the pane asks for the whole.
    const long = `${'long '.repeat(1200)}and its end`;
    const passages = { long, passages: [{ path: 'notes.txt', line_start: 1, text: 'The needle is here.', scores: { bm25: 7.25, vector: 0.5 } }] };
    await dialog.getByLabel('Outcome as JSON').fill(JSON.stringify(passages));
    await dialog.getByRole('button', { name: 'Fork and run' }).click();
    await page.waitForURL(/\/s\//);
    const forked = new URL(page.url()).pathname.split('/')[2] ?? '';
    expect(forked).not.toBe(session);
    const { runs } = await server.api<{ runs: { run_id: string }[] }>(`/api/runs?session_id=${forked}`);
    await page.goto(`${server.url}/runs/${runs[0]?.run_id}?call=call_1`);
    await pane(page).getByText('notes.txt:1').waitFor();
    await pane(page).locator('.score').getByText('7.25').waitFor();
    await pane(page).getByRole('group', { name: 'outcome' }).getByText('and its end').waitFor();
    await audit(page);
    await page.context().close();
  });

  it('forks from the message with another message', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Fork', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Keep').selectOption('0');
    await dialog.getByLabel('Message').fill('Do something else.');
    await dialog.getByRole('button', { name: 'Fork and run' }).click();
    await page.waitForURL(/\/s\//);
    const forked = new URL(page.url()).pathname.split('/')[2] ?? '';
    const { runs } = await server.api<{ runs: { message: string }[] }>(`/api/runs?session_id=${forked}`);
    expect(runs[0]?.message).toBe('Do something else.');
    await page.context().close();
  });

  it('compares with another run at the first difference, swaps, and stacks at 360 px', async () => {
    const other = await tour(server, 'deny');
    const page = await open();
    await page.getByRole('button', { name: 'Compare' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByPlaceholder('Search runs').fill(other.run);
    await dialog.getByRole('list', { name: 'Recent runs' }).getByRole('button').click();
    await page.waitForURL(`**/compare?left=${run}&right=${other.run}`);
    const first = page.locator('#first-difference');
    expect(await page.getByRole('row', { name: /^Tokens in/ }).innerText()).toMatch(/5\.4k\s+5\.4k\s+same/);
    expect((await page.getByRole('table').boundingBox())?.height).toBeGreaterThan(150);
    await first.getByText('First difference').waitFor();
    // The report of the first run is a file that the second one finds.
    expect(await first.locator('h3').innerText()).toContain('Call 1 get_file_tree: outcome');
    expect(await first.locator('ins').innerText()).toContain('report.md');
    await until(() => first.evaluate((one) => one.getBoundingClientRect().top >= 0 && one.getBoundingClientRect().top < innerHeight), 'it is in view');
    expect(await page.locator('del, ins').allInnerTexts()).toContain('Denied');
    await audit(page);
    await page.getByRole('button', { name: 'Swap' }).click();
    await page.waitForURL(`**/compare?left=${other.run}&right=${run}`);
    await first.locator('del').waitFor();
    await page.getByLabel('Differences only').check();
    expect(await page.getByRole('heading', { name: 'Message' }).count()).toBe(0);

    const narrow = await windows.page(server, `/compare?left=${run}&right=${other.run}`, { width: 360, height: 740 });
    const sides = narrow.locator('#first-difference .sides > section');
    await sides.first().waitFor();
    const [left, right] = [await sides.nth(0).boundingBox(), await sides.nth(1).boundingBox()];
    expect((left?.y ?? 0) + (left?.height ?? 0)).toBeLessThanOrEqual(right?.y ?? 0);
    expect(await narrow.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await audit(narrow);
    await narrow.goto(`${server.url}/compare?left=${run}&right=`);
    await narrow.getByText('Choose the run to compare with.').waitFor();
    await narrow.goto(`${server.url}/compare?left=${run}&right=${run}`);
    await narrow.getByText('The runs have no differences.').waitFor();
    await narrow.context().close();
    await page.context().close();
  });

  it('is a list at 360 px, with everything the timeline has', async () => {
    const page = await open('', { width: 360, height: 740 });
    await row(page, 'call:call_1').waitFor();
    expect(await page.locator('.axis').count()).toBe(0);
    await row(page, 'call:call_1').getByText('Done').waitFor();
    await row(page, 'call:call_2').getByText('hidden').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await audit(page);
    await row(page, 'call:call_1').click();
    await pane(page).getByRole('heading', { name: 'get_file_tree' }).waitFor();
    await audit(page);
    await page.getByRole('button', { name: 'Next' }).click();
    await pane(page).getByRole('heading', { name: 'calculate' }).waitFor();
    await pane(page).getByRole('button', { name: 'Timeline' }).click();
    await until(() => page.evaluate(() => document.activeElement?.getAttribute('data-key') === 'call:call_2'), 'back where it was');
    await page.getByRole('button', { name: 'Timeline', exact: true }).click();
    await page.locator('.axis').waitFor();
    await page.context().close();
  });

  it('says so when a run is not there', async () => {
    const page = await windows.page(server, '/runs/nowhere');
    await page.getByText('Run not found').waitFor();
    await audit(page);
    await page.context().close();
  });
});

it('shows the exact body that a step sent over the wire', async () => {
  const provider = await Server.start();
  const server = await Server.start({
    model: `openai-compatible/${scripted('hello.script')}`,
    config: `base_url = "${provider.url}/v1"\n`,
  });
  try {
    const { run } = await server.startRun('Hello over the wire.');
    await server.ended(run);
    const page = await windows.page(server, `/runs/${run}?step=1`, { width: 1440, height: 900 });
    await pane(page).getByRole('tab', { name: 'HTTP' }).click();
    await pane(page).getByText(`POST ${provider.url}/v1/chat/completions`).waitFor();
    // All tools are in the body: it is shown in parts.
    const more = pane(page).getByRole('button', { name: /^Show more/ });
    while ((await more.count()) > 0) await more.first().click();
    const body = JSON.parse(await pane(page).getByRole('group', { name: 'body of the request' }).innerText()) as {
      messages: { role: string; content: string }[];
      stream: boolean;
    };
    expect(body.stream).toBe(true);
    expect(body.messages.map((one) => one.role)).toEqual(['system', 'user']);
    expect(body.messages[1]?.content).toContain('Hello over the wire.');
    await audit(page);
    await page.context().close();
  } finally {
    await server.end();
    await provider.end();
  }
});

describe('a run that goes on', () => {
  let server: Server;
  beforeAll(async () => {
    server = await Server.start({ model: scripted('inspector_live.script') });
  });
  afterAll(async () => {
    await server?.end();
  });

  it('S-34 grows while it runs, keeps still otherwise, and is stopped from here', async () => {
    const { run } = await server.startRun('Take your time.', { reasoning_effort: 'low' });
    const page = await windows.page(server, `/runs/${run}`, { width: 1440, height: 900 });
    const bar = row(page, 'step:2').locator('.bar');
    await bar.waitFor();
    const measure = () =>
      bar.evaluate((one) => ({
        left: one.getBoundingClientRect().left,
        width: one.getBoundingClientRect().width,
        axis: [...document.querySelectorAll('.axis .tick')].map((tick) => tick.getBoundingClientRect().left).join(),
      }));
    let before = await measure();
    let grown = 0;
    await until(async () => {
      const now = await measure();
      // As long as the axis is the same, nothing moves but the edge.
      if (now.axis === before.axis) {
        expect(Math.abs(now.left - before.left)).toBeLessThan(1);
        grown += now.width - before.width;
      }
      before = now;
      return grown > 10;
    }, 'the bar grows');
    await page.getByRole('button', { name: /^Thinking Running/ }).waitFor();
    await row(page, 'thought:2.0').click();
    await pane(page).getByText('And longer still.').waitFor();
    await audit(page);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('header').getByText('Cancelled').waitFor();
    await page.getByRole('button', { name: /^Step 2 Stopped/ }).waitFor();
    await page.context().close();
  });

  it('goes on after the server was away, and shows that the run was resumed', async () => {
    const { run } = await server.startRun('Take your time.', { reasoning_effort: 'low' });
    const page = await windows.page(server, `/runs/${run}`, { width: 1440, height: 900 });
    await row(page, 'thought:2.0').waitFor();
    await server.kill();
    await page.getByText('Connection lost').waitFor();
    await audit(page);
    await server.up();
    await page.locator('[data-key^="notice:"]').getByText('Resumed', { exact: true }).first().waitFor();
    expect(await page.getByText('Connection lost').count()).toBe(0);
    await page.context().close();
  });

  it('says so when its session was deleted, and when the server is old', async () => {
    const { run, session } = await server.startRun('Take your time.');
    const page = await windows.page(server, `/runs/${run}`, { width: 1440, height: 900 });
    await row(page, 'thought:2.0').waitFor();
    await server.api(`/api/runs/${run}/cancel`, {});
    await server.ended(run);
    const other = await server.startRun('Take your time.');
    const context = await windows.context();
    await context.route('**/records**', (route) => route.fulfill({ status: 404, contentType: 'application/problem+json', body: '{"code":"not_found","detail":"no such path"}' }));
    const old = await windows.page(server, `/runs/${other.run}`, {}, context);
    await old.getByText('This server is older than the app').waitFor();
    await audit(old);
    await context.close();
    await server.api(`/api/sessions/${session}`, undefined, 'DELETE');
    await page.reload();
    await page.getByText('Run not found').waitFor();
    await page.context().close();
  });

  it('offers to resume a run in which nothing happens, and tells what the server says', async () => {
    const { run } = await server.startRun('Take your time.');
    const context = await windows.context({ width: 1440, height: 900 });
    const page = await windows.page(server, `/runs/${run}`, {}, context);
    await page.clock.install();
    await page.reload();
    await row(page, 'thought:2.0').waitFor();
    await page.clock.fastForward('05:00');
    await page.getByText(/No activity for/).waitFor();
    await audit(page);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('goes on already').waitFor();
    await context.close();
  });
});

describe('a very long run', () => {
  let server: Server;
  let run: string;
  beforeAll(async () => {
    server = await Server.start({ model: scripted('inspector_many.script') });
    ({ run } = await server.startRun('Compute a lot.'));
    await server.ended(run);
  });
  afterAll(async () => {
    await server?.end();
  });

  it('has 500 calls and few rows on the page, and scrolls to the last one', async () => {
    const page = await windows.page(server, `/runs/${run}`, { width: 1440, height: 900 });
    await page.getByRole('button', { name: 'Calls: 500' }).waitFor();
    expect(await page.locator('[data-key]').count()).toBeLessThan(60);
    await row(page, 'step:1').focus();
    await page.keyboard.press('End');
    await until(() => page.evaluate(() => document.activeElement?.getAttribute('data-key') === 'step:101'), 'the last row');
    expect(await page.locator('[data-key]').count()).toBeLessThan(60);
    const usual = await page.evaluate(async () => {
      const scroller = [...document.querySelectorAll<HTMLElement>('.chart')].find((one) => one.scrollHeight > one.clientHeight + 100);
      const frames: number[] = [];
      let before = performance.now();
      for (let frame = 0; frame < 60 && scroller; frame += 1) {
        scroller.scrollTop = (scroller.scrollHeight * frame) / 60;
        await new Promise((done) => requestAnimationFrame(done));
        frames.push(performance.now() - before);
        before = performance.now();
      }
      return frames.sort((one, other) => one - other)[30] ?? Infinity;
    });
    expect(usual).toBeLessThan(100);
    await page.goto(`${server.url}/runs/${run}?call=call_480`);
    await row(page, 'call:call_480').waitFor();
    await audit(page);
    await page.context().close();
  });
});
