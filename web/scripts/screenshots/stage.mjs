// What the pictures are taken of: real servers with scripts as models, and endpoints on this machine. Knows no page.
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(fileURLToPath(new URL('../../..', import.meta.url)));
const START_LIMIT_MS = 30_000;
const WAIT_LIMIT_MS = 60_000;

const PROJECT = join(tmpdir(), 'harbour');
/** A script by the name that the screen shows. */
const nameOf = ({ script = 'hello.script' }) => script.replace(/^(shot|inspector)_/, '');

/** The project folder of every picture. */
const FILES = {
  'README.md': '# Harbour\n\nA small project to show what Windlass does.\n',
  'notes.txt': 'The pawl drops into the teeth of the wheel.\n',
  'notes/monday.md': 'Hauled four loads.\n',
  'notes/tuesday.md': 'Hauled four loads.\n',
  'src/greet.rs': '// Greets.\nfn main() {\n    println!("Hello.");\n}\n',
  'src/load.rs': 'pub struct Load(pub u32);\n',
};

export class Stage {
  url = '';
  #child = null;

  static async up(wish = {}) {
    const stage = new Stage();
    stage.wish = wish;
    stage.folder = mkdtempSync(join(tmpdir(), 'windlass-shot-'));
    // Names of folders are on the screen: the project has the same one each time, unless somebody else has it.
    stage.project = existsSync(PROJECT) ? join(stage.folder, 'harbour') : PROJECT;
    mkdirSync(stage.project);
    if (!wish.model) copyFileSync(join(root, 'fixtures/web', wish.script ?? 'hello.script'), join(stage.folder, nameOf(wish)));
    for (const [name, text] of Object.entries({ ...FILES, ...wish.files })) {
      mkdirSync(dirname(join(stage.project, name)), { recursive: true });
      writeFileSync(join(stage.project, name), text);
    }
    writeFileSync(join(stage.folder, 'config.toml'), wish.config ?? '');
    await stage.start();
    return stage;
  }

  async start() {
    const { model, args = [] } = this.wish;
    const binary = process.env.WINDLASS_BINARY ?? join(root, 'target/debug/windlass');
    const address = this.url ? new URL(this.url).host : '127.0.0.1:0';
    const line = ['serve', '--addr', address, '--config', join(this.folder, 'config.toml'), '--data', join(this.folder, 'data'),
      '--root', this.project, '--model', model ?? `scripted/${nameOf(this.wish)}`, ...args];
    const home = join(this.folder, 'home');
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith('WINDLASS_') && !name.endsWith('_API_KEY'));
    const env = { ...Object.fromEntries(own), HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, WINDLASS_LOG: 'error' };
    const child = spawn(binary, line, { env, cwd: this.folder, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    this.url = await new Promise((done, fail) => {
      let said = '';
      const timer = setTimeout(() => fail(new Error(`the server does not listen: ${said}`)), START_LIMIT_MS);
      child.stdout.on('data', (piece) => {
        const url = /http:\/\/[0-9.:]+/.exec((said += piece))?.[0];
        if (!url) return;
        clearTimeout(timer);
        done(url);
      });
      child.stderr.on('data', (piece) => (said += piece));
      child.on('exit', (code) => fail(new Error(`the server ended with ${code}: ${said}`)));
    });
    this.token = readFileSync(join(this.folder, 'data', 'token'), 'utf8').trim();
  }

  async kill() {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGKILL');
    await ended;
  }

  async down() {
    await this.kill();
    for (const folder of [this.folder, this.project]) rmSync(folder, { recursive: true, force: true });
  }

  #fetch(path, body, method) {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    return fetch(this.url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  }

  /** Calls a tool by hand; one that needs consent is only on record then. */
  async tryTool(tool, args) {
    await this.#fetch(`/api/tools/${tool}/call`, { arguments: args }, 'POST');
  }

  async api(path, body, method = body === undefined ? 'GET' : 'POST') {
    const response = await this.#fetch(path, body, method);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? undefined : response.json();
  }

  /** Begins a run in a session of its own. */
  async begin(message, wish = {}) {
    const { session_id } = await this.api('/api/sessions', {});
    const { run_id } = await this.api(`/api/sessions/${session_id}/runs`, { message, ...wish });
    return { session: session_id, run: run_id };
  }

  async ended(run) {
    await until(async () => (await this.api(`/api/runs/${run}`)).outcome, `run ${run} ends`);
  }

  /** Waits for so many questions of a run, and answers them if a decision is given. */
  async asked(run, count = 1, decision = null) {
    const questions = async () => (await this.api(`/api/runs/${run}/permissions`)).questions;
    await until(async () => (await questions()).length >= count, `run ${run} asks`);
    if (!decision) return;
    for (const { call_id, digest } of await questions()) {
      await this.api(`/api/runs/${run}/permissions/${call_id}`, { decision, digest });
    }
  }

  /** Waits until a record of this kind is there. */
  async recorded(session, type, count = 1) {
    const records = async () => (await this.api(`/api/sessions/${session}/records?deltas=1`)).records;
    await until(async () => (await records()).filter(({ event }) => event.type === type).length >= count, `${type} in ${session}`);
  }
}

async function until(is, what) {
  const end = Date.now() + WAIT_LIMIT_MS;
  while (!(await is())) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    await new Promise((done) => setTimeout(done, 30));
  }
}

