// The web app's row of the table of profiles: each is chosen in the composer of a server that was started with another one,
// and its runs have that system's numbers. A provider on this machine plays the model and hears every request.

import { readFileSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { root, Server, until, Windows } from './harness';

interface Seed {
  profile: string;
  steps: number;
  calls: number;
  timeout_ms: number;
  tools: string[];
  envelope: string;
  working: string;
  probed: [tool: string, decidedBy: string];
}
type Event = { type: string; [field: string]: unknown };

const seeds = JSON.parse(readFileSync(join(root, 'fixtures/profiles/seeds.json'), 'utf8')) as Seed[];
const files = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`${at}.txt`, `word${at} stands here\n`]));

let windows: Windows;
let provider: HttpServer;
let server: Server;
const heard: string[] = [];

beforeAll(async () => {
  windows = await Windows.open();
  provider = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      heard.push(body);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(answerTo(body));
    });
  });
  await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done));
});
afterAll(async () => {
  await windows?.close();
  provider?.closeAllConnections();
  provider?.close();
});
afterEach(async () => {
  await server?.end();
  windows.expectQuiet();
});

function streamed(delta: object, finish: string): string {
  const piece = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  return `${piece(delta, null)}${piece({}, finish)}data: [DONE]\n\n`;
}

/** Arguments that a tool was not called with before in the run. */
function argumentsOf(tool: string, number: number): object {
  switch (tool) {
    case 'calculate':
      return { expression: `1 + ${number}` };
    case 'add_task':
      return { content: `task ${number}` };
    case 'read_file':
      return { path: `${number}.txt` };
    case 'request_code_context':
      return { token_budget: 1000, hint: `word${number}` };
    default:
      return { query: `word${number}` };
  }
}

/** How many outcomes a text tells the model, in whichever dialect. */
const outcomes = (text: string) => (text.match(/"role":"tool"|Tool \d+ \[|' returned: /g) ?? []).length;

/** `steps with TOOL`: one call after another for as long as it may; `many with TOOL`: sixteen at once; `once with TOOL`: one. */
function answerTo(request: string): string {
  const at = request.lastIndexOf(' with ');
  if (at < 0) return streamed({ content: 'Hello.' }, 'stop');
  const [before, after] = [request.slice(0, at), request.slice(at + ' with '.length)];
  const tool = /^[a-z_]+/.exec(after)?.[0] ?? '';
  const done = outcomes(after);
  if (done > 0 && !before.endsWith('steps')) return streamed({ content: 'Done.' }, 'stop');
  const tool_calls = Array.from({ length: before.endsWith('many') ? 16 : 1 }, (_, index) => ({
    index, id: `c${done}_${index}`, type: 'function', function: { name: tool, arguments: JSON.stringify(argumentsOf(tool, done + index)) },
  }));
  return streamed({ tool_calls }, 'tool_calls');
}

/** The fields around the first outcome of a request, or how it begins without any. */
function envelopeOf(request: string, seed: Seed): string {
  const { messages } = JSON.parse(request) as { messages: { role: string; content: unknown }[] };
  const outcome = messages.find(({ role }) => role === 'tool');
  if (outcome) return Object.keys(JSON.parse(outcome.content as string) as object).sort().join(' ');
  return messages.some(({ content }) => String(content).includes(seed.envelope)) ? seed.envelope : '';
}

/** The tools that a request offers, in whichever dialect. */
const offered = (request: string, all: string[]) =>
  all.filter((name) => [`"name":"${name}"`, `\\"name\\":\\"${name}\\"`, `${name}(`].some((way) => request.includes(way)));

/** Says something in the composer; gives what is on record of the run, once it ended or asks. */
async function say(page: Page, text: string): Promise<Event[]> {
  const runs = async () => (await server.api<{ runs: { run_id: string; session_id: string; outcome?: string }[] }>('/api/runs?rows=1')).runs;
  const before = (await runs())[0]?.run_id;
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
  await until(async () => (await runs())[0]?.run_id !== before, `'${text}' begins a run`);
  const [run] = await runs();
  if (!run) throw new Error('no run');
  const isAsked = async () => (await page.locator('[data-question]').count()) > 0;
  await until(async () => Boolean((await runs())[0]?.outcome) || (await isAsked()), `'${text}' ends or asks`, 30_000);
  const { records } = await server.api<{ records: { run_id: string; event: Event }[] }>(`/api/sessions/${run.session_id}/records?rows=1000`);
  return records.filter(({ run_id }) => run_id === run.run_id).map(({ event }) => event);
}

it.each(seeds.map((seed, at) => ({ seed, profile: seed.profile, other: seeds[(at + 1) % seeds.length]?.profile ?? 'default' })))(
  'U-30: the profile $profile is a whole when it is chosen in the web app, over a server of $other',
  async ({ seed, other }) => {
    const { port } = provider.address() as AddressInfo;
    server = await Server.start({
      model: 'openai-chat/some-model', files, args: ['--profile', other, '--approve', 'ask'],
      config: `[providers.openai-chat]\nbase_url = "http://127.0.0.1:${port}"\n`, env: { OPENAI_API_KEY: 'sk-windlass-test-0123456789abcdef' },
    });
    const all = (await server.api<{ tools: { name: string }[] }>('/api/tools')).tools.map(({ name }) => name);
    const page = await windows.page(server);
    await page.getByRole('combobox', { name: 'Profile' }).selectOption(seed.profile);
    heard.length = 0;
    const steps = await say(page, `steps with ${seed.working}`);
    const asked = [...heard];
    const many = await say(page, `many with ${seed.working}`);
    const once = await say(page, `once with ${seed.probed[0]}`);
    const begun = steps.find(({ type }) => type === 'run_started') as unknown as { wishes: { setup: { profile: { limits: { call_timeout_ms: number } } } } };
    const kinds = many.filter(({ type }) => type === 'call_ended').map((event) => (event.outcome as { body: { Err?: { kind: string } } }).body.Err?.kind);
    const seen = {
      steps: steps.filter(({ type, purpose }) => type === 'step_started' && purpose === 'work').length,
      calls: kinds.filter((kind) => kind !== 'limit_exceeded').length,
      timeout_ms: begun.wishes.setup.profile.limits.call_timeout_ms,
      tools: offered(asked[0] ?? '', all),
      envelope: envelopeOf(asked[1] ?? '{"messages":[]}', seed),
      approval: once.find(({ type }) => type === 'call_started')?.by ?? 'asked',
    };
    console.log(`| ${other} | web app | ${seed.profile} | ${seen.steps} | ${seen.calls} | ${seen.timeout_ms} ms | ${seen.tools.length} | ${seen.envelope} | ${seed.probed[0]} ${String(seen.approval)} |`);
    const { steps: steps_max, calls, timeout_ms, envelope } = seed;
    expect(seen).toEqual({ steps: steps_max, calls, timeout_ms, envelope, tools: seed.tools.length > 0 ? seed.tools : all, approval: seed.probed[1] });
    // Who is asked sees the question; who is not sees the answer.
    if (seed.probed[1] === 'asked') await page.locator('[data-question]').getByText(`Allow ${seed.probed[0]}?`).waitFor();
    else expect(await page.locator('[data-question]').count()).toBe(0);
  },
);
