import { describe, expect, it } from 'vitest';
import { selectionOf, shareable, withSelection } from './selection';
import { snapshotOf } from './snapshot';
import { foldTimeline } from './timeline';

describe('what is looked at', () => {
  it('is in the address, and leaves the rest of it alone', () => {
    const url = new URL('http://x/s/1?inspect=run_1&call=c%201');
    expect(selectionOf(url)).toBe('call:c 1');
    expect(withSelection(url, 'step:2')).toBe('/s/1?inspect=run_1&step=2');
    expect(withSelection(url, null)).toBe('/s/1?inspect=run_1');
    expect(selectionOf(new URL('http://x/runs/1'))).toBeNull();
    expect(shareable('http://x', '/runs/1', 'thought:1.0')).toBe('http://x/runs/1?thought=1.0');
  });
});

it('S-31 a snapshot has message, settings and every state in time, and asks for the trace', () => {
  const base = { session_id: 's', run_id: 'r', parent_id: 'm' };
  const line = foldTimeline('r', [
    {
      ...base,
      seq: 1,
      ts_ms: 0,
      event: {
        type: 'run_started',
        model: 'open/mini',
        profile: 'default',
        message: { role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
      },
    },
    {
      ...base,
      seq: 2,
      ts_ms: 1500,
      event: {
        type: 'call_requested',
        call: { id: 'c', step: 1, index: 0, name: 'calculate', arguments: '{}' },
        category: 'utility',
        visibility: 'hidden',
      },
    },
  ]);
  const body = line && snapshotOf(line, 'Mine', '');
  expect(body).toMatchObject({ title: 'Mine', kind: 'state', provider: 'open', model: 'open/mini', run_id: 'r' });
  expect(body?.data).toMatchObject({
    prompt: 'Hello',
    settings: { profile: 'default' },
    transitions: [{ id: 'c', states: [{ state: 'requested', at: '1970-01-01T00:00:01.500Z' }] }],
  });
});
