// Whether the server answers, and whether this browser is signed in. Learns it from the answers that everybody gets, and asks
// by itself only while nobody answers.

import { about as askAbout, type About } from '../wire/api';
import { ask, onAnswer, Refusal, takeSignInCode } from '../wire/http';

export type ServerState = 'unknown' | 'up' | 'down';

const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 4000;

class Server {
  state = $state<ServerState>('unknown');
  /** What the server says of itself. */
  about = $state.raw<About | null>(null);
  /** Grows whenever the server comes back, or lets us in: what was shown is to be read again. */
  epoch = $state(0);
  /** Whether this browser is not signed in. */
  isShut = $state(false);
  /** What was refused when somebody tried to sign in. */
  refused = $state<'token' | 'link' | null>(null);
  /** When the link that led here has been tried. */
  readonly ready: Promise<void>;

  private timer: ReturnType<typeof setTimeout> | null = null;
  private wait = RETRY_FIRST_MS;

  constructor() {
    onAnswer((status) => this.note(status));
    addEventListener('online', () => {
      if (this.state === 'down') void this.look();
    });
    this.ready = this.begin();
  }

  private async begin(): Promise<void> {
    const code = takeSignInCode();
    if (code) await this.signIn({ code });
    void this.look();
  }

  /** Asks the server who it is. */
  async look(): Promise<void> {
    try {
      this.about = await askAbout();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }

  /** Turns a token or the code of a link into a cookie. */
  async signIn(proof: { token: string } | { code: string }): Promise<void> {
    this.refused = null;
    try {
      await ask('/api/sign-in', { method: 'POST', body: proof });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.status === 401) this.refused = 'code' in proof ? 'link' : 'token';
    }
  }

  private note(status: number): void {
    if (status === 0) return this.noteSilence();
    this.stopWaiting();
    const wasAway = this.state === 'down' || this.isShut;
    this.state = 'up';
    this.isShut = status === 401;
    if (wasAway && !this.isShut) {
      this.epoch += 1;
      // Whoever waits for the network need not wait for their own clock.
      dispatchEvent(new Event('online'));
      void this.look();
    }
  }

  private noteSilence(): void {
    this.state = 'down';
    if (this.timer !== null) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.wait = Math.min(this.wait * 2, RETRY_MAX_MS);
      void this.look();
    }, this.wait);
  }

  private stopWaiting(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.wait = RETRY_FIRST_MS;
  }
}

export const server = new Server();
