// One trial of a module: its inputs, the run that they began, and what came of it. The run is an ordinary one, in a
// session of its own: what needs asking is asked there.

import type { RunView } from '../../view/session';
import * as api from '../../wire/api';
import { followSession } from '../../wire/follow';
import type { Refusal } from '../../wire/http';
import { refusalOf } from '../parts/resource.svelte';
import { check } from '../schema_form/check';
import { shapeOf, type JsonObject, type Schema } from '../schema_form/schema';
import { firstValue } from '../schema_form/value';
import { formSchema } from './modules';

export class ModuleTrial {
  readonly schema: Schema;
  inputs = $state.raw<JsonObject>({});
  /** Whether somebody tried to send it: from then on, what is missing is said. */
  isTried = $state(false);
  isStarting = $state(false);
  refusal = $state.raw<Refusal | null>(null);
  sessionId = $state<string | null>(null);
  runId = $state<string | null>(null);
  run = $state.raw<RunView | null>(null);
  private following: { stop(): void } | null = null;

  readonly faults = $derived.by(() => check(this.schema, this.inputs, this.schema));
  readonly isBusy = $derived(this.isStarting || (this.runId !== null && !this.run?.ended));

  constructor(readonly module: api.Module) {
    this.schema = formSchema(module);
    this.reset();
  }

  set(inputs: JsonObject): void {
    this.inputs = inputs;
  }

  reset(): void {
    const { schema } = shapeOf(this.schema, this.schema);
    this.inputs = (firstValue(schema, this.schema, true) as JsonObject | undefined) ?? {};
    this.isTried = false;
  }

  /** Runs the module; what is wrong with the inputs is said first. */
  async start(): Promise<void> {
    this.isTried = true;
    if (this.faults.length || this.isBusy) return;
    this.isStarting = true;
    this.refusal = null;
    this.run = null;
    this.runId = null;
    try {
      const { model, module_id } = this.module;
      this.sessionId ??= (await api.createSession({ title: `Module ${module_id}`, model, origin: 'web' })).session_id;
      const started = await api.startRun(this.sessionId, { message: JSON.stringify(this.inputs), model });
      this.runId = started.run_id;
      this.follow(this.sessionId);
    } catch (error) {
      this.refusal = refusalOf(error);
    } finally {
      this.isStarting = false;
    }
  }

  stop(): void {
    if (this.runId) api.cancelRun(this.runId).catch((error: unknown) => (this.refusal = refusalOf(error)));
  }

  /** Lets go of the server; the run goes on. */
  leave(): void {
    this.following?.stop();
    this.following = null;
  }

  private follow(sessionId: string): void {
    this.following ??= followSession(sessionId, {
      show: (view) => {
        this.run = view.runs.find((run) => run.run_id === this.runId) ?? this.run;
      },
      tell: (_link, refusal) => {
        if (refusal && !refusal.isOffline) this.refusal = refusal;
      },
    });
  }
}
