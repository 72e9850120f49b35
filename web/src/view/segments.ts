// The parts of a run as the transcript shows them, in the order in which things happened (S-34): blocks of reasoning,
// text, searches, and other tools. A pure look at the view of a run; hidden calls have no part here (S-29).

import type { CallEntry, RunView } from './session';

export type Segment = ReasoningSegment | TextSegment | CallsSegment;

export interface ReasoningSegment {
  kind: 'reasoning';
  key: string;
  phase: number;
  text: string;
  /** Whether more of it is awaited. */
  isLive: boolean;
  /** Whether a search or an answer came after it: it has no more say (S-33). */
  isHandedOver: boolean;
}

export interface TextSegment {
  kind: 'text';
  key: string;
  text: string;
  /** Whether more of it may come. */
  isOpen: boolean;
}

export interface CallsSegment {
  kind: 'search' | 'tools';
  key: string;
  calls: CallEntry[];
  /** Whether words came after it: the answer, or a part of it (S-28). */
  isAnswered: boolean;
}

/** The parts of a run. */
export function segmentsOf(run: RunView): Segment[] {
  const segments: Segment[] = [];
  const { entries, about } = run;
  entries.forEach((entry, at) => {
    const last = segments.at(-1);
    if (entry.kind === 'reasoning') {
      if (last?.kind === 'reasoning' && last.phase === entry.phase) last.text += `\n\n${entry.text}`;
      else segments.push(reasoning(at, entry.phase, entry.text));
    } else if (entry.kind === 'text') {
      if (last?.kind === 'text' && about.joins.includes(at)) last.text += entry.text;
      else if (entry.text.trim()) segments.push({ kind: 'text', key: `text-${at}`, text: entry.text, isOpen: false });
    } else if (entry.visibility !== 'hidden') {
      const kind = entry.category === 'search' ? 'search' : 'tools';
      if (last?.kind === kind) last.calls.push(entry);
      else segments.push({ kind, key: `${kind}-${at}`, calls: [entry], isAnswered: false });
    }
  });
  addAwaited(segments, run);
  addMissingAnswer(segments, run);
  noteWhatFollows(segments, run);
  return segments;
}

function reasoning(at: number, phase: number, text: string): ReasoningSegment {
  return { kind: 'reasoning', key: `reasoning-${at}`, phase, text, isLive: false, isHandedOver: false };
}

/** A block for thinking that was asked for and has not begun (S-25, S-32). It becomes the block that then comes. */
function addAwaited(segments: Segment[], run: RunView): void {
  const phase = run.about.thinking;
  if (phase === null || run.ended) return;
  const last = segments.at(-1);
  if (last?.kind === 'reasoning' && last.phase === phase) last.isLive = true;
  else segments.push({ ...reasoning(run.entries.length, phase, ''), isLive: true });
}

/** An answer that no step gave in words is shown all the same (S-36). */
function addMissingAnswer(segments: Segment[], run: RunView): void {
  const answer = run.answer.trim();
  if (!run.ended || !answer) return;
  if (segments.some((segment) => segment.kind === 'text' && segment.text.trim() === answer)) return;
  const said = segments.map((segment) => (segment.kind === 'text' ? segment.text : '')).join('');
  if (said.includes(answer)) return;
  const words = (text: string) => text.replace(/\s+/g, '');
  if (words(said).includes(words(answer))) return;
  segments.push({ kind: 'text', key: 'text-answer', text: run.answer, isOpen: false });
}

function noteWhatFollows(segments: Segment[], run: RunView): void {
  let isTextAfter = false;
  let isSearchAfter = false;
  let isThoughtAfter = false;
  for (const segment of [...segments].reverse()) {
    if (segment.kind === 'text') {
      isTextAfter = true;
    } else if (segment.kind === 'reasoning') {
      segment.isHandedOver = isTextAfter || isSearchAfter || isThoughtAfter || run.ended !== null;
      isThoughtAfter = true;
    } else {
      segment.isAnswered = isTextAfter;
      if (segment.kind === 'search') isSearchAfter = true;
    }
  }
  const last = segments.at(-1);
  if (last?.kind === 'text') last.isOpen = run.ended === null && run.about.step !== null;
}

/** The key of the part that has the reader's eye (S-27): the newest one, while the run goes on. */
export function activeKey(segments: readonly Segment[], run: RunView): string | null {
  return run.ended ? null : (segments.at(-1)?.key ?? null);
}

/** What all calls of one tool are doing, for its chip. */
export type ChipState = 'waiting' | 'running' | 'asking' | 'staged' | 'failed' | 'denied' | 'ok';

export interface Chip {
  name: string;
  count: number;
  state: ChipState;
  /** The call to show: one that needs a look before one that does not. */
  callId: string;
}

const WEIGHT: ChipState[] = ['asking', 'running', 'waiting', 'staged', 'failed', 'denied', 'ok'];

/** One chip a tool, with its count and its state. */
export function chipsOf(calls: readonly CallEntry[]): Chip[] {
  const chips = new Map<string, Chip>();
  for (const entry of calls) {
    const state = stateOf(entry);
    const chip = chips.get(entry.call.name);
    if (!chip) {
      chips.set(entry.call.name, { name: entry.call.name, count: 1, state, callId: entry.call.id });
    } else {
      chip.count += 1;
      if (WEIGHT.indexOf(state) <= WEIGHT.indexOf(chip.state)) {
        chip.state = state;
        chip.callId = entry.call.id;
      }
    }
  }
  return [...chips.values()];
}

/** The state of one call in one word. */
export function stateOf({ state }: CallEntry): ChipState {
  switch (state.kind) {
    case 'requested':
      return 'waiting';
    case 'running':
      return 'running';
    case 'asking':
      return 'asking';
    case 'ended':
      if ('Ok' in state.outcome.body) return 'ok';
      if (state.outcome.meta.proposal) return 'staged';
      return state.outcome.body.Err.kind === 'permission_denied' ? 'denied' : 'failed';
  }
}
