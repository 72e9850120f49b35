// A run on the screen: loaded whole when it is over, followed while it goes on. Knows the wire and the fold, and
// nothing of how they are shown.

import * as api from '../wire/api';
import { followSession } from '../wire/follow';
import { askJson, path, query, Refusal } from '../wire/http';
import { applyRecords, durable, foldTimeline, type Timeline, type WireRecord } from './timeline';

/** How the run reaches the screen. */
export type RunLink = 'loading' | 'live' | 'done' | 'offline' | 'missing' | 'refused';

const CLIP_CHARS = 4000;
const PAGE_ROWS = 5000;
/** Pieces are read again for the times of thinking; not if there are more than this. */
const PIECES_MAX = 60_000;
const RETRY_MS = 1500;

interface Page {
  records: WireRecord[];
  last_seq: number;
  has_more: boolean;
}

/** One run that is looked at; `stop` when its screen goes away. */
export class OpenRun {
  run = $state.raw<api.Run | null>(null);
  line = $state.raw<Timeline | null>(null);
  link = $state<RunLink>('loading');
  refusal = $state.raw<Refusal | null>(null);
  /** How far the server's clock is ahead of this one. */
  skew_ms = $state(0);

  private readonly gone = new AbortController();
  private follower: { stop(): void } | null = null;
  private kept: WireRecord[] = [];

  constructor(readonly id: string) {
    void this.open();
  }

  readonly stop = (): void => {
    this.gone.abort();
    this.follower?.stop();
  };

  /** Loads it anew, after it was resumed for one. */
  readonly reload = (): void => {
    this.follower?.stop();
    this.kept = [];
    void this.open();
  };

  /** The server's time now. */
  now(): number {
    return Date.now() + this.skew_ms;
  }

  private async open(): Promise<void> {
    while (!this.gone.signal.aborted) {
      try {
        const run = await askJson<api.Run>(path`/api/runs/${this.id}`, { signal: this.gone.signal });
        this.run = run;
        if (run.outcome) await this.loadWhole(run);
        else this.follow(run);
        return;
      } catch (error) {
        if (this.gone.signal.aborted) return;
        this.fail(error);
        if (this.link !== 'offline') return;
        await new Promise((done) => setTimeout(done, RETRY_MS));
      }
    }
  }

  private fail(error: unknown): void {
    if (!(error instanceof Refusal)) throw error;
    if (error.status === 404 && this.run) {
      this.refuseAsOld();
      return;
    }
    this.refusal = error;
    this.link = error.isOffline || error.status >= 500 ? 'offline' : error.status === 404 ? 'missing' : 'refused';
  }

  /** The run is there and its records are not: such servers are older than this app. */
  private refuseAsOld(): void {
    this.refusal = new Refusal(404, 'old_server', 'This server is older than the app and does not give out records.');
    this.link = 'refused';
  }

  private async loadWhole(run: api.Run): Promise<void> {
    const records = await this.load(run, 0);
    if (!records) return;
    this.line = foldTimeline(this.id, records);
    this.refusal = null;
    this.link = 'done';
    await this.refine(run);
  }

  /** Reads the pieces too, which know when thinking began and ended. */
  private async refine(run: api.Run): Promise<void> {
    if (run.last_seq - run.first_seq > PIECES_MAX) return;
    try {
      const records = await this.load(run, 1);
      if (records) this.line = foldTimeline(this.id, records);
    } catch {
      // What is on the screen is complete without them.
    }
  }

  private async load(run: api.Run, deltas: 0 | 1): Promise<WireRecord[] | null> {
    const all: WireRecord[] = [];
    let after = Math.max(0, run.first_seq - 1);
    for (let more = true; more && after < run.last_seq; ) {
      const wish = query({ after, deltas, clip: CLIP_CHARS, rows: PAGE_ROWS });
      const page = await askJson<Page>(path`/api/sessions/${run.session_id}/records` + wish, {
        signal: this.gone.signal,
      });
      if (this.gone.signal.aborted) return null;
      all.push(...page.records);
      after = page.last_seq;
      more = page.has_more;
    }
    return all;
  }

  private follow(run: api.Run): void {
    this.follower = followSession(
      run.session_id,
      {
        show: () => undefined,
        tell: (link, refusal) => {
          if (this.line?.ended_ms != null) return;
          if (link === 'missing' && !this.line && refusal?.code !== 'session_deleted') {
            this.refuseAsOld();
            return;
          }
          this.link = link;
          this.refusal = refusal;
        },
        records: (batch, after) => this.take(batch, after),
      },
      Math.max(0, run.first_seq - 1),
    );
  }

  private take(batch: readonly WireRecord[], after: number): void {
    if (this.line && this.line.seq > after) {
      this.kept = this.kept.filter((record) => record.seq <= after);
      this.line = foldTimeline(this.id, this.kept);
    }
    const own = batch.filter((record) => record.run_id === this.id);
    this.kept.push(...durable(own));
    this.line = applyRecords(this.line, this.id, own);
    const newest = own.at(-1);
    // What just came happened a moment ago at most: the server's clock cannot be behind that.
    if (newest && this.link === 'live') this.skew_ms = Math.max(this.skew_ms, newest.ts_ms - Date.now());
    if (this.line?.ended_ms != null) void this.end();
  }

  private async end(): Promise<void> {
    this.follower?.stop();
    this.follower = null;
    this.link = 'done';
    try {
      const run = await api.run(this.id);
      this.run = run;
      await this.refine(run);
    } catch {
      // The record of its end says all that is shown.
    }
  }
}

/** A thing that is asked for once and shown when it comes. */
export class Asked<T> {
  value = $state.raw<T | null>(null);
  refusal = $state.raw<Refusal | null>(null);
  isLoading = $state(true);

  constructor(question: () => Promise<T>) {
    question().then(
      (value) => {
        this.value = value;
        this.isLoading = false;
      },
      (error: unknown) => {
        this.refusal = error instanceof Refusal ? error : new Refusal(0, 'unknown', String(error));
        this.isLoading = false;
      },
    );
  }
}
