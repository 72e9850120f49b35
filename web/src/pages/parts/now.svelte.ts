// The time, for what is said relative to it.

const TICK_MS = 20_000;

class Now {
  ms = $state(Date.now());

  constructor() {
    setInterval(() => (this.ms = Date.now()), TICK_MS);
  }
}

export const now = new Now();
