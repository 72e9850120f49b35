// What a page shows of a run as time goes by: the parts of its transcript at every change.

import type { Page } from 'playwright-core';

export interface Part {
  part: string;
  /** Has the reader's eye. */
  isCurrent: boolean;
  isOpen: boolean | null;
  isBusy: boolean;
  text: string;
}

export interface Moment {
  /** Milliseconds of the page's own clock. */
  at: number;
  parts: Part[];
}

/** Begins to write down what the page shows. */
export async function watch(page: Page): Promise<void> {
  await page.evaluate(() => {
    const moments: { at: number; parts: unknown[] }[] = [];
    let last = '';
    const look = () => {
      const parts = [...document.querySelectorAll('article [data-part]')].map((element) => ({
        part: element.getAttribute('data-part'),
        isCurrent: element.getAttribute('aria-current') === 'step',
        isOpen: { true: true, false: false }[element.querySelector('[aria-expanded]')?.getAttribute('aria-expanded') ?? ''] ?? null,
        isBusy: element.getAttribute('aria-busy') === 'true',
        text: (element.textContent ?? '').replace(/\s+/g, ' ').trim(),
      }));
      const now = JSON.stringify(parts);
      if (now === last) return;
      last = now;
      moments.push({ at: performance.now(), parts });
    };
    Object.assign(window, { moments });
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    look();
  });
}

/** What was written down so far. */
export async function moments(page: Page): Promise<Moment[]> {
  return page.evaluate(() => (window as unknown as { moments: Moment[] }).moments);
}

/** The values of something as time goes by, each once in a row. */
export function changes<T>(all: readonly Moment[], of: (moment: Moment) => T): T[] {
  const values: T[] = [];
  for (const moment of all) {
    const value = of(moment);
    if (JSON.stringify(value) !== JSON.stringify(values.at(-1))) values.push(value);
  }
  return values;
}
