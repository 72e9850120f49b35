// What end-to-end tests stand on: a real server with folders of its own, a real Chromium, scripts as models, an
// accessibility audit. Knows nothing of what the app shows.
//
// WINDLASS_BINARY: the binary under test. CHROMIUM: the browser. WINDLASS_DIST: a build of the app that is shown
// instead of the one in the binary, while it is being worked on.

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { expect } from 'vitest';

export const root = resolve(fileURLToPath(new URL('../..', import.meta.url)));
const START_LIMIT_MS = 30_000;
const BINARY = process.env.WINDLASS_BINARY ?? join(root, 'target/debug/windlass');

/** The script of that name in fixtures/web, as the name of a model. */
export function scripted(name: string): string {
  return `scripted/${join(root, 'fixtures/web', name)}`;
}

export interface ServerWish {
  /** The model when nobody chooses; a script that says hello unless said otherwise, none at all with `null`. */
  model?: string | null;
  /** Files of the project folder: name to text. */
  files?: { [name: string]: string };
  /** More of the command line. */
  args?: string[];
  /** config.toml. */
  config?: string;
  /** More of the environment. */
  env?: { [name: string]: string };
}

/** `windlass serve` with folders of its own. */
export class Server {
  url = '';
  /** What clients send; none with `--no-token`. */
  token = '';
  private child: ChildProcess | null = null;

  private constructor(
    readonly folder: string,
    private readonly wish: ServerWish,
  ) {}

  static async start(wish: ServerWish = {}): Promise<Server> {
    const folder = mkdtempSync(join(tmpdir(), 'windlass-web-'));
    const server = new Server(folder, wish);
    mkdirSync(join(folder, 'project'), { recursive: true });
    writeFileSync(join(folder, 'config.toml'), wish.config ?? '');
    for (const [name, text] of Object.entries(wish.files ?? { 'notes.txt': 'The needle is here.\n' })) {
      const file = join(folder, 'project', name);
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, text);
    }
    // What a project brings counts only when its user trusts it; rules that tighten always do.
    if (Object.keys(wish.files ?? {}).some((name) => /^\.windlass\/(tools|modules)\//.test(name))) server.command('trust', 'add', '--yes');
    await server.up();
    return server;
  }

  get project(): string {
    return join(this.folder, 'project');
  }

  /** Starts it, on the same port as before if it ran before. */
  async up(): Promise<void> {
    const model = this.wish.model === null ? [] : ['--model', this.wish.model ?? scripted('hello.script')];
    const address = this.url ? new URL(this.url).host : '127.0.0.1:0';
    const places = ['--config', join(this.folder, 'config.toml'), '--data', join(this.folder, 'data'), '--root', this.project];
    const args = ['serve', '--addr', address, ...places, ...model, ...(this.wish.args ?? [])];
    const home = join(this.folder, 'home');
    // No setting and no key of whoever runs the tests.
    const own = Object.entries(process.env).filter(([name]) => !/^WINDLASS_|_API_KEY$/.test(name));
    const env = { ...Object.fromEntries(own), HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, WINDLASS_LOG: 'error', NO_COLOR: '1', ...this.wish.env };
    const child = spawn(BINARY, args, { env, cwd: this.project, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    this.url = await new Promise<string>((done, fail) => {
      let said = '';
      const timer = setTimeout(() => fail(new Error(`the server does not listen: ${said}`)), START_LIMIT_MS);
      const hear = (piece: Buffer) => {
        said += piece.toString();
        const url = /http:\/\/[0-9.:]+/.exec(said)?.[0];
        if (!url) return;
        clearTimeout(timer);
        done(url);
      };
      child.stdout.on('data', hear);
      child.stderr.on('data', (piece: Buffer) => (said += piece.toString()));
      child.on('exit', (code) => fail(new Error(`the server ended with ${code}: ${said}`)));
    });
    const file = join(this.folder, 'data', 'token');
    this.token = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  }

  /** What the command prints, run with the folders of this server. */
  command(...args: string[]): string {
    const home = join(this.folder, 'home');
    const env = { PATH: process.env.PATH ?? '', HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home };
    const places = ['--config', join(this.folder, 'config.toml'), '--data', join(this.folder, 'data')];
    return execFileSync(BINARY, [...args, ...places], { env, cwd: this.project }).toString().trim();
  }

  /** A link that signs a browser in. */
  link(): string {
    return this.command('token', '--link', '--addr', new URL(this.url).host);
  }

  /** Asks as a program does: with the token. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(this.url + path, { ...init, headers: { authorization: `Bearer ${this.token}`, ...init.headers } });
  }

  /** Gives it a small part of its time until something was seen: what takes a moment takes long then, on any machine. */
  async slowly(see: () => Promise<void>): Promise<void> {
    const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
    let isSeen = false;
    const seen = see().finally(() => (isSeen = true));
    while (!isSeen) {
      this.child?.kill('SIGSTOP');
      await pause(190);
      this.child?.kill('SIGCONT');
      await pause(10);
    }
    await seen;
  }

  /** Ends it as a power cut would. */
  async kill(): Promise<void> {
    const child = this.child;
    this.child = null;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGKILL');
    await ended;
  }

  /** Ends it and takes its folders away. */
  async end(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Asks its API. */
  async api<T>(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST'): Promise<T> {
    const init: RequestInit = { method };
    if (body !== undefined) {
      init.body = JSON.stringify(body);
      init.headers = { 'content-type': 'application/json' };
    }
    const response = await this.fetch(path, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (response.status === 204 ? undefined : await response.json()) as T;
  }

  /** A session with a run that has been started; gives both ids. */
  async startRun(message: string, wish: { [field: string]: unknown } = {}): Promise<{ session: string; run: string }> {
    const { session_id } = await this.api<{ session_id: string }>('/api/sessions', {});
    const { run_id } = await this.api<{ run_id: string }>(`/api/sessions/${session_id}/runs`, { message, ...wish });
    return { session: session_id, run: run_id };
  }

  /** Answers the questions of a run that wait, once there are some. */
  async answer(run: string, decision: 'once' | 'deny'): Promise<void> {
    const waiting = async () => (await this.api<{ questions: { call_id: string; digest: string }[] }>(`/api/runs/${run}/permissions`)).questions;
    await until(async () => (await waiting()).length > 0, `run ${run} asks`);
    for (const { call_id, digest } of await waiting()) await this.api(`/api/runs/${run}/permissions/${call_id}`, { decision, digest });
  }

  /** Waits until a run is over. */
  async ended(run: string): Promise<void> {
    await until(async () => Boolean((await this.api<{ outcome?: string }>(`/api/runs/${run}`)).outcome), `run ${run} ends`);
  }
}

/** Asks again until it is so. */
export async function until(is: () => Promise<boolean> | boolean, what: string, limitMs = 15_000): Promise<void> {
  const end = Date.now() + limitMs;
  while (!(await is())) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    await new Promise((done) => setTimeout(done, 25));
  }
}

export interface Screen {
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  reducedMotion?: boolean;
}

/** A browser whose pages may not leave the origin and may not complain. */
export class Windows {
  /** What pages said on their consoles, and requests that left the origin. */
  readonly complaints: string[] = [];

  private constructor(readonly browser: Browser) {}

  static async open(): Promise<Windows> {
    const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
    const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'];
    return new Windows(await chromium.launch({ executablePath, args }));
  }

  /** A window with storage of its own. */
  async context(screen: Screen = {}): Promise<BrowserContext> {
    const context = await this.browser.newContext({
      viewport: { width: screen.width ?? 1280, height: screen.height ?? 800 },
      colorScheme: screen.theme ?? 'light',
      reducedMotion: screen.reducedMotion ? 'reduce' : 'no-preference',
      permissions: ['clipboard-read', 'clipboard-write'],
      locale: 'en-GB',
      timezoneId: 'UTC',
    });
    if (process.env.WINDLASS_DIST) await showOwnBuild(context, resolve(process.env.WINDLASS_DIST));
    return context;
  }

  /** A page at a path of the server, signed in, in a window of its own or in the one given. */
  async page(server: Server, path = '/', screen: Screen = {}, context?: BrowserContext): Promise<Page> {
    const own = context ?? (await this.context(screen));
    if (server.token) await own.request.post(`${server.url}/api/sign-in`, { data: { token: server.token } });
    return this.strange(server, path, own);
  }

  /** The same without signing in. */
  async strange(server: Server, path: string, context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    page.on('pageerror', (error) => this.complaints.push(`error: ${error.message}`));
    page.on('console', (message) => {
      // What the server refuses is told by the page itself.
      const isNetwork = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isNetwork) this.complaints.push(`console: ${message.text()}`);
    });
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(server.url) && /^https?:/.test(url)) this.complaints.push(`left the origin: ${url}`);
    });
    await page.goto(path.startsWith('http') ? path : server.url + path);
    return page;
  }

