// Whether the server answers, and whether it wants a token. Learns it from the answers that everybody gets, and asks
// by itself only while nobody answers.

import { about as askAbout, type About } from '../wire/api';
import { onAnswer, Refusal, setToken, token } from '../wire/http';

export type ServerState = 'unknown' | 'up' | 'down';

const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 4000;

class Server {
  state = $state<ServerState>('unknown');
  /** What the server says of itself. */
  about = $state.raw<About | null>(null);
  /** Grows whenever the server comes back, or lets us in: what was shown is to be read again. */
  epoch = $state(0);
  /** Whether a token is wanted that this tab does not have. */
  isShut = $state(false);
  /** Whether the token of this tab was refused. */
  isTokenWrong = $state(false);

  private timer: ReturnType<typeof setTimeout> | null = null;
  private wait = RETRY_FIRST_MS;

  constructor() {
    onAnswer((status) => this.note(status));
    addEventListener('online', () => {
      if (this.state === 'down') void this.look();
    });
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

  /** Tries a token; says whether it opens. */
  async enter(given: string): Promise<boolean> {
    const before = token();
    setToken(given);
    this.isTokenWrong = false;
    await this.look();
    if (this.isShut) setToken(before);
    return !this.isShut;
  }

  private note(status: number): void {
    if (status === 0) return this.noteSilence();
    this.stopWaiting();
    const wasAway = this.state === 'down' || this.isShut;
    this.state = 'up';
    this.isShut = status === 401;
    this.isTokenWrong = this.isShut && token() !== null;
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
