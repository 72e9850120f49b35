// The words of the API, for people: what effects, risks, scopes, gates and decisions mean.

import type { Tone } from '../../ui/Badge.svelte';

export const EFFECTS: { [word: string]: string } = {
  pure: 'Computes only; changes nothing',
  read: 'Reads only; changes nothing',
  write: 'Changes files or settings',
  external: 'Acts outside Windlass',
};

export const RISKS: { [word: string]: string } = {
  safe: 'Runs without asking',
  low: 'Asks once per session',
  medium: 'Asks each time',
  high: 'Asks each time',
  critical: 'Asks each time; you type a word to confirm',
};

export const SCOPES: { [word: string]: string } = {
  read_files: 'reads files',
  write_files: 'writes files',
  execute_commands: 'runs commands',
  network_access: 'uses the network',
  system_info: 'reads system facts',
  task_management: 'manages tasks',
};

export const VISIBILITIES: { [word: string]: string } = {
  primary: 'as a card',
  secondary: 'as a chip',
  hidden: 'only in the inspector',
};

/** The gates of a call, in their order (core: `permission::Gate`). */
export const GATES: { [word: string]: { name: string; about: string } } = {
  tools_allowed: { name: 'Tools allowed', about: 'The run must allow tools.' },
  module: { name: 'Module', about: 'The module must have tools enabled.' },
  request: { name: 'Request', about: "The request's list of tools and its tool choice must include the tool." },
  schema: { name: 'Schema', about: "The arguments must fit the tool's schema." },
  targets: { name: 'Targets', about: 'The tool must accept its paths, hosts and commands.' },
  deny_rule: { name: 'Deny rules', about: 'No rule may deny the call.' },
  protected: {
    name: 'Protected paths',
    about: 'What git, editors, shells and agents obey is changed only by a rule that names exactly that path, or asked about.',
  },
  grant: { name: 'Grants', about: 'A grant of this session lets the call run.' },
  ask_rule: { name: 'Ask rules', about: 'A rule may ask each time.' },
  allow_rule: { name: 'Allow rules', about: 'A rule may let the call run.' },
  confined: { name: 'Sandbox', about: 'The user may let commands run that a sandbox holds.' },
  risk: { name: 'Risk', about: 'Otherwise risk decides.' },
  mode: { name: 'Mode', about: 'The mode of the session decides about calls that need approval.' },
  caller: { name: 'Caller', about: 'A sub-agent may do no more than its caller.' },
  user: { name: 'You', about: 'The user answers.' },
};

/** What each line of the audit log says (core: `permission::AuditDecision`). */
export const DECISIONS: { [word: string]: { name: string; tone: Tone; about: string } } = {
  auto_approved: { name: 'Allowed automatically', tone: 'good', about: 'Nobody was asked: the call is safe, or a rule or a grant allowed it.' },
  user_approved: { name: 'Allowed by user', tone: 'good', about: 'A user was asked and allowed it.' },
  denied_by_policy: { name: 'Denied by policy', tone: 'bad', about: 'A gate or a rule denied it.' },
  denied_by_user: { name: 'Denied by user', tone: 'bad', about: 'A user was asked and denied it.' },
  failed_validation: { name: 'Invalid call', tone: 'warn', about: 'The tool is unknown, or its arguments are invalid.' },
};

export const SOURCES: { [word: string]: { name: string; about: string } } = {
  user: { name: 'yours', about: 'Stored in your own policy file.' },
  project: { name: 'project', about: 'From a file of the project, which can only tighten rules. Change it there.' },
  flag: { name: 'command line', about: 'Set when the server was started; ends with it.' },
  grant: { name: 'one session', about: 'Allowed for one session; ends with the session or the server.' },
};

export function riskTone(risk: string): Tone {
  switch (risk) {
    case 'safe':
      return 'good';
    case 'low':
      return 'info';
    case 'medium':
      return 'warn';
    case 'high':
    case 'critical':
      return 'bad';
    default:
      return 'neutral';
  }
}

/** allow, ask, deny: of rules and of gates. */
export function effectTone(effect: string): Tone {
  switch (effect) {
    case 'allow':
      return 'good';
    case 'ask':
      return 'warn';
    case 'deny':
      return 'bad';
    default:
      return 'neutral';
  }
}

/** Whether all the words that were typed are in one of the texts. */
export function hasWords(typed: string, ...texts: (string | undefined | null)[]): boolean {
  const whole = texts.join('\n').toLowerCase();
  return typed.toLowerCase().split(/\s+/).every((word) => whole.includes(word));
}
