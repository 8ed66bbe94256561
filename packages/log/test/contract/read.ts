import { describe, expect, it } from 'vitest';
import type { Broker } from '../../src/index.js';
import type { Bench } from './bench.js';
import { all, bytes, codeOf, text } from '../testDefinitions.js';

export function describeRead({ connect, place }: Bench): void {
  /** Appends `count` events and gives the first sequence. */
  const fill = async (broker: Broker, stem: string, count: number): Promise<number> => {
    const start = (await broker.log.lastSequence()) + 1;
    for (let i = 0; i < count; i++) await broker.log.append({ subject: place(stem), bytes: bytes(String(i)) });
    return start;
  };

  describe('read', () => {
    it('gives a bounded part in order, both ends included', async () => {
      const broker = await connect();
      const start = await fill(broker, 'part', 5);
      const events = await all(broker.log.read({ from: start + 1, to: start + 3 }));
      expect(events.map((e) => e.sequence)).toEqual([start + 1, start + 2, start + 3]);
      expect(events.map((e) => text(e.bytes))).toEqual(['1', '2', '3']);
    });

    it('ends at what stands when the bound lies behind the end', async () => {
      const broker = await connect();
      const start = await fill(broker, 'bound', 2);
      expect(await all(broker.log.read({ from: start, to: start + 1_000 }))).toHaveLength(2);
      expect(await all(broker.log.read({ from: start + 2, to: start + 1_000 }))).toHaveLength(0);
    });

    it('keeps to the subjects asked for, and ends when none of them or the last event is not among them', async () => {
      const broker = await connect();
      const start = await fill(broker, 'wanted', 2);
      const to = (await fill(broker, 'other', 2)) + 1;
      expect(await all(broker.log.read({ from: start, to, subject: 'stream.thought.wanted.>' }))).toHaveLength(2);
      expect(await all(broker.log.read({ from: start, to, subject: 'stream.thought.never.>' }))).toHaveLength(0);
    });

    it('goes on with what is appended later, until the signal', async () => {
      const broker = await connect();
      const start = await fill(broker, 'live', 1);
      const stop = new AbortController();
      const seen: number[] = [];
      for await (const event of broker.log.read({ from: start, signal: stop.signal })) {
        seen.push(event.sequence);
        if (seen.length < 3) await broker.log.append({ subject: place('live'), bytes: bytes('more') });
        else stop.abort();
      }
      expect(seen).toEqual([start, start + 1, start + 2]);
    });

    it('ends a waiting reader at the signal, without an error', async () => {
      const { log } = await connect();
      const stop = new AbortController();
      const reading = all(log.read({ from: (await log.lastSequence()) + 1, signal: stop.signal }));
      stop.abort();
      expect(await reading).toEqual([]);
    });

    it('reads thousands in order without gap or double', async () => {
      const broker = await connect();
      const start = (await broker.log.lastSequence()) + 1;
      const count = 3_000;
      await Promise.all(Array.from({ length: count }, () => broker.log.append({ subject: place('many'), bytes: bytes('x') })));
      const sequences = (await all(broker.log.read({ from: start, to: start + count - 1 }))).map((e) => e.sequence);
      expect(sequences).toEqual(Array.from({ length: count }, (_, i) => start + i));
    });

    it.each(['', 'stream..thought', 'stream.thought.a b', 'stream.thought.>.a', 'stream.thought.a*', `stream.${'x'.repeat(600)}`])(
      'refuses to read the subject %j, or to get it',
      async (subject) => {
        const { log } = await connect();
        expect(await codeOf(all(log.read({ from: 1, subject })))).toBe('subject_invalid');
        expect(await codeOf(log.get(subject))).toBe('subject_invalid');
      },
    );

    it('gets no pattern, for a place is one subject', async () => {
      const { log } = await connect();
      expect(await codeOf(log.get('stream.thought.*'))).toBe('subject_invalid');
    });

    it('refuses to start behind an end that lies before the reader', async () => {
      const { log } = await connect();
      const from = (await log.lastSequence()) + 2;
      expect(await codeOf(all(log.read({ from })))).toBe('log_went_back');
    });
  });
}
