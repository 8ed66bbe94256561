import { expect, it } from 'vitest';
import { patienceOf } from '../src/index.js';

it('patience waits longer each time, up to its bound, and then no more', async () => {
  const waited: number[] = [];
  const patience = patienceOf({ boundMs: 2_000, longestMs: 500, wait: async (ms) => waited.push(ms) });
  while (await patience.again());
  expect(waited).toEqual([50, 100, 200, 400, 500, 500, 250]);
  expect(await patience.again()).toBe(false);
});

it('an aborted wait ends it', async () => {
  expect(await patienceOf({ boundMs: 2_000, wait: async () => 'aborted' }).again()).toBe(false);
});
