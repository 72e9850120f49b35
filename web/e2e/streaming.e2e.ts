// Answers as they are written: Markdown without flicker and without harm, a page that stays awake and holds still.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { auditPage, scripted, Server, until, Windows } from './harness';

let windows: Windows;
let folder: string;
beforeAll(async () => {
  windows = await Windows.open();
  folder = mkdtempSync(join(tmpdir(), 'windlass-scripts-'));
});
afterAll(async () => {
  await windows?.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => windows.expectQuiet());

/** A server that plays this script, and a page on a session of it. */
async function play(script: string, isFile = false): Promise<{ server: Server; page: Page; start: (message: string) => Promise<string> }> {
  const file = isFile ? scripted(script) : `scripted/${join(folder, `${Math.random()}.script`)}`;
  if (!isFile) writeFileSync(file.slice('scripted/'.length), script);
  const server = await Server.start({ model: file, args: ['--approve', 'all'] });
  const { session_id } = await server.api<{ session_id: string }>('/api/sessions', {});
  const page = await windows.page(server, `/s/${session_id}`);
  await page.getByRole('textbox').first().waitFor();
  const start = async (message: string) =>
    (await server.api<{ run_id: string }>(`/api/sessions/${session_id}/runs`, { message })).run_id;
  return { server, page, start };
}

const scroller = '[aria-label=Transcript]';
const distance = (page: Page) =>
  page.locator(scroller).evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop);

/** Writes down the tasks of the page's main thread until it is stopped: how long each held the processor, in
    milliseconds. Other programs on a small machine do not count. */
async function traceTasks(page: Page): Promise<() => Promise<number[]>> {
  const trace = await page.context().newCDPSession(page);
  const events: { name: string; pid: number; tid: number; dur?: number; tdur?: number; args?: { name?: string } }[] = [];
  trace.on('Tracing.dataCollected', ({ value }) => events.push(...(value as never[])));
  const done = new Promise<void>((collected) => trace.once('Tracing.tracingComplete', () => collected()));
  await trace.send('Tracing.start', { categories: 'toplevel,devtools.timeline', transferMode: 'ReportEvents' });
  return async () => {
    await trace.send('Tracing.end');
    await done;
    const thread = (event: { pid: number; tid: number }) => `${event.pid} ${event.tid}`;
    const named = events.filter((event) => event.name === 'thread_name' && event.args?.name === 'CrRendererMain');
    const mains = new Set(named.map(thread));
    return events
      .filter((event) => /RunTask$/.test(event.name) && mains.has(thread(event)))
      .map((event) => (event.tdur ?? event.dur ?? 0) / 1000);
  };
}

const LAST = 'These are the last words.';

/** Waits until all of the answer is shown and nothing moves. */
async function settled(page: Page): Promise<void> {
  await page.getByText(LAST).waitFor();
  let before = '';
  await until(async () => {
    const now = await page.locator(scroller).evaluate((box) => `${box.scrollTop} ${box.scrollHeight}`);
    const isSame = now === before;
    before = now;
    return isSame;
  }, 'the page holds still');
}

/** A long answer of every kind of block, written word by word with the pauses of a network. */
function longScript(words: number): string {
  const lines = ['title A long answer', '', 'user Tell me everything.'];
  const kinds = [
    (at: number) => `## Part ${at}\n\nSome **bold words** and *thin ones*, \`code\`, [a link](https://example.org/${at}), and so on and on until the line is long enough to wrap around.\n`,
    (at: number) => `- item ${at} one with **weight**\n- item two of the list\n  - nested item\n- item three\n`,
    (at: number) => `\`\`\`rust\nfn part_${at}(load: Load) -> Held {\n    let pawl = Pawl::drop(load); // comment\n    pawl.held()\n}\n\`\`\`\n`,
    (at: number) => `| name | value |\n|---|---:|\n| row ${at} | 1 |\n| another row | 2 |\n`,
    (at: number) => `> A quoted line number ${at} with some words in it.\n`,
  ];
  let count = 0;
  for (let at = 0; count < words; at += 1) {
    const text = kinds.map((kind) => kind(at)).join('\n');
    count += text.split(/\s+/).length;
    lines.push('model text <<END', text, 'END', 'model delay 15ms');
  }
  lines.push('model text <<END', '', LAST, 'END', 'model usage input=10 output=20000');
  return `${lines.join('\n')}\n`;
}

