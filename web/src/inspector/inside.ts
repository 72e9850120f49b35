// Calls that a running call makes itself, as its records tell of them: a flat list in which each has its place.

import type { InnerCall as RecordedInnerCall } from '../protocol/events';
import type { CallState, EventOf, InnerCall } from './line';

export function startInner(calls: InnerCall[], event: EventOf<'inner_call_started'>, at: number): InnerCall[] {
  const { path, name, arguments: given } = event;
  return [...calls, { path, name, arguments: given, state: 'running', started_ms: at, ended_ms: null, said: '', by: null }];
}

export function endInner(calls: InnerCall[], event: EventOf<'inner_call_ended'>, at: number): InnerCall[] {
  const { path, status, said, decision } = event;
  // What it made and did not wait for was stopped with it.
  const rest = calls.map((call) => (isInside(call, path) ? (cutOff([call], 'cancelled', at)[0] ?? call) : call));
  return rest.map((call) =>
    same(call.path, path) ? { ...call, state: status, ended_ms: at, said, by: decision ?? null } : call,
  );
}

/** Ends what is still open. */
export function cutOff(calls: InnerCall[], state: CallState, at: number): InnerCall[] {
  return calls.map((call) => (call.state === 'running' ? { ...call, state, ended_ms: at } : call));
}

/** Before they had records of their own, the outcome of the call around them had them. */
export function innerOf(recorded: readonly RecordedInnerCall[], outer: number[] = []): InnerCall[] {
  return recorded.flatMap((call, place): InnerCall[] => {
    const path = [...outer, place + 1];
    const { name, arguments: given, status, said, started_ms, duration_ms, decision } = call;
    const ended_ms = status ? started_ms + duration_ms : null;
    const own: InnerCall = { path, name, arguments: given, state: status ?? 'running', started_ms, ended_ms, said, by: decision ?? null };
    return [own, ...innerOf(call.inside ?? [], path)];
  });
}

/** In the order in which they stand under their call. */
export function inOrder(calls: readonly InnerCall[]): InnerCall[] {
  return [...calls].sort((one, other) => {
    const at = one.path.findIndex((number, place) => number !== other.path[place]);
    return at < 0 ? one.path.length - other.path.length : (one.path[at] ?? 0) - (other.path[at] ?? 0);
  });
}

/** `call_1.2.1`: what an address names it by. */
export const innerId = (callId: string, path: readonly number[]): string => [callId, ...path].join('.');

const same = (one: readonly number[], other: readonly number[]) => one.join() === other.join();
const isInside = (call: InnerCall, path: readonly number[]) =>
  call.path.length > path.length && same(call.path.slice(0, path.length), path);
