// The calls that were tried in this tab, newest first. Knows no server.

import type { JsonObject } from '../schema_form/schema';

export interface TriedCall {
  tool: string;
  args: JsonObject;
  at_ms: number;
  status: string;
  duration_ms: number;
}

const KEY = 'windlass.tried';
const CALLS_MAX = 30;
/** Longer arguments are not worth a tab's memory. */
const CHARS_MAX = 20_000;

export function triedCalls(): TriedCall[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? (kept as TriedCall[]) : [];
  } catch {
    return [];
  }
}

/** Remembers a call; the same arguments of a tool are there once. */
export function rememberCall(call: TriedCall): TriedCall[] {
  const text = JSON.stringify(call.args);
  const others = triedCalls().filter((other) => other.tool !== call.tool || JSON.stringify(other.args) !== text);
  const calls = text.length > CHARS_MAX ? others : [call, ...others].slice(0, CALLS_MAX);
  try {
    sessionStorage.setItem(KEY, JSON.stringify(calls));
  } catch {
    // A full tab remembers nothing more; the call itself went well.
  }
  return calls;
}
