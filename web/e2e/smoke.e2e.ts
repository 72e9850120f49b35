import { afterAll, beforeAll, it } from 'vitest';
import { Server, Windows } from './harness';

let server: Server;
let windows: Windows;
beforeAll(async () => {
  server = await Server.start();
  windows = await Windows.open();
});
afterAll(async () => {
  await windows?.close();
  await server?.end();
});

it('shows the app', async () => {
  const page = await windows.page(server, '/');
  await page.getByText('A new session').waitFor();
  windows.expectQuiet();
});
