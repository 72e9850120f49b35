// Light, dark, or as the system has it: remembered, and the same in all tabs.

import { keep, recall } from './keep';

export type Theme = 'system' | 'light' | 'dark';

const NAME = 'theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

class ThemeChoice {
  current = $state<Theme>('system');

  constructor() {
    this.read();
    addEventListener('storage', () => this.read());
  }

  choose(theme: Theme): void {
    keep(NAME, theme === 'system' ? null : theme);
    this.show(theme);
  }

  /** The next one, for a button that goes round. */
  turn(): void {
    const at = THEMES.indexOf(this.current);
    this.choose(THEMES[(at + 1) % THEMES.length] ?? 'system');
  }

  private read(): void {
    const kept = recall(NAME);
    this.show(THEMES.find((theme) => theme === kept) ?? 'system');
  }

  private show(theme: Theme): void {
    this.current = theme;
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }
}

export const theme = new ThemeChoice();
