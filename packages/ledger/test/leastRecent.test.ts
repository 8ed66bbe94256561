import { describe, expect, it } from 'vitest';
import { LeastRecent } from '../src/index.js';

describe('values by key, up to a sum of weights', () => {
  it('the one that was not used for longest goes first', () => {
    const recent = new LeastRecent<number>(2);
    recent.set('a', 1);
    recent.set('b', 2);
    recent.get('a');
    recent.set('c', 3);
    expect([recent.get('a'), recent.get('b'), recent.get('c')]).toEqual([1, undefined, 3]);
  });

  it('a heavy one pushes out several, and one heavier than all is not kept', () => {
    const recent = new LeastRecent<number>(4);
    recent.set('a', 1);
    recent.set('b', 2);
    recent.set('c', 3, 3);
    expect([recent.get('a'), recent.get('b'), recent.get('c')]).toEqual([undefined, 2, 3]);
    recent.set('d', 4, 5);
    expect(recent.size).toBe(0);
  });

  it('a value set again weighs once, and nothing is left after clearing', () => {
    const recent = new LeastRecent<number>(2);
    recent.set('a', 1, 2);
    recent.set('a', 2, 1);
    recent.set('b', 3, 1);
    expect([recent.get('a'), recent.get('b')]).toEqual([2, 3]);
    recent.clear();
    recent.set('c', 4, 2);
    expect([recent.size, recent.get('c')]).toEqual([1, 4]);
  });
});
