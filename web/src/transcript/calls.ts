// What the transcript says of a call in a few words: what it was asked for, how it went.

import { visible } from '../question/visible';
import type { CallEntry } from '../view/session';
import type { ToolFailure, ToolOutput } from '../view/types';

/** The arguments of a call, if they are an object. */
export function argumentsOf({ call }: { call: { arguments: string } }): { [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(call.arguments || '{}');
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as { [name: string]: unknown }) : {};
  } catch {
    return {};
  }
}

/** Arguments that say most, in this order. */
const TELLING = ['path', 'command', 'argv', 'query', 'pattern', 'url', 'expression', 'name', 'id'];

/** A call in one line: the argument that says most, else all of them. */
export function summaryOf(entry: { call: { arguments: string } }): string {
  const args = argumentsOf(entry);
  const name = TELLING.find((telling) => args[telling] !== undefined);
  if (name === undefined) {
    const all = Object.entries(args).map(([key, value]) => `${key}: ${inWords(value)}`);
    return clip(all.join(', ') || (entry.call.arguments === '{}' ? '' : entry.call.arguments));
  }
  return clip(inWords(args[name]));
}

/** What a search looks for. */
export function queryOf(entry: CallEntry): string {
  const args = argumentsOf(entry);
  const words = args.query ?? args.pattern ?? args.url;
  return words === undefined ? summaryOf(entry) : clip(inWords(words));
}

function inWords(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(inWords).join(' ');
  return JSON.stringify(value) ?? '';
}

function clip(text: string): string {
  const line = visible(text.replace(/\s+/g, ' ').trim());
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}

/** Why a call failed, if it did. */
export function failureOf({ state }: CallEntry): ToolFailure | null {
  return state.kind === 'ended' && 'Err' in state.outcome.body ? state.outcome.body.Err : null;
}

/** What a call gave, if it gave something. */
export function outputOf({ state }: CallEntry): ToolOutput | null {
  return state.kind === 'ended' && 'Ok' in state.outcome.body ? state.outcome.body.Ok : null;
}

/** Lines that a search of files found. */
export function matchesOf(entry: CallEntry): { place: string; text: string }[] | null {
  const json = outputOf(entry)?.json;
  if (json === null || typeof json !== 'object' || !('matches' in json) || !Array.isArray(json.matches)) return null;
  return (json.matches as { [field: string]: unknown }[])
    .filter((match) => match !== null && typeof match === 'object' && match.is_match !== false)
    .map((match) => ({
      place: [match.path, match.line].filter((part) => part !== undefined).join(':'),
      text: String(match.text ?? ''),
    }));
}

/** The kinds of failure in words, for people. */
export function kindInWords(kind: string): string {
  const words: { [kind: string]: string } = {
    unknown_tool: 'unknown tool',
    invalid_args: 'invalid arguments',
    parse_error: 'unreadable arguments',
    not_found: 'not found',
    io_error: 'I/O error',
    permission_denied: 'denied',
    timeout: 'timed out',
    cancelled: 'cancelled',
    limit_exceeded: 'limit reached',
    unavailable: 'not available',
    interrupted: 'interrupted',
    internal: 'internal error',
  };
  return words[kind] ?? kind.replaceAll('_', ' ');
}
