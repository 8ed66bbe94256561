import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeFrame, FrameReader } from '../src/broker/framing.js';

describe('frames', () => {
  test('come out as they went in, however the stream is cut', () => {
    const message = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(fc.array(message, { maxLength: 5 }), fc.array(fc.nat(40), { maxLength: 40 }), (messages, cuts) => {
        const stream = Buffer.concat(messages.map(encodeFrame));
        const reader = new FrameReader(() => stream.length);
        const read: unknown[] = [];
        let at = 0;
        for (const length of [...cuts, stream.length]) {
          const { messages: some, breach } = reader.push(stream.subarray(at, at + length));
          expect(breach).toBeNull();
          read.push(...some);
          at += length;
        }
        expect(read).toEqual(messages.map((one) => JSON.parse(JSON.stringify(one)) as unknown));
      }),
    );
  });

  test('a length over the bound is refused on its header alone', () => {
    const reader = new FrameReader(() => 10);
    expect(reader.push(Buffer.from([0, 0, 0, 11]))).toEqual({ messages: [], breach: 'frame_too_large' });
  });

  test('what came before a breach is still read', () => {
    const reader = new FrameReader(() => 100);
    const garbage = Buffer.from([0, 0, 0, 1, 0x7b]);
    expect(reader.push(Buffer.concat([encodeFrame({ a: 1 }), garbage]))).toEqual({ messages: [{ a: 1 }], breach: 'frame_unreadable' });
  });
});
