// A model in the process reads its prompt: how far it is, and how long it takes, is shown while it reads.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { playing, script } from './asking';
import { root, until } from './harness';

const play = playing();

it('U-20: how far a prompt is read is shown, and how long it takes where that is long', async () => {
  const model = `local/${join(root, 'models/builtin/windlass-builtin.gguf')}`;
  const { server, page, session } = await play(script(), { model });
  const message = 'the quick brown fox jumps over the lazy dog '.repeat(110);
  await server.api(`/api/sessions/${session}/runs`, { message, tools_allowed: false, output_tokens_max: 8 });
  const reading = page.getByText('Reading the prompt:');
  await server.slowly(async () => {
    await until(async () => / of [0-9,]+ tokens, about [0-9]+ s left/.test(await reading.innerText({ timeout: 60_000 })), 'the time that is left', 60_000);
  });
  await until(async () => (await reading.count()) === 0, 'it is read', 60_000);
  expect(await page.getByText('Reading the prompt:').count()).toBe(0);
});
