// Prompt Studio's stream in a real EventSource, beside a literal client and curl; and the settings of the composer.

import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { auditPage, scripted, Server, until, Windows } from './harness';
import { SearchServer } from './search_server';

let windows: Windows;
let search: SearchServer;
let server: Server | undefined;
beforeAll(async () => {
  windows = await Windows.open();
  search = await SearchServer.start();
  search.finds('news', [{ title: 'News', url: 'https://a.example/news', content: 'All of it.' }]);
});
afterAll(async () => {
  await windows?.close();
  await search?.end();
});
afterEach(async () => {
  await server?.end();
  windows.expectQuiet();
});

const SEARCHES = 'user What is new?\nmodel reasoning I should look.\nmodel text Let me look.\nmodel call 1 search_web {"query":"news"}\nmodel end\nmodel reasoning Now I know.\nmodel text Nothing much.\n';

async function playing(script: string): Promise<Server> {
  server = await Server.start({ model: 'scripted/a.script', files: { 'a.script': script }, config: search.config });
  return server;
}

/** What a client reads that splits at blank lines and strips `data: `. */
const literal = (body: string) => body.split('\n\n').filter((block) => block.startsWith('data: ')).map((block) => block.slice('data: '.length));

/** What an EventSource of Chromium reads to the end, and the ids that it saw. */
async function eventSource(server: Server, path: string): Promise<{ read: string[]; ids: string[] }> {
  const page = await windows.page(server);
  return page.evaluate(
    (path) =>
      new Promise<{ read: string[]; ids: string[] }>((done) => {
        const seen = { read: [] as string[], ids: [] as string[] };
        const source = new EventSource(path);
        source.onmessage = ({ data, lastEventId }) => {
          seen.read.push(data as string);
          seen.ids.push(lastEventId);
          if ((JSON.parse(data as string) as { type: string }).type !== 'done') return;
          source.close();
          done(seen);
        };
      }),
    path,
  );
}

it('U-36: a literal client, curl -N and the EventSource of a browser read the same stream alike', async () => {
  const started = await playing(SEARCHES);
  const { url } = started;
  const path = '/api/chat/stream?prompt=What%20is%20new%3F&request_id=once';
  const browser = await eventSource(started, path);
  const body = await (await started.fetch(path)).text();
  const curl = execFileSync('curl', ['-sS', '-N', '-H', `Authorization: Bearer ${started.token}`, url + path]).toString();
  expect(literal(body)).toEqual(browser.read);
  expect(literal(curl)).toEqual(browser.read);
  const frames = browser.read.map((text) => JSON.parse(text) as { type: string; name?: string; result?: { result?: unknown } });
  expect(frames.at(-1)?.type).toBe('done');
  expect(new Set(frames.flatMap(({ name }) => name ?? []))).toEqual(new Set(['search_web']));
  const result = frames.find(({ type }) => type === 'tool_result')?.result?.result;
  expect(result).toEqual({ results: [{ title: 'News', url: 'https://a.example/news', snippet: 'All of it.' }] });
  // The ids that an EventSource would come back with are those of the frames before.
  expect(browser.ids.filter(Boolean).length).toBeGreaterThan(3);
});

it('U-36: an EventSource that lost its server comes back by itself and misses nothing', async () => {
  search.hold('news');
  const started = await playing(SEARCHES);
  const path = '/api/chat/stream?prompt=What%20is%20new%3F&request_id=lost';
  const reading = eventSource(started, path);
  const runs = async () => (await started.api<{ runs: { calls: number }[] }>('/api/runs')).runs;
  await until(async () => ((await runs())[0]?.calls ?? 0) > 0, 'the search has begun');
  await started.kill();
  search.release('news');
  await started.up();
  const { read } = await reading;
  const frames = read.map((text) => JSON.parse(text) as { type: string; content?: string });
  expect(frames.filter(({ type }) => type === 'tool_result')).toHaveLength(1);
  expect(frames.filter(({ type }) => type === 'run_started')).toHaveLength(1);
  expect(frames.filter(({ type }) => type === 'content').map(({ content }) => content).join('')).toMatch(/Nothing much\.$/);
  expect(await runs()).toHaveLength(1);
});

