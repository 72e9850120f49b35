// One trial of a tool: arguments, what is wrong with them, what the gates say, and what came of it.
//
// Nothing runs before the gates have been asked; what they want asked is asked here.

import * as api from '../../wire/api';
import type { Refusal } from '../../wire/http';
import type { Question } from '../../view/types';
import { refusalOf } from '../parts/resource.svelte';
import { check, type Fault } from '../schema_form/check';
import { shapeOf, type JsonObject, type Schema } from '../schema_form/schema';
import { firstValue, pathOfField } from '../schema_form/value';
import type { ToolAnswer, ToolError } from './answer';
import { rememberCall, triedCalls, type TriedCall } from './calls';

/** Where a trial is. */
export type Stage =
  | { name: 'idle' }
  | { name: 'judging' }
  | { name: 'asking'; gates: api.Gate[]; question: Question | null }
  | { name: 'denied'; gates: api.Gate[] }
  | { name: 'running' }
  | { name: 'ended'; answer: ToolAnswer; args: JsonObject }
  | { name: 'refused'; refusal: Refusal };

export class Trial {
  args = $state.raw<JsonObject>({});
  stage = $state.raw<Stage>({ name: 'idle' });
  sessionId = $state('');
  confirmation = $state('');
  /** Whether somebody tried to send it: from then on, what is missing is said. */
  isTried = $state(false);
  calls = $state.raw<TriedCall[]>([]);
  private said = $state.raw<Fault[]>([]);

  readonly faults = $derived.by(() => [...check(this.schema, this.args, this.schema), ...this.said]);
  readonly isBusy = $derived(this.stage.name === 'judging' || this.stage.name === 'running');

  constructor(
    readonly tool: string,
    readonly schema: Schema,
  ) {
    this.reset();
    this.calls = triedCalls().filter((call) => call.tool === tool);
  }

  /** Other arguments: what was said of the old ones does not hold. */
  set(args: JsonObject): void {
    this.args = args;
    this.said = [];
    if (!this.isBusy) this.stage = { name: 'idle' };
  }

  reset(): void {
    const { schema } = shapeOf(this.schema, this.schema);
    this.set((firstValue(schema, this.schema, true) as JsonObject | undefined) ?? {});
    this.isTried = false;
  }

  /** Asks the gates, and runs what they let through. */
  async start(): Promise<void> {
    this.isTried = true;
    if (this.faults.length || this.isBusy) return;
    this.stage = { name: 'judging' };
    this.confirmation = '';
    try {
      const { gates, question } = await api.explain(this.tool, this.args);
      const decides = gates.find((gate) => gate.decides);
      // What the schema refuses is refused again by the call, with the field at fault.
      if (decides?.opinion === 'allow' || decides?.gate === 'schema') return await this.call(false);
      this.stage =
        decides?.opinion === 'deny' ? { name: 'denied', gates } : { name: 'asking', gates, question: question ?? null };
    } catch (error) {
      this.stage = { name: 'refused', refusal: refusalOf(error) };
    }
  }

  /** Sends the call; `isAllowed`: somebody saw the question and said yes. */
  async call(isAllowed: boolean): Promise<void> {
    const args = this.args;
    const digest = this.stage.name === 'asking' ? this.stage.question?.digest : undefined;
    this.isTried = true;
    this.stage = { name: 'running' };
    try {
      const answer = (await api.callTool(this.tool, {
        arguments: args,
        ...(this.sessionId && { session_id: this.sessionId }),
        ...(isAllowed && digest && { approve: 'once' as const, digest }),
        ...(isAllowed && this.confirmation && { confirmation: this.confirmation }),
      })) as ToolAnswer;
      this.stage = { name: 'ended', answer, args };
      this.note(answer.error ?? null);
      const tried = { tool: this.tool, args, at_ms: Date.now(), status: answer.status, duration_ms: answer.duration_ms };
      this.calls = rememberCall(tried).filter((call) => call.tool === this.tool);
    } catch (error) {
      this.stage = { name: 'refused', refusal: refusalOf(error) };
    }
  }

  /** What the server says of a field stands at the field until it is changed. */
  private note(error: ToolError | null): void {
    if (!error?.field) return;
    const expected = error.expected ? ` Expected: ${error.expected}.` : '';
    this.said = [{ path: pathOfField(error.field), message: `The server says: ${error.message}.`.replace('..', '.') + expected }];
  }
}
