// Where the time and the tokens of a run went. Knows the timeline and nothing of screens.

import type { Usage } from '../view/types';
import type { Step, Timeline } from './timeline';

/** Where the time of a run went. Calls and questions that overlap are counted once. */
export interface Durations {
  total_ms: number;
  model_ms: number;
  tool_ms: number;
  asking_ms: number;
  delay_ms: number;
}

export function durations(line: Timeline, now_ms: number): Durations {
  const until = line.ended_ms ?? Math.max(now_ms, line.last_ms);
  const tries = line.steps.flatMap((step) => step.tries);
  const waits = tries.flatMap((one, at) => {
    if (!one.delay) return [];
    const next = tries[at + 1]?.started_ms ?? Math.min(until, one.delay.at_ms + one.delay.delay_ms);
    return [[one.delay.at_ms, next] as Span];
  });
  return {
    total_ms: until - line.started_ms,
    model_ms: covered(tries.map((one) => [one.started_ms, one.ended_ms ?? until])),
    tool_ms: covered(
      line.calls.flatMap((call) => (call.started_ms === null ? [] : [[call.started_ms, call.ended_ms ?? until]])),
    ),
    asking_ms: covered(line.asked.map((one) => [one.asked_ms, one.decided_ms ?? until])),
    delay_ms: covered(waits),
  };
}

type Span = [number, number];

/** How much time spans cover together. */
export function covered(spans: Span[]): number {
  let sum = 0;
  let reached = -Infinity;
  for (const [from, to] of spans.sort((one, other) => one[0] - other[0])) {
    if (to <= reached) continue;
    sum += to - Math.max(from, reached);
    reached = to;
  }
  return sum;
}

/** Tokens and cost of a step, its failed tries included. */
export function usageOf(step: Step): Usage | null {
  const all = [...step.tries.map((one) => one.delay?.usage ?? null), step.usage];
  return all.reduce<Usage | null>(add, null);
}

/** Tokens and cost of the whole run: as it was told at the end, or what is known so far. */
export function totalUsage(line: Timeline): Usage | null {
  return line.usage ?? line.steps.map(usageOf).reduce<Usage | null>(add, null);
}

function add(one: Usage | null, other: Usage | null): Usage | null {
  if (!one || !other) return one ?? other;
  const sum: Usage = {
    input: one.input + other.input,
    output: one.output + other.output,
    cached: one.cached + other.cached,
    reasoning: one.reasoning + other.reasoning,
  };
  if (one.cost_usd != null || other.cost_usd != null) sum.cost_usd = (one.cost_usd ?? 0) + (other.cost_usd ?? 0);
  return sum;
}
