// What keys mean: pure, from the event to a word. The dialog that explains them reads the same list.

/** What a key of the whole app asks for. */
export type Shortcut = 'search' | 'new' | 'help' | 'inspect' | 'side';

/** What a key in the composer asks for. */
export type ComposerKey = 'send' | 'stop' | 'leave' | 'edit-last' | null;

export interface Stroke {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  isComposing: boolean;
  /** 229: a key that an input method took. */
  keyCode: number;
}

/** The shortcut of a stroke; plain letters mean nothing while somebody types. */
export function shortcutOf(stroke: Stroke, isTyping: boolean): Shortcut | null {
  if (isComposed(stroke) || stroke.altKey) return null;
  if (stroke.ctrlKey || stroke.metaKey) {
    if (stroke.shiftKey) return null;
    if (stroke.key.toLowerCase() === 'k') return 'search';
    return stroke.key.toLowerCase() === 'b' ? 'side' : null;
  }
  if (isTyping) return null;
  switch (stroke.key) {
    case '/':
      return 'search';
    case '?':
      return 'help';
    case 'n':
      return 'new';
    case 'i':
      return 'inspect';
    default:
      return null;
  }
}

/** What the composer makes of a stroke. */
export function composerKeyOf(
  stroke: Stroke,
  now: { isEmpty: boolean; isEditing: boolean; isRunning: boolean },
): ComposerKey {
  if (isComposed(stroke)) return null;
  if (stroke.key === 'Enter') return stroke.shiftKey || stroke.altKey ? null : 'send';
  if (stroke.ctrlKey || stroke.metaKey || stroke.altKey || stroke.shiftKey) return null;
  if (stroke.key === 'Escape') return now.isEditing ? 'leave' : now.isRunning ? 'stop' : null;
  if (stroke.key === 'ArrowUp') return now.isEmpty && !now.isEditing ? 'edit-last' : null;
  return null;
}

function isComposed(stroke: Stroke): boolean {
  return stroke.isComposing || stroke.keyCode === 229;
}

/** Whether keys go into a text there. */
export function isTypingIn(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  const wordless = ['button', 'checkbox', 'radio', 'range', 'submit', 'reset', 'color', 'file'];
  return target instanceof HTMLInputElement && !wordless.includes(target.type);
}

export interface Explained {
  keys: string[][];
  does: string;
}

/** All shortcuts, as people read them: alternatives, each a chord. */
export function explainKeys(isMac: boolean): { title: string; keys: Explained[] }[] {
  const mod = isMac ? '⌘' : 'Ctrl';
  return [
    {
      title: 'Everywhere',
      keys: [
        { keys: [['n']], does: 'New session' },
        { keys: [['/'], [mod, 'K']], does: 'Search sessions' },
        { keys: [['i']], does: 'Open or close the inspector' },
        { keys: [[mod, 'B']], does: 'Show or hide the sidebar' },
        { keys: [['?']], does: 'Show these shortcuts' },
      ],
    },
    {
      title: 'Message box',
      keys: [
        { keys: [['Enter'], [mod, 'Enter']], does: 'Send' },
        { keys: [['Shift', 'Enter']], does: 'New line' },
        { keys: [['Esc']], does: 'Stop the run, or cancel editing' },
        { keys: [['↑']], does: 'Edit your last message in a new session (when the message box is empty)' },
      ],
    },
    {
      title: 'Questions (while their buttons show the keys)',
      keys: [
        { keys: [['1']], does: 'Allow once' },
        { keys: [['2']], does: 'Allow for this session' },
        { keys: [['3']], does: 'Always allow: saves the rule' },
        { keys: [['4']], does: 'Deny' },
        { keys: [['↑'], ['↓']], does: 'Previous or next question' },
      ],
    },
  ];
}
