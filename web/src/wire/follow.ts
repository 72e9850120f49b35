// Follows the records of a session: what is on record, then what comes, over dropped connections and restarts of
// the server. Knows nothing of what the records say.

import { emptySession, applyAll, rewind, type SessionView } from '../view/session';
import type { JournalRecord } from '../view/types';
import { ask, askJson, path, query, Refusal } from './http';
import { readSse } from './sse';

/** Outcomes on the screen are cut to so many characters; the inspector asks for the whole. */
export const CLIP_CHARS = 4000;

const PAGE_ROWS = 2000;
const RETRY_FIRST_MS = 250;
const RETRY_MAX_MS = 5000;

export type Link = 'loading' | 'live' | 'offline' | 'missing' | 'refused';

export interface Follower {
  /** The view changed: at most once a frame. */
  show(view: SessionView): void;
  /** How the connection is. */
  tell(link: Link, refusal: Refusal | null): void;
}

interface Page {
  records: JournalRecord[];
  last_seq: number;
  has_more: boolean;
}

/** Follows a session until `stop` is called. Hidden tabs let go of their connection and come back. */
export function followSession(sessionId: string, follower: Follower): { stop(): void } {
  const whole = new AbortController();
  void follow(sessionId, follower, whole.signal);
  return { stop: () => whole.abort() };
}

async function follow(sessionId: string, follower: Follower, signal: AbortSignal): Promise<void> {
  let view = emptySession;
  let wait = RETRY_FIRST_MS;
  const frames = new Frames(signal, (records) => {
    view = applyAll(view, records);
    follower.show(view);
  });
  follower.tell('loading', null);
  while (!signal.aborted) {
    try {
      await untilVisible(signal);
      frames.flush();
      view = rewind(view);
      for (let more = true; more; ) {
        const page = await loadPage(sessionId, view.durableSeq, signal);
        view = applyAll(view, page.records);
        more = page.has_more;
        follower.show(view);
      }
      wait = RETRY_FIRST_MS;
      follower.tell('live', null);
      await stream(sessionId, view.durableSeq, signal, frames);
      frames.flush();
    } catch (error) {
      if (signal.aborted) return;
      frames.flush();
      if (error instanceof Refusal && !error.isOffline && error.status < 500 && error.status !== 429) {
        follower.tell(error.status === 404 ? 'missing' : 'refused', error);
        return;
      }
      follower.tell('offline', error instanceof Refusal ? error : null);
      const asked = error instanceof Refusal ? error.retryAfterMs : null;
      await pause(asked ?? wait, signal);
      wait = Math.min(wait * 2, RETRY_MAX_MS);
    }
  }
}

async function loadPage(sessionId: string, after: number, signal: AbortSignal): Promise<Page> {
  const wish = query({ after, clip: CLIP_CHARS, rows: PAGE_ROWS });
  return askJson<Page>(path`/api/sessions/${sessionId}/records` + wish, { signal });
}

/** Reads the stream to its end; throws when the connection is lost or the session is gone. */
async function stream(sessionId: string, after: number, signal: AbortSignal, frames: Frames): Promise<void> {
  const connection = new AbortController();
  const close = () => connection.abort();
  const closeIfHidden = () => {
    if (document.hidden) close();
  };
  signal.addEventListener('abort', close);
  document.addEventListener('visibilitychange', closeIfHidden);
  try {
    const response = await ask(path`/api/sessions/${sessionId}/records` + query({ after, clip: CLIP_CHARS }), {
      accept: 'text/event-stream',
      signal: connection.signal,
    });
    if (!response.body) return;
    for await (const events of readSse(response.body)) {
      if (events.some((event) => event.event === 'deleted')) {
        throw new Refusal(404, 'session_deleted', 'This session was deleted.');
      }
      frames.add(events.map((event) => JSON.parse(event.data) as JournalRecord));
    }
  } catch (error) {
    if (connection.signal.aborted && !signal.aborted) return;
    if (error instanceof Refusal || signal.aborted) throw error;
    throw new Refusal(0, 'offline', 'The connection was lost.');
  } finally {
    signal.removeEventListener('abort', close);
    document.removeEventListener('visibilitychange', closeIfHidden);
  }
}

/** Collects records and hands them on once a frame. */
class Frames {
  private records: JournalRecord[] = [];
  private scheduled = 0;

  constructor(
    signal: AbortSignal,
    private readonly hand: (records: JournalRecord[]) => void,
  ) {
    signal.addEventListener('abort', () => cancelAnimationFrame(this.scheduled));
  }

  add(records: JournalRecord[]): void {
    this.records.push(...records);
    if (!this.scheduled) this.scheduled = requestAnimationFrame(() => this.flush());
  }

  flush(): void {
    cancelAnimationFrame(this.scheduled);
    this.scheduled = 0;
    const records = this.records;
    this.records = [];
    if (records.length) this.hand(records);
  }
}

function untilVisible(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    document.addEventListener('visibilitychange', done);
    signal.addEventListener('abort', done);
  });
}

/** Waits, but not longer than until the browser says that the network is back. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener('online', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener('online', done);
    signal.addEventListener('abort', done);
  });
}
