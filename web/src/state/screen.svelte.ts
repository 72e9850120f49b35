// How much room there is, and whether somebody looks. The same bounds stand in the styles of the shell.

import { MediaQuery } from 'svelte/reactivity';

const side = new MediaQuery('(min-width: 56rem)', true);
const inspector = new MediaQuery('(min-width: 75rem)', true);

let isHidden = $state(document.hidden);
document.addEventListener('visibilitychange', () => (isHidden = document.hidden));

export const screen = {
  /** Whether nobody can see the page now. */
  get isHidden(): boolean {
    return isHidden;
  },
  /** Whether the sidebar stands beside the page; else it is a drawer. */
  get hasSide(): boolean {
    return side.current;
  },
  /** Whether the inspector stands beside the page; else it lies over it. */
  get hasInspector(): boolean {
    return inspector.current;
  },
};