describe('a long answer', () => {
  it('20,000 words stream without a task over 50 ms, the end stays in sight, nothing shifts', async () => {
    const { server, page, start } = await play(longScript(20_000));
    const stop = await traceTasks(page);
    await page.evaluate(() => {
      const seen = { long: [] as number[], shifts: 0, distances: [] as number[] };
      Object.assign(window, { seen });
      new PerformanceObserver((list) => seen.long.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: 'longtask' });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) seen.shifts += entry.value;
      }).observe({ type: 'layout-shift' });
    });
    const run = await start('Tell me everything.');
    await page.locator('[data-part=answer]').waitFor();
    await page.evaluate((box) => {
      const look = () => {
        const element = document.querySelector(box);
        const { seen } = window as unknown as { seen: { distances: number[] } };
        if (element) seen.distances.push(element.scrollHeight - element.clientHeight - element.scrollTop);
        next();
      };
      // Once what was changed in a frame is on the screen.
      const next = () => requestAnimationFrame(() => setTimeout(look));
      next();
    }, scroller);
    await until(async () => Boolean((await server.api<{ outcome?: string }>(`/api/runs/${run}`)).outcome), 'the answer ends', 120_000);
    await page.getByRole('button', { name: 'Inspect run' }).waitFor({ timeout: 60_000 });
    const tasks = await stop();
    const seen = await page.evaluate(() => (window as unknown as { seen: { long: number[]; shifts: number; distances: number[] } }).seen);
    const longest = Math.max(...tasks);
    console.log(`longest task ${longest.toFixed(1)} ms of processor; ${seen.long.length} long tasks by the clock: ${seen.long.map(Math.round).join(' ')}; shift ${seen.shifts.toFixed(4)}`);
    expect(tasks.length).toBeGreaterThan(100);
    expect(longest).toBeLessThan(50);
    expect(seen.shifts).toBeLessThan(0.02);
    expect(await distance(page)).toBeLessThan(4);
    expect(Math.max(...seen.distances)).toBeLessThan(200);
    await page.close();
    await server.end();
  }, 240_000);

  it('the reader is left alone away from the end, and is told what is new', async () => {
    const { server, page, start } = await play(`${longScript(600)}\nuser More.\nmodel delay 400ms\nmodel text More words.\n`);
    await server.ended(await start('Tell me everything.'));
    await settled(page);
    await until(async () => (await distance(page)) < 4, 'the end is in sight');
    await page.mouse.move(700, 400);
    await page.mouse.wheel(0, -600);
    const jump = page.getByRole('button', { name: /Jump to latest/ });
    await jump.waitFor();
    await settled(page);
    const before = await page.locator(scroller).evaluate((box) => box.scrollTop);
    const run = await start('More.');
    await page.getByRole('button', { name: /Jump to latest.*new/ }).waitFor();
    await server.ended(run);
    await until(async () => (await page.getByText('More words.').count()) > 0, 'the words are there');
    expect(await page.locator(scroller).evaluate((box) => box.scrollTop)).toBe(before);
    await auditPage(page);
    await jump.click();
    await until(async () => (await distance(page)) < 4, 'the end is in sight again');
    expect(await jump.count()).toBe(0);
    await page.close();
    await server.end();
  });

  it('the reader’s place is kept when the page is loaded again', async () => {
    const { server, page, start } = await play(longScript(900));
    await server.ended(await start('Tell me everything.'));
    await settled(page);
    await until(async () => (await distance(page)) < 4, 'the end is in sight');
    await page.mouse.move(700, 400);
    await page.mouse.wheel(0, -900);
    await page.getByRole('button', { name: /Jump to latest/ }).waitFor();
    await settled(page);
    await until(() => page.evaluate(() => Object.keys(sessionStorage).some((key) => key.startsWith('windlass.place.'))), 'the place is kept');
    const before = await page.locator(scroller).evaluate((box) => box.scrollTop);
    await page.reload();
    await page.getByRole('button', { name: 'Inspect run' }).waitFor();
    await until(async () => Math.abs((await page.locator(scroller).evaluate((box) => box.scrollTop)) - before) < 4, 'the place is the same');
    await page.close();
    await server.end();
  });
});

