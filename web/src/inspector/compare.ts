// Two runs, step by step: what is the same, and where they part. Knows the timeline and nothing of screens.
//
// Times and ids differ in any two runs and are no difference here; the summary tells about times and tokens.

import type { Message } from '../view/types';
import { diffWords, type Piece } from './diff';
import { totalUsage } from './spend';
import type { Call, Step, Timeline } from './timeline';
import { finishSaid, purposeSaid, runSaid, stateSaid } from './words';

/** One thing of both runs, as text. */
export interface Part {
  name: string;
  left: string | null;
  right: string | null;
  isSame: boolean;
}

/** What stands side by side: the message, a step, the end. */
export interface Pair {
  id: string;
  title: string;
  /** The step's number on each side, where it is a step. */
  leftStep: number | null;
  rightStep: number | null;
  parts: Part[];
  isSame: boolean;
}

export interface Comparison {
  pairs: Pair[];
  /** The first pair and part that differ, if any do. */
  first: { pair: string; part: string } | null;
  facts: Fact[];
  differences: number;
}

/** A fact of both runs, for the summary. */
export interface Fact {
  name: string;
  left: string | number | null;
  right: string | number | null;
  unit: 'text' | 'ms' | 'tokens' | 'usd' | 'count';
}

export function compareRuns(left: Timeline, right: Timeline): Comparison {
  const steps = Math.max(left.steps.length, right.steps.length);
  const pairs = [
    pair('message', 'Message', null, null, [part('Message', left.user, right.user)]),
    ...Array.from({ length: steps }, (_, at) => stepPair(left, right, at)),
    pair('end', 'End', null, null, [
      part('Outcome', endOf(left), endOf(right)),
      part('Answer', left.answer, right.answer),
    ]),
  ];
  const found = pairs.find((one) => !one.isSame);
  const foundPart = found?.parts.find((one) => !one.isSame);
  return {
    pairs,
    first: found && foundPart ? { pair: found.id, part: foundPart.name } : null,
    facts: facts(left, right),
    differences: pairs.reduce((sum, one) => sum + one.parts.filter((each) => !each.isSame).length, 0),
  };
}

function endOf(line: Timeline): string {
  return line.outcome ? `${runSaid(line.outcome).word} (${line.reason ?? ''})` : 'Running';
}

function part(name: string, left: string | null, right: string | null): Part {
  return { name, left, right, isSame: left === right };
}

function pair(id: string, title: string, leftStep: number | null, rightStep: number | null, parts: Part[]): Pair {
  // What neither run has is nothing to show.
  const shown = parts.filter((one) => (one.left ?? '') !== '' || (one.right ?? '') !== '' || !one.isSame);
  return { id, title, leftStep, rightStep, parts: shown, isSame: shown.every((one) => one.isSame) };
}

function stepPair(left: Timeline, right: Timeline, at: number): Pair {
  const [one, other] = [left.steps[at] ?? null, right.steps[at] ?? null];
  const said = (step: Step | null, read: (step: Step) => string) => (step ? read(step) : null);
  const parts = [
    part('Purpose', said(one, (step) => purposeSaid(step.purpose)), said(other, (step) => purposeSaid(step.purpose))),
    part('Thinking', said(one, (step) => textOf(step, 'reasoning')), said(other, (step) => textOf(step, 'reasoning'))),
    part('Text', said(one, (step) => textOf(step, 'text')), said(other, (step) => textOf(step, 'text'))),
    ...callParts(callsOf(left, one), callsOf(right, other)),
    part('Finish', said(one, finishOf), said(other, finishOf)),
  ];
  return pair(`step-${at + 1}`, `Step ${at + 1}`, one?.step ?? null, other?.step ?? null, parts);
}

function finishOf(step: Step): string {
  return step.finish === null ? stateSaid(step.state).word : finishSaid(step.finish);
}

function textOf(step: Step, kind: 'text' | 'reasoning'): string {
  const message: Message | null = step.message;
  if (message?.role !== 'assistant') return '';
  return message.parts.map((one) => (one.type === kind ? one.text : '')).join('');
}

function callsOf(line: Timeline, step: Step | null): Call[] {
  if (!step) return [];
  return line.calls.filter((call) => call.step === step.step).sort((one, other) => one.index - other.index);
}

function callParts(left: Call[], right: Call[]): Part[] {
  const count = Math.max(left.length, right.length);
  return Array.from({ length: count }, (_, at) => {
    const [one, other] = [left[at] ?? null, right[at] ?? null];
    const isSameTool = one !== null && one.name === other?.name;
    const name = isSameTool ? `Call ${at + 1} ${one.name}` : `Call ${at + 1}`;
    return [
      ...(isSameTool ? [] : [part(`${name}: tool`, one?.name ?? null, other?.name ?? null)]),
      part(`${name}: arguments`, one && readable(one.arguments), other && readable(other.arguments)),
      part(`${name}: outcome`, one && outcomeOf(one), other && outcomeOf(other)),
    ];
  }).flat();
}

/** JSON in a form in which only what it says can differ. */
export function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function outcomeOf(call: Call): string {
  const content = call.message?.role === 'tool' ? call.message.content : '';
  const state = stateSaid(call.state).word;
  return content ? `${state}\n${readable(content)}` : state;
}

function facts(left: Timeline, right: Timeline): Fact[] {
  const fact = (name: string, unit: Fact['unit'], read: (line: Timeline) => string | number | null): Fact => ({
    name,
    unit,
    left: read(left),
    right: read(right),
  });
  return [
    fact('Outcome', 'text', endOf),
    fact('Model', 'text', (line) => line.model),
    fact('Profile', 'text', (line) => line.profile),
    fact('Time', 'ms', (line) => (line.ended_ms === null ? null : line.ended_ms - line.started_ms)),
    fact('Steps', 'count', (line) => line.steps.length),
    fact('Calls', 'count', (line) => line.calls.length),
    fact('Tokens in', 'tokens', (line) => totalUsage(line)?.input ?? null),
    fact('Tokens out', 'tokens', (line) => totalUsage(line)?.output ?? null),
    fact('Cost', 'usd', (line) => totalUsage(line)?.cost_usd ?? null),
  ];
}

/** A part's texts, as each side shows them. */
export function sides(one: Part): { left: Piece[]; right: Piece[] } {
  const pieces = diffWords(one.left ?? '', one.right ?? '');
  return {
    left: pieces.filter((piece) => piece.kind !== 'right'),
    right: pieces.filter((piece) => piece.kind !== 'left'),
  };
}
