import { expect, it } from 'vitest';
import type { Found } from '../../wire/api';
import { figure, kindOf, partsOf } from './found';

const passage = (parts: object) => ({ parts }) as Found['passages'][number];

it('takes any word of an address, and everything for one that means nothing', () => {
  expect([kindOf('lexical'), kindOf('guess'), kindOf(null)]).toEqual(['lexical', 'hybrid', 'hybrid']);
});

it('measures each part against the best of the list, and leaves out what did not count', () => {
  const parts = partsOf([passage({ lexical: 12, symbol: 2 }), passage({ lexical: 3 }), passage({})]);
  expect(parts[0]).toEqual([
    { name: 'words', value: 12, share: 1 },
    { name: 'names', value: 2, share: 1 },
  ]);
  expect(parts[1]).toEqual([{ name: 'words', value: 3, share: 0.25 }]);
  expect(parts[2]).toEqual([]);
});

it('has no bar without length and none below nothing', () => {
  expect(partsOf([passage({ vector: -0.5 })])).toEqual([[{ name: 'meaning', value: -0.5, share: 0 }]]);
});

it('writes figures short', () => {
  expect([figure(12.345), figure(0.0325), figure(2)]).toEqual(['12.3', '0.033', '2.0']);
});
