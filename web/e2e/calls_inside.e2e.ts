import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { auditPage, scripted, Server, until, Windows } from './harness';

// A script that writes, lets another script compute, and runs a command that waits for a file.
const TIDY_UP = `/// Tidies up
fn tidy_up() {
  call_tool("write_file", #{path: "a.txt", content: "a"});
  call_tool("look_around");
  call_tool("execute_command", #{command: "echo up >> up; while test ! -e go; do sleep 0.1; done"});
  "tidy"
}
`;
const LOOK_AROUND = `/// Looks around
fn look_around() { call_tool("calculate", #{expression: "19 + 23"}) }
`;

let windows: Windows;
let server: Server;
beforeAll(async () => {
  windows = await Windows.open();
});
afterAll(async () => {
  await windows?.close();
});
afterEach(async () => {
  writeFileSync(join(server.project, 'go'), '');
  windows.expectQuiet();
  await server.end();
});

const row = (page: Page, id: string) => page.locator(`[data-key="call:${id}"]`);

/** A run whose command waits. */
async function start(): Promise<string> {
  const files = { '.windlass/tools/tidy_up.rhai': TIDY_UP, '.windlass/tools/look_around.rhai': LOOK_AROUND };
  server = await Server.start({ model: scripted('calls_inside.script'), files, args: ['--approve', 'all'] });
  const { run } = await server.startRun('Tidy up.');
  await until(async () => existsSync(join(server.project, 'up')), 'the command runs');
  return run;
}

describe('calls that a call makes itself', () => {
  it('U-29: stand under it as they happen, with tool, target, state and time', async () => {
    const run = await start();
    const page = await windows.page(server, `/runs/${run}`, { width: 1440, height: 900 });
    await page.getByRole('button', { name: /^Call inside write_file a\.txt Done at .* , takes \d+/ }).waitFor();
    await page.getByRole('button', { name: /^Call inside look_around Done/ }).waitFor();
    await page.getByRole('button', { name: /^Call inside calculate 19 \+ 23 Done/ }).waitFor();
    await page.getByRole('button', { name: /^Call inside execute_command echo up .* Running/ }).waitFor();
    const left = async (id: string) => (await row(page, id).locator('.title').boundingBox())?.x ?? 0;
    expect(await left('call_1.1')).toBeGreaterThan((await left('call_1')) + 8);
    expect(await left('call_1.2.1')).toBeGreaterThan((await left('call_1.2')) + 8);
    await row(page, 'call_1.2.1').click();
    await page.locator('.pane').getByText('42').waitFor();
    await page.locator('.pane').getByText('call_1.2', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('call')).toBe('call_1.2.1');
    await auditPage(page);
    writeFileSync(join(server.project, 'go'), '');
    await page.getByRole('button', { name: /^Call inside execute_command echo up .* Done/ }).waitFor();
    await page.context().close();
  });

  it('U-29: are there after a power cut, and which of them may have happened', async () => {
    const run = await start();
    await server.kill();
    await server.up();
    await server.ended(run);
    const page = await windows.page(server, `/runs/${run}?call=call_1.3`, { width: 1440, height: 900 });
    await page.getByRole('button', { name: /^Call inside write_file a\.txt Done/ }).waitFor();
    await page.getByRole('button', { name: /^Call inside execute_command echo up .* Interrupted/ }).waitFor();
    await page.getByText('it may or may not have happened', { exact: false }).first().waitFor();
    await page.getByRole('button', { name: 'Show outer call' }).click();
    await page.getByRole('button', { name: /^Call tidy_up Interrupted/ }).waitFor();
    await page.locator('.pane').getByText('Calls that it had made', { exact: false }).first().waitFor();
    expect(readFileSync(join(server.project, 'up'), 'utf8')).toBe('up\n');
    await page.context().close();
  });
});
