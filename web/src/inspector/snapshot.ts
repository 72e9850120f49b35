// A run as a snapshot keeps it: message, settings, states in time; the server adds the complete trace (S-31).

import type { Schemas } from '../wire/http';
import type { Timeline } from './timeline';

/** The body of the request that keeps a run. */
export function snapshotOf(line: Timeline, title: string, note: string): Schemas['NewSave'] {
  const slash = line.model.indexOf('/');
  const data = {
    prompt: line.user,
    ...(note ? { note } : {}),
    settings: { model: line.model, profile: line.profile, wishes: line.wishes },
    session_id: line.sessionId,
    run_id: line.runId,
    transitions: line.calls.map((call) => ({
      id: call.id,
      name: call.name,
      states: call.transitions.map((one) => ({ state: one.state, at: new Date(one.at_ms).toISOString(), by: one.by })),
    })),
  };
  return {
    title,
    kind: 'state',
    model: line.model,
    provider: slash > 0 ? line.model.slice(0, slash) : null,
    data: data as object as NonNullable<Schemas['NewSave']['data']>,
    run_id: line.runId,
  };
}