async function listen(answer) {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => (body += piece));
    request.on('end', () => answer(request, response, body));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { port: server.address().port, end: () => (server.closeAllConnections(), server.close()) };
}

const HITS = {
  'windlass pawl and ratchet': [
    { title: 'The pawl and the ratchet wheel', url: 'https://example.org/pawl', content: 'A pawl drops into the teeth of the wheel, so the drum turns one way only.' },
    { title: 'Gear of sailing ships', url: 'https://ships.example.net/gear', content: 'The windlass hauls the anchor; the pawl keeps it from running out.' },
    { title: 'Ratchets in small machines', url: 'https://example.com/ratchets', content: 'Where a load must never slip back, a pawl is enough.' },
  ],
  'windlass brake': [
    { title: 'The brake', url: 'https://example.org/brake', content: 'The brake lets a load down slowly.' },
    { title: 'The pawl and the ratchet wheel', url: 'https://example.org/pawl?from=brake', content: 'The same page once more.' },
  ],
};

/** A search server that speaks SearXNG's wire. */
export async function searchServer() {
  const server = await listen((request, response) => {
    const query = new URL(request.url, 'http://x').searchParams.get('q') ?? '';
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ query, results: HITS[query] ?? [] }));
  });
  return { ...server, config: `[web_search]\nbackend = "searxng"\nbase_url = "http://127.0.0.1:${server.port}"\n` };
}

/** A model's endpoint that speaks the chat wire, for the doctor. */
export async function modelServer() {
  const server = await listen((request, response, body) => {
    const asked = body ? JSON.parse(body) : {};
    const name = asked.tools?.[0]?.function.name;
    const call = name && [{ index: 0, id: 'call_1', type: 'function', function: { name, arguments: '{}' } }];
    const message = { role: 'assistant', content: call ? null : 'ok', ...(call && { tool_calls: call }) };
    const finish_reason = call ? 'tool_calls' : 'stop';
    const whole = { id: 'x', object: 'chat.completion', created: 1, model: 'llama', usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 } };
    if (!asked.stream) {
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify({ ...whole, choices: [{ index: 0, message, finish_reason }] }));
    }
    response.setHeader('content-type', 'text/event-stream');
    const choices = [{ index: 0, delta: message, finish_reason: null }];
    const last = [{ index: 0, delta: {}, finish_reason }];
    response.end([{ ...whole, choices, usage: null }, { ...whole, choices: last }].map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join('') + 'data: [DONE]\n\n');
  });
  const config = `[providers.basement]\nbase_url = "http://127.0.0.1:${server.port}/v1"\ncontext_tokens = 131072\nprices = { input = 0.5, cached = 0.1, output = 1.5 }\n`;
  return { ...server, config };
}
