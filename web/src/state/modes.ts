// How much a session may do without asking: the server's words, as people read them.

export interface Mode {
  value: string;
  label: string;
  about: string;
}

/** The modes that people choose between, from the most careful to the least. */
const CHOICES: readonly [word: string, label: string][] = [
  ['read_only', 'Read only'],
  ['ask', 'Ask'],
  ['edit', 'Edit freely'],
  ['all', 'Allow all'],
];

/** Those that a session can have otherwise: a server can be started with them. */
const OTHERS: { [word: string]: string } = {
  never: 'Never ask',
  safe: 'Safe only',
  edit_only: 'Edit only',
  stage: 'Stage edits',
  stage_only: 'Stage only',
};

/** The modes to choose from, with the one that is set now; what each means is the server's to say. */
export function modesWith(now: string, about: readonly { name: string; about: string }[]): Mode[] {
  const isChoice = CHOICES.some(([word]) => word === now);
  const words: [string, string][] = isChoice ? [...CHOICES] : [[now, OTHERS[now] ?? now], ...CHOICES];
  return words.map(([value, label]) => ({ value, label, about: about.find(({ name }) => name === value)?.about ?? '' }));
}
