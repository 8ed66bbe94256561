import type { JsonValue } from '@emend/contracts';
import { describe, expect, it } from 'vitest';
import { keepsValidPaths } from '../src/call/validPaths.js';

const at = (instancePath: string, params: Record<string, unknown> = {}) => ({ keyword: 'any', instancePath, params });

const rows: readonly (readonly [string, boolean, JsonValue, JsonValue, ReturnType<typeof at>[]])[] = [
  ['a value at fault changes', true, { a: 1, b: 'x' }, { a: 1, b: 2 }, [at('/b')]],
  ['a value beside it changes', false, { a: 1, b: 'x' }, { a: 9, b: 2 }, [at('/b')]],
  ['a value beside it is dropped', false, { a: 1, b: 'x' }, { b: 2 }, [at('/b')]],
  ['a name that begins alike is another path', false, { b: 'x', bb: 1 }, { b: 2, bb: 9 }, [at('/b')]],
  ['below a place at fault everything may change', true, { a: { c: 1, d: 2 }, b: 0 }, { a: [3], b: 0 }, [at('/a')]],
  ['above a place at fault the container stays', false, { a: { c: 'x', d: 2 } }, { a: { c: 1, d: 3 } }, [at('/a/c')]],
  ['an empty container that misses a member gets it', true, { a: {} }, { a: { c: 1 } }, [at('/a', { missingProperty: 'c' })]],
  ['a missing member is added', true, { a: 1 }, { a: 1, b: 2 }, [at('', { missingProperty: 'b' })]],
  ['a member that nobody missed is added', false, { a: 'x' }, { a: 1, b: 2 }, [at('/a')]],
  ['a member that the contract refuses is removed', true, { a: 1, z: 2 }, { a: 1 }, [at('', { additionalProperty: 'z' })]],
  ['what it held moves to where it belongs', true, { a: 1, z: 'kept' }, { a: 1, note: 'kept' }, [at('', { additionalProperty: 'z' })]],
  ['something else stands there', false, { a: 1, z: 'kept' }, { a: 1, note: 'invented' }, [at('', { additionalProperty: 'z' })]],
  ['a name with a slash', true, { 'a/b': 'x', c: 1 }, { 'a/b': 2, c: 1 }, [at('/a~1b')]],
  ['a wrong root', true, [{ a: 1 }], { a: 1 }, [at('')]],
  ['equal numbers in other spelling', true, { a: 1.0, b: 'x' }, { a: 1, b: 2 }, [at('/b')]],
  ['null is not absence', false, { a: null, b: 'x' }, { b: 2 }, [at('/b')]],
];

describe('the valid paths of a rejected value are kept', () => {
  it.each(rows)('%s: %s', (_, expected, rejected, repaired, issues) => {
    expect(keepsValidPaths(rejected, repaired, issues)).toBe(expected);
  });

  it('however many issues and leaves there are, the work is in proportion to them', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => index);
    const issues = many.map((index) => at(`/${index}`));
    const beside = (list: readonly number[], values: readonly JsonValue[]) => ({ list, ...Object.fromEntries(values.entries()) });
    expect(keepsValidPaths(beside(many, many), beside(many, many.map(String)), issues)).toBe(true);
    expect(keepsValidPaths(beside(many, many), beside(many.toReversed(), many), issues)).toBe(false);
  });
});
