// The highlighter, loaded once somebody shows code.

import type { Paint } from './render';

class Painter {
  /** Colours code; nothing until it is loaded. */
  paint = $state.raw<Paint>(() => null);
  private isAsked = false;

  /** Loads it, if nobody did. */
  want(): void {
    if (this.isAsked) return;
    this.isAsked = true;
    void import('./highlight').then(
      (loaded) => (this.paint = loaded.paint),
      // Code without colours is code still.
      () => (this.isAsked = false),
    );
  }
}

export const painter = new Painter();
