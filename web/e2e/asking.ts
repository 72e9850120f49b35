// A session whose model asks: a script of the test's own on the real server, and a page that shows the questions.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { Server, until, Windows, type Screen, type ServerWish } from './harness';

export interface Asked {
  call_id: string;
  tool: string;
  arguments: string;
  risk: string;
  rule: string;
  digest: string;
  position: number;
  total: number;
  targets?: { [kind: string]: string }[];
  preview?: { kind: string; text: string };
}

/** A call as a line of a script. What is not ASCII is escaped: lines of scripts are lines. */
export function callLine(number: number, tool: string, args: object): string {
  const json = JSON.stringify(args).replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `model call ${number} ${tool} ${json}`;
}

/** A script whose runs make these calls, a step each, and then say so. */
export function script(...runs: [tool: string, args: object][][]): string {
  let number = 0;
  const sections = runs.map((calls, at) =>
    [`user Go ${at + 1}.`, ...calls.map(([tool, args]) => callLine((number += 1), tool, args)), 'model end calls', `model text Done ${at + 1}.`, ''].join('\n'),
  );
  return `title Calls that ask\n\n${sections.join('\n')}`;
}

/** For all tests of a file: gives what plays a script. After each test its scene ends, and nothing may have gone wrong in it. */
export function playing(): (text: string, wish?: ServerWish, screen?: Screen) => Promise<Scene> {
  let windows: Windows;
  let scene: Scene | undefined;
  beforeAll(async () => {
    windows = await Windows.open();
  });
  afterAll(async () => windows?.close());
  afterEach(async () => {
    await scene?.end();
    scene = undefined;
    windows.expectQuiet();
  });
  return async (text, wish, screen) => (scene = await Scene.play(windows, text, wish, screen));
}

export class Scene {
  private constructor(
    readonly server: Server,
    readonly page: Page,
    readonly session: string,
    private readonly folder: string,
  ) {}

  static async play(windows: Windows, text: string, wish: ServerWish = {}, screen: Screen = {}): Promise<Scene> {
    const folder = mkdtempSync(join(tmpdir(), 'windlass-asking-'));
    writeFileSync(join(folder, 'calls.script'), text);
    const server = await Server.start({ model: `scripted/${join(folder, 'calls.script')}`, args: ['--approve', 'ask'], files: {}, ...wish });
    const session = (await server.api<{ session_id: string }>('/api/sessions', {})).session_id;
    const page = await windows.page(server, `/s/${session}`, screen);
    await page.getByRole('textbox').first().waitFor();
    return new Scene(server, page, session, folder);
  }

  async end(): Promise<void> {
    await this.page.close();
    await this.server.end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Says something; gives the id of the run. */
  async say(message = 'Go 1.'): Promise<string> {
    return (await this.server.api<{ run_id: string }>(`/api/sessions/${this.session}/runs`, { message })).run_id;
  }

  /** Questions of a run that wait, as the server has them. */
  async waiting(run: string): Promise<Asked[]> {
    return (await this.server.api<{ questions: Asked[] }>(`/api/runs/${run}/permissions`)).questions;
  }

  get cards(): Locator {
    return this.page.locator('[data-question]');
  }

  card(callId: string): Locator {
    return this.page.locator(`[data-question="${callId}"]`);
  }

  /** Says something and waits for so many cards. */
  async ask(count = 1, message = 'Go 1.'): Promise<string> {
    const run = await this.say(message);
    await until(async () => (await this.cards.count()) === count, `${count} cards`);
    return run;
  }

  /** Nothing has the keyboard. */
  async blur(): Promise<void> {
    await this.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  }

  /** Waits until a card shows its keys. */
  async keys(card: Locator = this.cards.first()): Promise<void> {
    await until(async () => (await card.getAttribute('data-keys')) !== null, 'the card shows its keys');
  }

  made(name: string): boolean {
    return existsSync(join(this.server.project, name));
  }

  read(name: string): string {
    return readFileSync(join(this.server.project, name), 'utf8');
  }

  /** How calls ended and what ran, in their order. */
  async ran(run: string): Promise<{ status: string; parameters: { [name: string]: unknown } }[]> {
    return (await this.server.api<{ tools: { status: string; parameters: { [name: string]: unknown } }[] }>(`/api/runs/${run}/trace`)).tools;
  }
}
