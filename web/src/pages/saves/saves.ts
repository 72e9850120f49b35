// Snapshots as people read them: what is in one, what a file of them says, what is written into one. Knows no screen.

import type { RunTrace, Save } from '../../wire/api';
import type { Schemas } from '../../wire/http';
import { isObject } from '../schema_form/schema';

/** What a snapshot holds, as far as it is known; the rest is shown as it is. */
export interface Kept {
  prompt: string | null;
  note: string | null;
  settings: { [name: string]: unknown } | null;
  trace: RunTrace | null;
  runId: string | null;
  sessionId: string | null;
  /** Fields that have no place of their own. */
  more: { [name: string]: unknown };
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

export function keptIn(save: Save): Kept {
  const { prompt, note, settings, runTrace, run_id, session_id, ...more } = save.data as { [name: string]: unknown };
  const trace = isObject(runTrace) && Array.isArray(runTrace.tools) ? (runTrace as unknown as RunTrace) : null;
  return {
    prompt: text(prompt),
    note: text(note),
    settings: isObject(settings) ? settings : null,
    trace,
    runId: text(run_id) ?? text(trace?.runId),
    sessionId: text(session_id),
    more,
  };
}

/** A file of snapshots, as `readFile` reads it. */
export function fileOf(saves: readonly Save[]): string {
  return JSON.stringify({ windlass: 'snapshots', version: 1, saves }, null, 2);
}

/** A name for a file that says what is in it. */
export function fileName(save: Save): string {
  const words = save.title.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '').slice(0, 40);
  return `snapshot-${words || 'untitled'}.json`;
}

const KINDS = ['system', 'user', 'prompt', 'state'];
const TITLE_CHARS_MAX = 80;

/** The snapshots of a file: one, a list, or what was exported; says what is wrong with it otherwise. */
export function readFile(content: string): { saves: Schemas['NewSave'][] } | { problem: string } {
  let read: unknown;
  try {
    read = JSON.parse(content);
  } catch {
    return { problem: 'This file is not valid JSON.' };
  }
  const list = Array.isArray(read) ? read : isObject(read) && Array.isArray(read.saves) ? read.saves : [read];
  const saves: Schemas['NewSave'][] = [];
  for (const [at, row] of list.entries()) {
    const made = newSave(row);
    if (!made) return { problem: `Snapshot ${at + 1} in this file has no title or no data: it is not a Windlass snapshot.` };
    saves.push(made);
  }
  return saves.length ? { saves } : { problem: 'This file has no snapshots.' };
}

function newSave(row: unknown): Schemas['NewSave'] | null {
  if (!isObject(row) || !text(row.title)?.trim() || !isObject(row.data)) return null;
  const title = [...String(row.title)].slice(0, TITLE_CHARS_MAX).join('');
  return {
    title,
    ...(KINDS.includes(String(row.kind)) && { kind: row.kind as NonNullable<Schemas['NewSave']['kind']> }),
    provider: text(row.provider),
    model: text(row.model),
    data: row.data as NonNullable<Schemas['NewSave']['data']>,
  };
}