describe('Markdown while it is written', () => {
  it('shows no marks of what is half there', async () => {
    const text = 'Some **bold words**, `code` and [a link](https://example.org/x).\\n\\n| a | b |\\n|---|---|\\n| 1 | 2 |\\n\\n```js\\nlet x = 1;\\n```\\n';
    const lines = text.split('\\n').map((line) => line.split(''));
    const script = ['title Half', 'chunk 1', '', 'user Write.', 'model text <<END', ...lines.map((chars) => chars.join('')), 'END', 'expect-outcome completed'];
    const { server, page, start } = await play(`${script.join('\n')}\n`);
    await page.evaluate(() => {
      const texts: string[] = [];
      Object.assign(window, { texts });
      new MutationObserver(() => {
        const answer = document.querySelector('[data-part=answer]');
        if (answer) texts.push((answer as HTMLElement).innerText);
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    await server.ended(await start('Write.'));
    await page.locator('[data-part=answer] table').waitFor();
    await page.locator('[data-part=answer] .code pre', { hasText: 'let x = 1;' }).waitFor();
    const texts = await page.evaluate(() => (window as unknown as { texts: string[] }).texts);
    expect(texts.filter((shown) => /[*|`[\]]|https/.test(shown))).toEqual([]);
    await page.close();
    await server.end();
  });

  it('does no harm: no script, no request, no dead link', async () => {
    const { server, page, start } = await play('hostile.script', true);
    await server.ended(await start('Show me what you can do.'));
    const answer = page.locator('[data-part=answer]');
    await answer.getByText('a good link').waitFor();
    expect(await page.evaluate(() => (window as unknown as { hacked?: number }).hacked)).toBeUndefined();
    expect(await answer.locator('script, img, iframe, svg, form, [style], [onclick], [onerror]').count()).toBe(0);
    const links = await answer.locator('a').evaluateAll((all) => all.map((a) => [a.getAttribute('href'), a.getAttribute('target'), a.getAttribute('rel')]));
    expect(links).toEqual([
      ['https://evil.example/pixel.png', '_blank', 'noopener noreferrer'],
      ['https://example.org/page', '_blank', 'noopener noreferrer'],
      ['https://example.org/auto', '_blank', 'noopener noreferrer'],
    ]);
    await auditPage(page);
    await page.close();
    await server.end();
  });

  it('copies code, also inside of lists, and colours it', async () => {
    const { server, page, start } = await play('title Code\n\nuser Code.\nmodel text <<END\n```rust\nfn main() {}\n```\n\n- item\n  ```js\n  let y = 2;\n  ```\nEND\n');
    await server.ended(await start('Code.'));
    await page.locator('.code .hljs-keyword').first().waitFor();
    const copies = page.getByRole('button', { name: 'Copy code' });
    for (const [at, code] of ['fn main() {}', 'let y = 2;'].entries()) {
      await copies.nth(at).click();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code);
    }
    await page.close();
    await server.end();
  });

  it.each([
    ['100 kB in one line', 'word '.repeat(20_000)],
    ['nesting without end', `${'> '.repeat(3000)}deep\n\n${'- '.repeat(2000)}deep\n\n${'['.repeat(4000)}\n\n${'*'.repeat(5000)}`],
    ['100 kB of code', `\`\`\`js\n${'const x = "a long line of code";\n'.repeat(3000)}\`\`\``],
  ])('stays awake with %s', async (_name, text) => {
    const { server, page, start } = await play(`title Much\nchunk 400\n\nuser Much.\nmodel text <<ENDE\n${text}\nENDE\n`);
    const stop = await traceTasks(page);
    await server.ended(await start('Much.'));
    await page.getByRole('button', { name: 'Inspect run' }).waitFor();
    const longest = Math.max(...(await stop()));
    console.log(`longest task ${longest.toFixed(1)} ms of processor`);
    expect(longest).toBeLessThan(100);
    await page.close();
    await server.end();
  });
});

describe('a session of 5,000 messages', () => {
  it('is there at once and scrolls, and the browser’s own search knows all of it', async () => {
    const server = await Server.start({});
    const { session } = await server.startRun('Say hello.');
    const page = await windows.page(server, '/');
    await page.route('**/records?**', async (route) => {
      if (route.request().headers().accept === 'text/event-stream') return route.continue();
      const after = Number(new URL(route.request().url()).searchParams.get('after') ?? 0);
      return route.fulfill({ json: manyRecords(session, after) });
    });
    await page.goto(`${server.url}/s/${session}`);
    await page.locator('article').nth(2499).waitFor();
    await until(async () => (await distance(page)) < 4, 'the end is in sight');
    const made = () => page.locator('article .reply').count();
    expect(await made()).toBeLessThan(40);
    expect(await page.locator('article .words').count()).toBeGreaterThan(2400);
    // Up through the session, a screen at a time: what is seen is made, and what is read does not jump.
    await page.mouse.move(700, 400);
    for (let at = 0; at < 12; at += 1) {
      await page.mouse.wheel(0, -700);
      await until(() => page.evaluate((box) => {
        const area = document.querySelector(box)?.getBoundingClientRect();
        const element = area && document.elementFromPoint(area.left + area.width / 2, area.top + area.height / 2);
        return Boolean(element?.closest('article')?.querySelector('.reply'));
      }, scroller), 'what is seen is made');
    }
    await page.locator(scroller).evaluate((box) => (box.scrollTop = 0));
    await page.getByText('Question 0', { exact: true }).waitFor();
    expect(await made()).toBeLessThan(40);
    await page.close();
    await server.end();
  });
});

/** Records of 2,500 runs, 500 a page. */
function manyRecords(session: string, after: number): unknown {
  const RUNS = 2500;
  const first = after / 4;
  const records: unknown[] = [];
  for (let run = first; run < Math.min(RUNS, first + 500); run += 1) {
    const answer = `Answer ${run} with **words**.\n\n${'Some more of it, long enough to wrap. '.repeat(1 + (run % 9))}`;
    const usage = { input: 1, output: 1, cached: 0, reasoning: 0 };
    const message = { role: 'assistant', parts: [{ type: 'text', text: answer }] };
    const events = [
      { type: 'run_started', model: 'scripted/x', profile: 'default', message: { role: 'user', parts: [{ type: 'text', text: `Question ${run}` }] } },
      { type: 'step_started', step: 1, purpose: 'work', attempt: 1 },
      { type: 'step_ended', step: 1, message, finish: 'stop', usage },
      { type: 'run_ended', outcome: 'completed', reason: 'answered', answer, usage },
    ];
    events.forEach((event, at) =>
      records.push({ seq: run * 4 + at + 1, ts_ms: 1_700_000_000_000 + run, session_id: session, run_id: `run_${run}`, parent_id: 'm', event }),
    );
  }
  const last = after + records.length;
  return { records, last_seq: RUNS * 4, has_more: last < RUNS * 4 };
}
