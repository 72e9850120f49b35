import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { recallDraft } from '../state/drafts';
import { Compose } from './compose.svelte';

interface Asked { method: string; path: string; body: unknown }
let asked: Asked[] = [];
/** What the server says, by method and path; anything else is nobody answering. */
let answers: { [question: string]: [number, unknown] } = {};

beforeEach(() => {
  localStorage.clear();
  asked = [];
  answers = {};
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    const method = init.method ?? 'GET';
    asked.push({ method, path, body: init.body ? JSON.parse(String(init.body)) : undefined });
    const answer = answers[`${method} ${path}`];
    if (!answer) throw new TypeError('nobody there');
    return new Response(answer[0] === 204 ? null : JSON.stringify(answer[1]), { status: answer[0] });
  });
});
afterEach(() => vi.unstubAllGlobals());

const begun: [number, unknown] = [201, { session_id: 's1' }];
const started: [number, unknown] = [202, { run_id: 'r1', session_id: 's1', after_seq: 0, events: '' }];
const refused: [number, unknown] = [400, { code: 'invalid_request', detail: 'There is no such model.' }];

it('begins a session with the first message, and empties the composer then', async () => {
  answers = { 'POST /api/sessions': begun, 'POST /api/sessions/s1/runs': started };
  const compose = new Compose(null);
  compose.write('Hello');
  compose.settings = { reasoning_effort: 'low' };
  expect(await compose.send()).toEqual({ kind: 'begun', sessionId: 's1' });
  expect(asked.map(({ body }) => body)).toEqual([{ origin: 'web', settings: { reasoning_effort: 'low' } }, { message: 'Hello' }]);
  expect([compose.draft.text, recallDraft(null).text, recallDraft('s1').text]).toEqual(['', '', '']);
});

it('keeps the text when nobody answers, says why, and sends it again', async () => {
  const compose = new Compose('s1');
  compose.write('Hello');
  expect(await compose.send()).toBeNull();
  expect([compose.draft.text, recallDraft('s1').text, compose.isSending]).toEqual(['Hello', 'Hello', false]);
  expect(compose.problem).toContain('is not responding');
  answers = { 'POST /api/sessions/s1/runs': started };
  expect(await compose.send()).toEqual({ kind: 'run' });
  expect([compose.draft.text, compose.problem]).toEqual(['', null]);
});

it('takes a session back whose first run is refused', async () => {
  answers = { 'POST /api/sessions': begun, 'POST /api/sessions/s1/runs': refused, 'DELETE /api/sessions/s1': [204, null] };
  const compose = new Compose(null);
  compose.write('Hello');
  expect(await compose.send()).toBeNull();
  expect(asked.at(-1)?.method).toBe('DELETE');
  expect([compose.problem, compose.draft.text]).toEqual(['There is no such model.', 'Hello']);
});

it('edits a message as a fork of its run at the very beginning', async () => {
  answers = { 'POST /api/runs/r1/fork': [202, { run_id: 'r2', session_id: 's2', after_seq: 0, events: '' }] };
  const compose = new Compose('s1');
  compose.edit({ run_id: 'r1', user: 'Helo' });
  compose.write('Hello');
  expect(new Compose('s1').draft).toEqual({ text: 'Hello', fork: 'r1' });
  expect(await compose.send()).toEqual({ kind: 'forked', sessionId: 's2' });
  expect(asked[0]?.body).toEqual({ step: 0, message: 'Hello' });
  expect(compose.isEditing).toBe(false);
});

it('sends nothing that is empty, and nothing twice', async () => {
  answers = { 'POST /api/sessions/s1/runs': started };
  const compose = new Compose('s1');
  compose.write('  \n');
  expect(await compose.send()).toBeNull();
  compose.write('Hello');
  await Promise.all([compose.send(), compose.send()]);
  expect(asked.length).toBe(1);
});

it('keeps what is typed while a message is on its way', async () => {
  answers = { 'POST /api/sessions/s1/runs': started };
  const compose = new Compose('s1');
  compose.write('Hello');
  const sending = compose.send();
  compose.write('Hello, and more');
  await sending;
  expect(compose.draft.text).toBe('Hello, and more');
});