it('S-13: fields that the app does not know change nothing', async () => {
  server = await Server.start({ model: scripted('hello.script') });
  const { session_id } = await server.api<{ session_id: string }>('/api/sessions', {});
  const { run_id } = await server.api<{ run_id: string }>(`/api/sessions/${session_id}/runs`, { message: 'Hello' });
  await server.ended(run_id);
  const context = await windows.context();
  const strange = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(strange);
    if (typeof value !== 'object' || value === null) return value;
    return { ...Object.fromEntries(Object.entries(value).map(([name, one]) => [name, strange(one)])), mood: { good: [1, null] } };
  };
  await context.route(/\/api\/(sessions(\/[^/]+(\/records)?)?|runs|about|tools|models)(\?.*)?$/, async (route) => {
    // Streams have no end: they go their way.
    if (route.request().headers().accept?.includes('event-stream')) return route.continue();
    const response = await route.fetch();
    await route.fulfill({ response, json: strange(await response.json()) });
  });
  const page = await windows.page(server, `/s/${session_id}`, {}, context);
  await page.getByText('Hello! Ask me for anything').waitFor();
  await auditPage(page);
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await context.close();
});

it('the settings of a session are set in the composer, kept, sent with its runs, shown and reset', async () => {
  const started = await Server.start({ model: scripted('hello.script'), config: 'temperature = 0.7\n' });
  server = started;
  const page = await windows.page(started);
  const chip = page.getByRole('button', { name: /^Settings/ });
  await chip.click();
  const panel = page.getByRole('dialog', { name: 'Session settings' });
  expect(await panel.getByLabel('Temperature').getAttribute('placeholder')).toBe('Default (0.7)');
  expect(await panel.getByLabel('Top P').getAttribute('placeholder')).toBe('Default (set by the model)');
  await auditPage(page);
  await panel.getByLabel('System prompt').fill('Be brief.');
  await panel.getByLabel('Temperature').fill('0.2');
  await panel.getByLabel('Seed').fill('x');
  await panel.getByLabel('Tool choice').focus();
  await panel.getByLabel('Tool choice').selectOption('Call calculate');
  await panel.getByText('A whole number from 0.').waitFor();
  await panel.getByLabel('Seed').fill('7');
  await panel.getByLabel('Format').focus();
  await panel.getByLabel('Format').selectOption('JSON with a schema');
  await panel.getByLabel('JSON Schema for the answer').fill('{"type": "object"');
  await panel.getByLabel('Seed').focus();
  await panel.getByText(/^Not valid JSON/).waitFor();
  await panel.getByLabel('JSON Schema for the answer').fill('{"type": "object"}');
  await panel.getByLabel('Seed').focus();
  await panel.getByText('Set: System prompt · Temperature 0.2 · Seed 7 · JSON schema · Must call calculate').waitFor();
  await auditPage(page);
  await page.keyboard.press('Escape');
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
  await page.keyboard.press('Enter');
  await until(async () => /\/s\//.test(page.url()), 'the session begins');
  const session = page.url().split('/').pop() ?? '';
  const settings = async () => (await started.api<{ settings?: object }>(`/api/sessions/${session}`)).settings;
  const set = {
    system: 'Be brief.', temperature: 0.2, seed: 7, tool_choice: { name: 'calculate' },
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } },
  };
  expect(await settings()).toEqual(set);
  const { records } = await started.api<{ records: { event: { wishes: { sampling: object; system: string } } }[] }>(`/api/sessions/${session}/records`);
  expect(records[0]?.event.wishes.sampling).toEqual({ temperature: 0.2, seed: 7, response_format: set.response_format });
  expect(records[0]?.event.wishes.system).toBe('Be brief.');
  // They are there again after a reload, and in another window.
  await page.reload();
  await page.getByRole('button', { name: /^Settings: System prompt, Temperature 0\.2/ }).click();
  expect(await panel.getByLabel('Seed').inputValue()).toBe('7');
  await panel.getByLabel('Seed').fill('');
  await panel.getByLabel('Temperature').focus();
  await until(async () => !('seed' in ((await settings()) ?? {})), 'an empty field is the default');
  await panel.getByRole('button', { name: 'Reset all' }).click();
  await until(async () => (await settings()) === undefined, 'nothing is set');
  await panel.getByText('All settings are at their defaults.').waitFor();
});
