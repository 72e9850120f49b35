import { expect, it } from 'vitest';
import { ago, bytes, cost, duration, plural, tokens } from './format';

it('tells durations in the unit that fits', () => {
  expect([0, 999, 1000, 59_949, 59_951, 185_000, 7_800_000].map(duration)).toEqual([
    '0 ms', '999 ms', '1.0 s', '59.9 s', '1 min 00 s', '3 min 05 s', '2 h 10 min',
  ]);
});

it('tells sizes and counts short', () => {
  expect([0, 999, 4200, 12_600, 999_600, 13_000_000].map(bytes)).toEqual(['0 B', '999 B', '4.2 kB', '13 kB', '1.0 MB', '13 MB']);
  expect([950, 1234, 12_345, 999_600].map(tokens)).toEqual(['950', '1.2k', '12k', '1.0M']);
  expect([0, 0.00001, 0.0042, 1.3].map(cost)).toEqual(['$0', '< $0.0001', '$0.0042', '$1.30']);
  expect([plural(1, 'call'), plural(1200, 'call'), plural(2, 'query', 'queries')]).toEqual(['1 call', '1,200 calls', '2 queries']);
});

it('tells how long ago something was', () => {
  const now = 1_700_000_000_000;
  expect([0, 60, 3600, 90_000, 86_400 * 3].map((seconds) => ago(now - seconds * 1000, now))).toEqual([
    'just now', '1 min ago', '1 h ago', '1 day ago', '3 days ago',
  ]);
});
