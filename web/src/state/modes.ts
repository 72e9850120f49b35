// How much a session may do without asking: the words of the server, and what people read.

export interface Mode {
  value: string;
  label: string;
  about: string;
}

/** The modes that people choose between, from the most careful to the least. */
export const MODES: readonly Mode[] = [
  { value: 'read_only', label: 'Read only', about: 'Reads and searches in the project. Changes nothing, runs nothing.' },
  { value: 'ask', label: 'Ask', about: 'Reads in the project freely. Asks before it writes, runs commands or uses the network.' },
  { value: 'edit', label: 'Edit freely', about: 'Also changes files of the project without asking. Asks before commands and the network.' },
  { value: 'all', label: 'Allow all', about: 'Never asks. Rules that deny still hold, and commands that destroy beyond the project are refused.' },
];

/** Those that a server can be started with. */
const OTHERS: readonly Mode[] = [
  { value: 'never', label: 'Never ask', about: 'Whatever would need asking is denied.' },
  { value: 'safe', label: 'Safe only', about: 'Safe calls run; whatever else would need asking is denied.' },
  { value: 'stage', label: 'Stage edits', about: 'Edits wait to be applied by you; about the rest you are asked.' },
  { value: 'stage_only', label: 'Stage only', about: 'Edits wait to be applied by you; whatever else would need asking is denied.' },
];

/** The modes to choose from, with the one that is set now. */
export function modesWith(now: string): readonly Mode[] {
  if (MODES.some(({ value }) => value === now)) return MODES;
  return [OTHERS.find(({ value }) => value === now) ?? { value: now, label: now, about: '' }, ...MODES];
}
