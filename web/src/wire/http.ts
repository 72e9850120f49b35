// Requests to the server: JSON in and out, and problem documents as errors that say what to do. Who signed in has a cookie,
// which the browser sends by itself.
//
// Knows no screen. Nothing leaves the origin: paths are relative.

import type { components } from '../protocol/api';

export type Schemas = components['schemas'];

/** What a server refused, in its own words. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly field: string | null = null,
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
    this.name = 'Refusal';
  }

  /** Whether nobody answered: the server is down or the network is away. */
  get isOffline(): boolean {
    return this.status === 0;
  }
}

/** Takes the code of a sign-in link (`#sign-in=…`) out of the address. */
export function takeSignInCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get('sign-in');
  if (code) history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}

type Listener = (status: number) => void;
const listeners = new Set<Listener>();

/** Tells of every answer by its status, 0 when nobody answered; gives what stops it. */
export function onAnswer(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export interface Ask {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  body?: unknown;
  accept?: string;
  signal?: AbortSignal;
  headers?: { [name: string]: string };
}

/** Asks, and gives the answer as it is; throws a Refusal. */
export async function ask(path: string, wish: Ask = {}): Promise<Response> {
  const headers: { [name: string]: string } = { accept: wish.accept ?? 'application/json', ...wish.headers };
  if (wish.body !== undefined) headers['content-type'] = 'application/json';
  const init: RequestInit = { method: wish.method ?? 'GET', headers, cache: 'no-store' };
  if (wish.body !== undefined) init.body = JSON.stringify(wish.body);
  if (wish.signal) init.signal = wish.signal;
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if (wish.signal?.aborted) throw error;
    for (const listener of listeners) listener(0);
    throw new Refusal(0, 'offline', 'The server is not responding. Is it still running?');
  }
  for (const listener of listeners) listener(response.status);
  if (!response.ok) throw await refusal(response);
  return response;
}

/** Asks for JSON. */
export async function askJson<T>(path: string, wish: Ask = {}): Promise<T> {
  const response = await ask(path, wish);
  if (response.status === 204) return undefined as T;
  return (await response.json()) as T;
}

async function refusal(response: Response): Promise<Refusal> {
  const after = Number(response.headers.get('retry-after'));
  const retryAfterMs = Number.isFinite(after) && after > 0 ? after * 1000 : null;
  try {
    const problem = (await response.json()) as Schemas['Problem'];
    return new Refusal(response.status, problem.code, problem.detail, problem.field ?? null, retryAfterMs);
  } catch {
    return new Refusal(response.status, 'unknown', `The server answered with status ${response.status}.`, null, retryAfterMs);
  }
}

/** A path with its parts escaped: `path\`/api/runs/${id}\``. */
export function path(texts: TemplateStringsArray, ...values: (string | number)[]): string {
  return texts.reduce((whole, text, at) => whole + encodeURIComponent(String(values[at - 1])) + text);
}

/** A query of those fields that have a value. */
export function query(fields: { [name: string]: string | number | boolean | null | undefined }): string {
  const filled = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const text = new URLSearchParams(filled.map(([name, value]) => [name, String(value)])).toString();
  return text ? `?${text}` : '';
}
