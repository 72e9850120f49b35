// What is being written to a session, and its sending. A message leaves the composer when the server has it, never
// before. Knows no screen.

import { keepChoice, recallChoice, wishOf, type Choice } from '../state/choices';
import { emptyDraft, keepDraft, recallDraft, type Draft } from '../state/drafts';
import * as api from '../wire/api';
import { Refusal } from '../wire/http';

/** What a message led to. */
export type Sent = { kind: 'run' } | { kind: 'begun'; sessionId: string } | { kind: 'forked'; sessionId: string };

export class Compose {
  draft = $state.raw<Draft>(emptyDraft);
  choice = $state.raw<Choice>({ model: null, profile: null, tools: null });
  /** How much a session that is not begun yet may do without asking; nothing: what the server has. Not kept: the next one asks. */
  mode = $state<string | null>(null);
  /** What is set for a session that is not begun yet. */
  settings = $state.raw<api.Settings>({});
  isSending = $state(false);
  /** Why the last sending failed; the text is still there. */
  problem = $state<string | null>(null);

  isEmpty = $derived(this.draft.text.trim() === '');
  isEditing = $derived(this.draft.fork !== null);

  /** The session, once there is one. */
  private id: string | null;

  constructor(id: string | null) {
    this.id = id;
    this.draft = recallDraft(id);
    this.choice = recallChoice(id);
  }

  write(text: string): void {
    this.set({ ...this.draft, text });
  }

  choose(part: Partial<Choice>): void {
    this.choice = { ...this.choice, ...part };
    keepChoice(this.id, this.choice);
  }

  /** Edits what was said in a run: sending it makes a fork. */
  edit(run: { run_id: string; user: string }): void {
    this.problem = null;
    this.set({ text: run.user, fork: run.run_id });
  }

  /** Leaves editing, and what was edited. */
  leave(): void {
    this.problem = null;
    this.set(emptyDraft);
  }

  /** Sends; nothing if it could not be sent. */
  async send(): Promise<Sent | null> {
    const { text, fork } = this.draft;
    if (this.isEmpty || this.isSending) return null;
    this.isSending = true;
    this.problem = null;
    try {
      const sent = await (fork === null ? this.start(text) : this.fork(fork, text));
      // What was typed meanwhile stays.
      if (this.draft.text === text) this.set(emptyDraft);
      return sent;
    } catch (error) {
      this.problem = error instanceof Refusal ? error.message : String(error);
      return null;
    } finally {
      this.isSending = false;
    }
  }

  private async start(message: string): Promise<Sent> {
    const wish = { message, ...wishOf(this.choice) };
    if (this.id !== null) {
      await api.startRun(this.id, wish);
      return { kind: 'run' };
    }
    const sessionId = await this.begin(wish);
    keepDraft(null, emptyDraft);
    this.id = sessionId;
    keepChoice(sessionId, this.choice);
    return { kind: 'begun', sessionId };
  }

  /** A new session with its first run; a session whose run is refused is taken back. */
  private async begin(wish: api.RunWish): Promise<string> {
    const { model, profile } = wish;
    const { session_id } = await api.createSession({
      origin: 'web',
      ...(model && { model }),
      ...(profile && { profile }),
      ...(this.mode && { approve: this.mode }),
      ...(Object.keys(this.settings).length > 0 && { settings: this.settings }),
    });
    try {
      await api.startRun(session_id, wish);
    } catch (error) {
      await api.deleteSession(session_id).catch(() => undefined);
      throw error;
    }
    return session_id;
  }

  private async fork(runId: string, message: string): Promise<Sent> {
    const { model } = this.choice;
    const { session_id: sessionId } = await api.forkRun(runId, { step: 0, message, ...(model && { model }) });
    keepChoice(sessionId, this.choice);
    return { kind: 'forked', sessionId };
  }

  private set(draft: Draft): void {
    this.draft = draft;
    keepDraft(this.id, draft);
  }
}
