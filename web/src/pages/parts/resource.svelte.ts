// Something that a page reads from the server or changes there: what it is, whether it is on its way, and why it is not
// there.

import { Refusal } from '../../wire/http';

/** A server that does not answer is asked again after so long. */
const RETRY_MS = 3000;

export class Resource<T> {
  value = $state.raw<T | null>(null);
  refusal = $state.raw<Refusal | null>(null);
  isLoading = $state(false);
  private asked = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isWatched = false;

  constructor(private readonly ask: () => Promise<T>) {}

  /** Reads it again; the old value stays until the new one is there. */
  async load(): Promise<void> {
    const number = (this.asked += 1);
    clearTimeout(this.timer);
    this.isLoading = true;
    try {
      const value = await this.ask();
      if (number !== this.asked) return;
      this.value = value;
      this.refusal = null;
    } catch (error) {
      if (number !== this.asked) return;
      this.refusal = refusalOf(error);
      if (this.refusal.isOffline && this.isWatched) this.timer = setTimeout(() => void this.load(), RETRY_MS);
    } finally {
      if (number === this.asked) this.isLoading = false;
    }
  }

  /** Reads it now, and again when the server is back; to be given to `$effect`. */
  watch(): () => void {
    this.isWatched = true;
    const again = () => void this.load();
    again();
    addEventListener('online', again);
    return () => {
      this.asked += 1;
      this.isWatched = false;
      clearTimeout(this.timer);
      removeEventListener('online', again);
    };
  }
}

/** Changes on the server: why the last one was not made, if it was not. */
export class Changes {
  problem = $state<string | null>(null);

  /** `after`: reads what there is now, whether it was changed or not. */
  constructor(private readonly after: () => Promise<void>) {}

  async make(change: () => Promise<unknown>): Promise<void> {
    try {
      await change();
      this.problem = null;
    } catch (error) {
      this.problem = refusalOf(error).message;
    }
    await this.after();
  }
}

/** What went wrong, whatever was thrown. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal(0, 'unknown', error instanceof Error ? error.message : String(error));
}
