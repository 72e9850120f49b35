// Which runs are near enough to the reader to be made: the others rest as boxes of the height that they had.
//
// Runs are made a few a frame, so that a fast scroll does not stop the page. Knows elements and nothing of runs.

/** So far outside of what is seen runs are made already. */
const NEAR_PX = 1200;
/** So long may making runs take in one frame. */
const FRAME_MS = 6;

export interface Watched {
  /** Comes near or goes far. */
  set(isNear: boolean): void;
}

export class Nearness {
  private readonly watched = new Map<Element, Watched>();
  private readonly waiting = new Set<Element>();
  private readonly heights = new Map<string, number>();
  private readonly near: IntersectionObserver;
  private frame = 0;

  constructor(root: Element) {
    this.near = new IntersectionObserver((seen) => this.see(seen), { root, rootMargin: `${NEAR_PX}px 0px` });
  }

  watch(element: Element, watched: Watched): () => void {
    this.watched.set(element, watched);
    this.near.observe(element);
    return () => {
      this.near.unobserve(element);
      this.watched.delete(element);
      this.waiting.delete(element);
    };
  }

  /** The height of a run when it was last made. */
  height(runId: string): number | null {
    return this.heights.get(runId) ?? null;
  }

  keepHeight(runId: string, px: number): void {
    this.heights.set(runId, px);
  }

  stop(): void {
    this.near.disconnect();
    cancelAnimationFrame(this.frame);
  }

  private see(seen: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of seen) {
      if (isIntersecting) {
        this.waiting.add(target);
      } else {
        this.waiting.delete(target);
        this.watched.get(target)?.set(false);
      }
    }
    this.makeSome();
  }

  private makeSome(): void {
    const end = performance.now() + FRAME_MS;
    for (const element of this.waiting) {
      this.waiting.delete(element);
      this.watched.get(element)?.set(true);
      if (performance.now() > end) break;
    }
    if (this.waiting.size && !this.frame) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.makeSome();
      });
    }
  }
}
