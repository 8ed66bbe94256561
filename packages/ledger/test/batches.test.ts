import { describe, expect, it } from 'vitest';
import { batchesOf } from '../src/index.js';

async function collect<Item>(batches: AsyncIterable<readonly Item[]>): Promise<(readonly Item[])[]> {
  const all: (readonly Item[])[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}

async function* counted(count: number): AsyncGenerator<number> {
  for (let n = 1; n <= count; n += 1) yield n;
}

describe('batches', () => {
  it.each([
    [0, []],
    [1, [[1]]],
    [
      4,
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [5, [[1, 2], [3, 4], [5]]],
  ])('cut %i items into full batches and a rest', async (count, batches) => {
    expect(await collect(batchesOf(counted(count), { batchMax: 2 }))).toEqual(batches);
  });

  it('give what has come when the source falls silent, and lose nothing of what comes later', async () => {
    let more: () => void = () => {};
    const silence = new Promise<void>((resolve) => {
      more = resolve;
    });
    async function* slow(): AsyncGenerator<string> {
      yield 'early';
      await silence;
      yield 'late';
    }
    const seen: string[] = [];
    for await (const batch of batchesOf(slow(), { lingerMs: 1 })) {
      seen.push(batch.join());
      more();
    }
    expect(seen).toEqual(['early', 'late']);
  });

  it('pass on what the source throws, after what came before', async () => {
    async function* failing(): AsyncGenerator<number> {
      yield 1;
      throw new Error('gone');
    }
    const seen: number[] = [];
    await expect(
      (async () => {
        for await (const batch of batchesOf(failing(), { batchMax: 1 })) seen.push(...batch);
      })(),
    ).rejects.toThrow('gone');
    expect(seen).toEqual([1]);
  });

  it('let go of the source when the reader leaves', async () => {
    let ended = false;
    async function* endless(): AsyncGenerator<number> {
      try {
        for (let n = 0; ; n += 1) yield n;
      } finally {
        ended = true;
      }
    }
    for await (const batch of batchesOf(endless(), { batchMax: 3 })) if (batch.includes(5)) break;
    await Promise.resolve();
    expect(ended).toBe(true);
  });
});
