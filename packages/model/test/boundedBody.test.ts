import { describe, expect, it } from 'vitest';
import { answerBytesMax, readBounded } from '../src/boundedBody.js';

/** A body in these pieces, and whether its reader gave it up. */
function streamed(pieces: readonly Uint8Array[]) {
  let cancelled = false;
  const left = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = left.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
    cancel() {
      cancelled = true;
    },
  });
  return { response: new Response(body), cancelled: () => cancelled };
}

const bytes = (count: number): Uint8Array => new Uint8Array(count).fill(0x61);

describe('the body of an answer', () => {
  it.each([
    ['in one piece', [bytes(10)]],
    ['in several', [bytes(4), bytes(6)]],
  ])('%s is read up to its last byte', async (_name, pieces) => {
    expect(await readBounded(streamed(pieces).response, 10)).toBe('a'.repeat(10));
  });

  it.each([
    ['in one piece', [bytes(11)]],
    ['in several', [bytes(10), bytes(1), bytes(1)]],
  ])('%s is given up one byte later', async (_name, pieces) => {
    const { response, cancelled } = streamed([...pieces, bytes(1)]);
    expect(await readBounded(response, 10)).toBeNull();
    expect(cancelled()).toBe(true);
  });

  it('is counted in bytes, and a character may stand in two pieces', async () => {
    const [first = 0, second = 0] = Buffer.from('é');
    const pieces = [Uint8Array.of(first), Uint8Array.of(second)];
    expect(await readBounded(streamed(pieces).response, 2)).toBe('é');
    expect(await readBounded(streamed(pieces).response, 1)).toBeNull();
  });

  it('that is none is empty', async () => {
    expect(await readBounded(new Response(null), 0)).toBe('');
  });

  it('has the bound of a provider’s answer', () => {
    expect(answerBytesMax).toBe(256 * 1024);
  });
});
