import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compareRow, isByteEqual, nothingCompared } from '../src/domain/comparison.js';
import { decidePut } from '../src/domain/decidePut.js';
import { decideGeneration, isRunKey, META_KEY, type Meta } from '../src/domain/generation.js';
import { ROW_BYTES_MAX, viewNames } from '../src/domain/rows.js';
import { encodeViewValue, readViewValue } from '../src/domain/viewValue.js';

const value = (generation: number, position: number, row = '{"a":1}') => ({ generation, position, row });

describe('whether a row is put', () => {
  // ours is always (generation 2, position 20), folded to 30.
  it.each([
    ['nothing stands there', null, { kind: 'put' }],
    ['a smaller position', value(2, 19), { kind: 'put' }],
    ['an older generation, its position smaller', value(1, 10), { kind: 'put' }],
    ['an older generation, its position greater', value(1, 99), { kind: 'put' }],
    ['something unreadable', readViewValue(new Uint8Array([123])), { kind: 'put' }],
    ['the same pair and bytes', value(2, 20), { kind: 'skip', reason: 'same' }],
    ['a position that this fold has not reached', value(2, 31), { kind: 'skip', reason: 'ahead' }],
    ['a newer generation, its position smaller', value(3, 1), { kind: 'stop', cause: 'newer_generation' }],
    ['the same pair with other bytes', value(2, 20, '{"a":2}'), { kind: 'stop', cause: 'view_diverged' }],
    ['a greater position that this fold has passed', value(2, 30), { kind: 'stop', cause: 'view_diverged' }],
  ] as const)('where %s stands', (_what, existing, decision) => {
    expect(decidePut({ existing, ours: value(2, 20), foldedTo: 30 })).toEqual(decision);
  });
});

describe('which generation is written', () => {
  const ours = { log: 'a', projection: 2 };
  const meta = (change: Partial<Meta> = {}): Meta => ({ generation: 5, log: 'a', projection: 2, reported: 7, ...change });
  const taken = (generation: number, reported: number) => ({ kind: 'take', meta: { log: 'a', projection: 2, generation, reported } });

  it.each([
    ['start', 'none', null, 0, taken(1, 0)],
    ['start', 'its own', meta(), 0, { kind: 'adopt', meta: meta() }],
    ['start', 'one of another log', meta({ log: 'b' }), 0, taken(6, 0)],
    ['start', 'one of an older projection', meta({ projection: 1 }), 0, taken(6, 7)],
    ['start', 'one of a newer projection', meta({ projection: 3 }), 0, { kind: 'refuse', cause: 'projection_older' }],
    ['follow', 'a greater one of its own', meta(), 5, { kind: 'adopt', meta: meta() }],
    ['follow', 'one of another log', meta({ log: 'b' }), 5, { kind: 'refuse', cause: 'generation_of_others' }],
    ['follow', 'one of an older projection', meta({ projection: 1 }), 5, { kind: 'refuse', cause: 'generation_of_others' }],
    ['follow', 'one of a newer projection', meta({ projection: 3 }), 5, { kind: 'refuse', cause: 'projection_older' }],
    ['follow', 'one that is behind the rows', meta(), 8, taken(9, 7)],
    ['follow', 'none although rows have one', null, 8, taken(9, 0)],
    ['renew', 'its own', meta(), 0, taken(6, 7)],
    ['renew', 'one of a newer projection', meta({ projection: 3 }), 0, { kind: 'refuse', cause: 'projection_older' }],
    ['rebuild', 'its own', meta(), 0, taken(6, 7)],
    ['rebuild', 'one of a newer projection', meta({ projection: 3 }), 0, taken(6, 7)],
  ] as const)('on %s, where there is %s', (wish, _what, found, seen, decision) => {
    expect(decideGeneration({ meta: found, ours, wish, seen })).toEqual(decision);
  });

  it('stands under a key that no run has', () => {
    expect(isRunKey(META_KEY)).toBe(false);
    expect(isRunKey('_'.repeat(22))).toBe(true);
  });
});

describe('how a rebuilt row compares', () => {
  it.each([
    [value(1, 20), value(0, 20), 'equal'],
    [value(1, 20), value(0, 20, '{"a":2}'), 'different'],
    [value(1, 21), value(0, 20), 'different'],
    [value(1, 19), value(0, 20), 'behind'],
    [null, value(0, 20), 'missing'],
    [value(1, 20), null, 'surplus'],
  ] as const)('%#', (existing, rebuilt, comparison) => {
    expect(compareRow(existing, rebuilt)).toBe(comparison);
  });

  it.each([
    [{ equal: 3, behind: 2 }, true],
    [{ different: 1 }, false],
    [{ missing: 1 }, false],
    [{ surplus: 1 }, false],
  ])('%j is byte-equal: %s', (found, equal) => {
    expect(isByteEqual([nothingCompared, { ...nothingCompared, ...found }])).toBe(equal);
  });
});

describe('a value of a view', () => {
  it('is canonical JSON and comes back as it went', () => {
    const one = value(3, 12, '{"run":"x","text":"line\\nbreak } \\" ü"}');
    const bytes = encodeViewValue(one);
    expect(readViewValue(bytes)).toEqual(one);
    expect(Object.keys(JSON.parse(new TextDecoder().decode(bytes)) as object)).toEqual(['generation', 'position', 'row']);
  });

  it.each([
    '',
    'null',
    '{"generation":1,"position":2}',
    '{"position":2,"generation":1,"row":{}}',
    '{"generation":-1,"position":2,"row":{}}',
  ])('counts as older than everything where it is %s', (text) => {
    expect(readViewValue(new TextEncoder().encode(text))).toEqual({ generation: 0, position: 0, row: '' });
  });
});

describe('the largest row', () => {
  it('fits a bucket as it is deployed, its pair around it', () => {
    const { buckets } = JSON.parse(readFileSync(new URL('../../../deploy/jetstream.json', import.meta.url), 'utf8')) as {
      buckets: { name: string; maxValueBytes: number }[];
    };
    const largest = encodeViewValue(value(1e15 - 1, 1e15 - 1, 'x'.repeat(ROW_BYTES_MAX))).byteLength;
    for (const name of viewNames) expect(buckets.find((bucket) => bucket.name === name)?.maxValueBytes).toBeGreaterThanOrEqual(largest);
  });
});
