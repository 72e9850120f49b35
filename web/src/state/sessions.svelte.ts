// The sessions of the sidebar: newest first, page by page, searched by the server; and which of them run or wait.
//
// Other tabs, terminals and programs make and delete sessions too: the list is read again while somebody looks.

import { SvelteMap } from 'svelte/reactivity';
import * as api from '../wire/api';
import type { Session, Settings } from '../wire/api';
import { Refusal } from '../wire/http';
import { forgetChoice } from './choices';
import { forgetDraft } from './drafts';
import { activityOf, mergePages, type Activity } from './groups';

const PAGE_ROWS = 50;
const PAGE_ROWS_MAX = 500;
const LOOK_EVERY_MS = 10_000;
const TYPING_PAUSE_MS = 200;

class Sessions {
  rows = $state.raw<Session[]>([]);
  phase = $state<'loading' | 'ready' | 'failed'>('loading');
  isLoadingMore = $state(false);
  /** What is searched for, as the rows show it. */
  text = $state('');
  /** Whether a search is under way. */
  isSearching = $state(false);
  hasMore = $derived.by(() => this.next !== null);
  activity = $state.raw<ReadonlyMap<string, Activity>>(new Map());
  /** Every session that was seen, by id: also those that are not in the list. */
  readonly known = new SvelteMap<string, Session>();

  private next = $state<string | null>(null);
  private reading: AbortController | null = null;
  private typing: ReturnType<typeof setTimeout> | null = null;
  private readonly channel = new BroadcastChannel('windlass.sessions');

  /** Reads the list and keeps it fresh; gives what stops that. */
  watch(): () => void {
    const look = () => {
      if (!document.hidden) void this.refresh();
      // A hidden tab still tells by its title when a run asks or ends.
      else if (this.activity.size > 0) void this.readActivity();
    };
    const timer = setInterval(look, LOOK_EVERY_MS);
    document.addEventListener('visibilitychange', look);
    this.channel.onmessage = look;
    look();
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
      this.channel.onmessage = null;
    };
  }

  /** Something changed here: reads again, and tells the other tabs. */
  changed(): void {
    this.channel.postMessage('changed');
    void this.refresh();
  }

  /** Reads again the pages that are shown. */
  async refresh(): Promise<void> {
    const pages = Math.max(1, Math.ceil(this.rows.length / PAGE_ROWS));
    const rows = Math.min(pages * PAGE_ROWS, PAGE_ROWS_MAX);
    await Promise.all([this.read(rows), this.readActivity()]);
  }

  /** Searches, a moment after the last key. */
  search(text: string): void {
    if (this.typing !== null) clearTimeout(this.typing);
    this.isSearching = true;
    this.typing = setTimeout(() => {
      this.typing = null;
      this.text = text.trim();
      this.rows = this.rows.slice(0, PAGE_ROWS);
      void this.read(PAGE_ROWS);
    }, TYPING_PAUSE_MS);
  }

  /** The next page, when the reader comes near the end. */
  async more(): Promise<void> {
    if (this.isLoadingMore || this.next === null) return;
    const { next, text } = this;
    this.isLoadingMore = true;
    try {
      const page = await api.sessions({ text, before: next, rows: PAGE_ROWS });
      if (this.text !== text || this.next !== next) return;
      this.take([...this.rows, ...page.sessions.filter((row) => !this.has(row.session_id))], page.next);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    } finally {
      this.isLoadingMore = false;
    }
  }

  /** A session that need not be in the list. */
  async fetch(id: string): Promise<void> {
    try {
      this.known.set(id, await api.session(id));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }

  async rename(id: string, title: string): Promise<void> {
    this.replace(await api.renameSession(id, title));
  }

  /** Changes how much it may do without asking. */
  async setMode(id: string, mode: string): Promise<void> {
    this.replace(await api.setMode(id, mode));
  }

  /** Sets what holds for its runs from now on. */
  async setSettings(id: string, settings: Settings): Promise<void> {
    this.replace(await api.setSettings(id, settings));
  }

  async remove(id: string): Promise<void> {
    try {
      await api.deleteSession(id);
    } catch (error) {
      // Somebody was faster.
      if (!(error instanceof Refusal) || error.status !== 404) throw error;
    }
    this.forget(id);
    this.changed();
  }

  /** A session that is gone leaves nothing behind in this browser. */
  forget(id: string): void {
    this.rows = this.rows.filter((row) => row.session_id !== id);
    this.known.delete(id);
    forgetDraft(id);
    forgetChoice(id);
  }

  private replace(row: Session): void {
    this.known.set(row.session_id, row);
    this.rows = this.rows.map((known) => (known.session_id === row.session_id ? row : known));
    this.changed();
  }

  private has(id: string): boolean {
    return this.rows.some((row) => row.session_id === id);
  }

  private async read(rows: number): Promise<void> {
    this.reading?.abort();
    const reading = new AbortController();
    this.reading = reading;
    const { text } = this;
    try {
      const page = await api.sessions({ text, rows }, reading.signal);
      if (reading.signal.aborted) return;
      const next = page.next ?? null;
      const merged = mergePages(page.sessions, rows === PAGE_ROWS_MAX ? this.rows : [], next !== null);
      this.take(merged, merged.length > page.sessions.length ? this.next : next);
      this.phase = 'ready';
      if (this.typing === null) this.isSearching = false;
    } catch (error) {
      if (reading.signal.aborted) return;
      if (!(error instanceof Refusal)) throw error;
      this.isSearching = false;
      if (this.phase !== 'ready') this.phase = 'failed';
    }
  }

  private async readActivity(): Promise<void> {
    try {
      const { runs } = await api.runs({ unfinished: 1, rows: PAGE_ROWS_MAX });
      this.activity = activityOf(runs);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }

  private take(rows: Session[], next: string | null | undefined): void {
    // Rows that did not change stay the same objects, so that nothing is drawn again.
    this.rows = rows.map((row) => {
      const known = this.known.get(row.session_id);
      if (known && isSame(known, row)) return known;
      this.known.set(row.session_id, row);
      return row;
    });
    this.next = next ?? null;
  }
}

function isSame(a: Session, b: Session): boolean {
  const said = ({ updated_ms, title, runs, model, approve, settings }: Session) => JSON.stringify([updated_ms, title, runs, model, approve, settings]);
  return said(a) === said(b);
}

export const sessions = new Sessions();