  /** Nothing was wrong on any page. */
  expectQuiet(): void {
    expect(this.complaints).toEqual([]);
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}

const MEDIA: { [ext: string]: string } = {
  '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.webmanifest': 'application/manifest+json',
};
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

async function showOwnBuild(context: BrowserContext, dist: string): Promise<void> {
  await context.route(
    (url) => !/^\/(api|docs|openapi|healthz|readyz|metrics|v1|chat)/.test(url.pathname),
    async (route) => {
      const { pathname } = new URL(route.request().url());
      // Addresses of modules have points in them, too.
      const file = extname(pathname) in MEDIA ? pathname : '/index.html';
      const headers = { 'content-type': MEDIA[extname(file)] ?? 'application/octet-stream', 'content-security-policy': POLICY };
      await route.fulfill({ body: readFileSync(join(dist, file)), headers });
    },
  );
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** No violation of WCAG A and AA on the page as it is now. */
export async function auditPage(page: Page): Promise<void> {
  // Colours on their way from one theme to the other are nobody's choice.
  await page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const finite = document.getAnimations().filter((each) => each.effect?.getComputedTiming().endTime !== Infinity);
    const finished = Promise.all(finite.map((each) => each.finished.catch(() => undefined)));
    // One in a part that is not drawn never ends.
    await Promise.race([finished, new Promise((done) => setTimeout(done, 1000))]);
  });
  // A script tag would be refused by the page's policy, as it should be.
  await page.evaluate(axeSource);
  const found = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(context: unknown, options: unknown): Promise<AxeResults> } };
    const results = await axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return results.violations.map((violation) => ({
      rule: violation.id,
      help: violation.help,
      nodes: violation.nodes.slice(0, 5).map((node) => `${node.html.slice(0, 160)} — ${node.failureSummary ?? ''}`),
    }));
  });
  expect(found).toEqual([]);
}

interface AxeResults {
  violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
}
