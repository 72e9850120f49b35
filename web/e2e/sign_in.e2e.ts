// Who gets in, in a real browser: by a link, by the token, and not at all.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditPage, Server, until, Windows } from './harness';

let server: Server;
let windows: Windows;

beforeAll(async () => {
  [server, windows] = await Promise.all([Server.start(), Windows.open()]);
});
afterAll(async () => {
  windows?.expectQuiet();
  await windows?.close();
  await server?.end();
});

const WELCOME = { name: 'What would you like to do?' };

it('U-72: a link signs a browser in, leaves no code in the address, and works once', async () => {
  const link = server.link();
  const context = await windows.context();
  const page = await windows.strange(server, link, context);
  await page.getByRole('heading', WELCOME).waitFor();
  expect(page.url()).toBe(`${server.url}/`);
  const [cookie, ...more] = await context.cookies();
  expect(more).toEqual([]);
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
  expect(await page.evaluate(() => document.cookie)).toBe('');

  // What is asked, and what streams, comes with the cookie alone.
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Say hello.');
  await page.keyboard.press('Enter');
  await page.getByRole('main').getByText('Hello! Ask me').waitFor();
  await page.reload();
  await page.getByRole('main').getByText('Hello! Ask me').waitFor();

  const other = await windows.context();
  const late = await windows.strange(server, link, other);
  await late.getByRole('heading', { name: 'Sign in' }).waitFor();
  await late.getByText('used before or is too old').waitFor();
  expect(late.url()).not.toContain('sign-in=');
  expect(await other.cookies()).toEqual([]);
  // Who is signed in already is not thrown out by an old link.
  await page.goto(link);
  await page.reload();
  await page.getByRole('heading', WELCOME).waitFor();
  await Promise.all([context.close(), other.close()]);
});

it('U-72: without a cookie the page says how to sign in; a wrong token is told, the right one opens', async () => {
  const context = await windows.context({ width: 360, height: 740, theme: 'dark' });
  const page = await windows.strange(server, '/tools', context);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByText('windlass token --link').waitFor();
  await auditPage(page);
  await page.getByLabel('Token').fill('a-token-of-nobody-0123456789');
  await page.keyboard.press('Enter');
  await page.getByText('Wrong token').waitFor();
  expect(await context.cookies()).toEqual([]);
  await page.getByLabel('Token').fill(`  ${server.command('token')} `);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Tools' }).first().waitFor();
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
  expect(kept).not.toContain(server.command('token').trim());
  await context.close();
});

it('U-72: a browser stays signed in when the server is killed and started again', async () => {
  const page = await windows.page(server);
  await page.getByRole('heading', WELCOME).waitFor();
  await server.kill();
  await server.up();
  await page.reload();
  await page.getByRole('heading', WELCOME).waitFor();
  await page.context().close();
});

it('U-72 U-73: the cookie is of no use to a page of another origin, also of another port of this machine', async () => {
  const other = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<title>Elsewhere</title>'));
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  const context = await windows.context();
  await (await windows.page(server, '/', {}, context)).getByRole('heading', WELCOME).waitFor();
  const foreign = await context.newPage();
  await foreign.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
  const sessions = async () => (await server.api<{ sessions: unknown[] }>('/api/sessions')).sessions.length;
  const before = await sessions();
  const tried = await foreign.evaluate(async (url) => {
    const ask = (path: string, init: RequestInit) => fetch(url + path, { mode: 'no-cors', credentials: 'include', ...init }).then((answer) => answer.type, () => 'refused');
    const body = '{}';
    const asked = await Promise.all([
      ask('/api/sessions', { method: 'POST', body }),
      ask('/api/chat/stream?prompt=hello', {}),
      ask('/api/sign-in', { method: 'POST', body }),
    ]);
    const picture = await new Promise<string>((done) => {
      const image = new Image();
      image.onload = () => done('loaded');
      image.onerror = () => done('refused');
      image.src = `${url}/api/chat/stream?prompt=picture`;
    });
    return [...asked, picture];
  }, server.url);
  expect(tried).not.toContain('loaded');
  // Somebody who types or follows such an address begins nothing either.
  const followed = await context.newPage();
  await followed.goto(`${server.url}/api/chat/stream?prompt=hello`);
  await until(async () => (await followed.innerText('body')).includes('begin_refused'), 'the refusal');
  expect(await sessions()).toBe(before);
  await context.close();
  other.close();
});
