import { describe, expect, it } from 'vitest';
import { isPlain, isWithin, probes, QUIET_MS, Sight, type Stroke } from './sight';

const plain: Stroke = { key: '1', repeat: false, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isComposing: false };
const view = { top: 0, right: 100, bottom: 100, left: 0 };

describe('a card is in view', () => {
  it('when all of it is', () => {
    expect(isWithin({ top: 10, right: 90, bottom: 100, left: 10 }, view)).toBe(true);
    expect(isWithin({ top: 0, right: 100, bottom: 100.6, left: 0 }, view)).toBe(true);
  });

  it('and not when an edge is outside', () => {
    for (const part of [{ top: -2 }, { right: 102 }, { bottom: 102 }, { left: -2 }]) expect(isWithin({ ...view, ...part }, view)).toBe(false);
  });

  it('is looked at in nine places, all of them within', () => {
    const places = probes(view, 12);
    expect(places.length).toBe(9);
    expect(places.every(([x, y]) => isWithin({ top: y, bottom: y, left: x, right: x }, view))).toBe(true);
  });
});

describe('a key', () => {
  it('answers by itself only, and never while it is held', () => {
    expect(isPlain(plain)).toBe(true);
    for (const field of ['repeat', 'ctrlKey', 'metaKey', 'altKey', 'shiftKey', 'isComposing'] as const) {
      expect(isPlain({ ...plain, [field]: true })).toBe(false);
    }
  });

  it('answers a question that was in view for long enough', () => {
    const sight = new Sight();
    sight.look(['a', 'b'], ['a'], 1000);
    expect(sight.takesKeys('a', 1000 + QUIET_MS - 1)).toBe(false);
    expect(sight.takesKeys('a', 1000 + QUIET_MS)).toBe(true);
    expect(sight.takesKeys('b', 9000)).toBe(false);
  });

  it('answers nothing that went out of view and came back just now', () => {
    const sight = new Sight();
    sight.look(['a'], ['a'], 0);
    sight.look(['a'], [], 2000);
    expect(sight.takesKeys('a', 2100)).toBe(false);
    sight.look(['a'], ['a'], 2200);
    expect(sight.takesKeys('a', 2300)).toBe(false);
    expect(sight.takesKeys('a', 2200 + QUIET_MS)).toBe(true);
  });

  it('answers nothing shortly after another key or another answer', () => {
    const sight = new Sight();
    sight.look(['a', 'b'], ['a', 'b'], 0);
    sight.stroke(3000);
    expect(sight.takesKeys('a', 3499)).toBe(false);
    expect(sight.takesKeys('a', 3500)).toBe(true);
    sight.answered(4000);
    expect(sight.takesKeys('b', 4499)).toBe(false);
    expect(sight.takesKeys('b', 4500)).toBe(true);
  });
});

describe('a click', () => {
  it('counts once the question was there for long enough, and nothing was answered just now', () => {
    const sight = new Sight();
    sight.look(['a'], [], 0);
    expect(sight.takesClicks('a', 499)).toBe(false);
    expect(sight.takesClicks('a', 500)).toBe(true);
    sight.answered(600);
    expect(sight.takesClicks('a', 1000)).toBe(false);
    expect(sight.takesClicks('a', 1100)).toBe(true);
  });
});
