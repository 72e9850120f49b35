// Files out of the browser: the trace of a run, and its records. Nothing leaves the origin.

import * as api from '../wire/api';
import { askJson, path, query } from '../wire/http';
import type { WireRecord } from './timeline';

/** Hands a text to the browser as a file. */
export function hand(name: string, type: string, parts: string[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export async function downloadTrace(runId: string): Promise<void> {
  const trace = await api.trace(runId);
  hand(`${runId}.trace.json`, 'application/json', [JSON.stringify(trace, null, 2)]);
}

/** Every durable record of the run, whole, one a line. */
export async function downloadRecords(runId: string): Promise<void> {
  const run = await api.run(runId);
  const lines: string[] = [];
  let after = Math.max(0, run.first_seq - 1);
  for (let more = true; more; ) {
    const page = await askJson<{ records: WireRecord[]; last_seq: number; has_more: boolean }>(
      path`/api/sessions/${run.session_id}/records` + query({ after, rows: 5000 }),
    );
    for (const record of page.records) {
      if (record.run_id === runId) lines.push(`${JSON.stringify(record)}\n`);
    }
    after = page.last_seq;
    more = page.has_more && after < run.last_seq;
  }
  hand(`${runId}.records.jsonl`, 'application/x-ndjson', lines);
}
