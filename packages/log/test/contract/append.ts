import { describe, expect, it } from 'vitest';
import { EVENT_BYTES_MAX } from '../../src/index.js';
import type { Bench } from './bench.js';
import { all, bytes, codeOf, text } from '../testDefinitions.js';

const RACING_WRITERS = 8;
const RACED_PLACES = 120;

export function describeAppend({ connect, place }: Bench): void {
  describe('append', () => {
    it('stores an event and gives its sequence', async () => {
      const { log } = await connect();
      const before = await log.lastSequence();
      const subject = place();
      expect(await log.append({ subject, bytes: bytes('a') })).toEqual({ kind: 'appended', sequence: before + 1 });
      expect(await log.lastSequence()).toBe(before + 1);
    });

    it('answers the same bytes with `already`, and other bytes with what stands there', async () => {
      const { log } = await connect();
      const subject = place();
      const appended = await log.append({ subject, bytes: bytes('a') });
      const sequence = appended.kind === 'appended' ? appended.sequence : 0;
      expect(await log.append({ subject, bytes: bytes('a') })).toEqual({ kind: 'already', sequence });
      const conflict = await log.append({ subject, bytes: bytes('b') });
      expect(conflict.kind === 'conflict' && text(conflict.existing.bytes)).toBe('a');
      expect(await log.lastSequence()).toBe(sequence);
    });

    it("gives back its headers and none of the broker's, whichever way it is read", async () => {
      const { log } = await connect();
      const subject = place();
      const headers = { traceparent: '00-1', 'content-type': 'application/cloudevents+json' };
      const appended = await log.append({ subject, bytes: bytes('a'), headers });
      const sequence = appended.kind === 'appended' ? appended.sequence : 0;
      const stored = { subject, sequence, bytes: bytes('a'), headers };
      const found = [await log.get(subject), await log.at(sequence), ...(await all(log.read({ from: sequence, to: sequence })))];
      expect(found.map((e) => ({ ...e, bytes: text(e?.bytes) }))).toEqual(Array(3).fill({ ...stored, bytes: 'a' }));
    });

    it('takes an event of the largest size with headers, and refuses one byte more for good', async () => {
      const { log } = await connect();
      const headers = { note: 'x'.repeat(3_000) };
      expect((await log.append({ subject: place(), bytes: new Uint8Array(EVENT_BYTES_MAX), headers })).kind).toBe('appended');
      expect(await codeOf(log.append({ subject: place(), bytes: new Uint8Array(EVENT_BYTES_MAX + 1) }))).toBe('too_large');
    });

    it.each(['', 'stream.thought.*', 'stream.thought.>', 'stream..thought', 'stream.thought.a b', `stream.${'x'.repeat(600)}`])(
      'refuses the subject %j',
      async (subject) => {
        const { log } = await connect();
        expect(await codeOf(log.append({ subject, bytes: bytes('a') }))).toBe('subject_invalid');
      },
    );

    const refusedHeaders: Record<string, string>[] = [
      { 'Nats-Msg-Id': '1' },
      { 'nats-rollup': 'all' },
      { note: 'two\r\nlines' },
      { 'a b': 'c' },
    ];
    it.each(refusedHeaders)('refuses the header %j', async (headers) => {
      const { log } = await connect();
      expect(await codeOf(log.append({ subject: place(), bytes: bytes('a'), headers }))).toBe('header_invalid');
    });

    it('refuses a subject that another stream takes', async () => {
      const { log } = await connect();
      expect(await codeOf(log.append({ subject: 'trace.thought.a', bytes: bytes('a') }))).toBe('stream_unfit');
    });

    it(`stores exactly one of ${RACING_WRITERS} racing writers on each of ${RACED_PLACES} places, and tells all of them which`, async () => {
      const brokers = await Promise.all(Array.from({ length: RACING_WRITERS }, connect));
      const logs = brokers.map((broker) => broker.log);
      const before = (await logs[0]?.lastSequence()) ?? 0;
      const raced = Array.from({ length: RACED_PLACES }, async () => {
        const subject = place('raced');
        const outcomes = await Promise.all(logs.map((log, writer) => log.append({ subject, bytes: bytes(`writer ${writer}`) })));
        return { subject, outcomes };
      });
      for (const { subject, outcomes } of await Promise.all(raced)) {
        const standing = text((await logs[0]?.get(subject))?.bytes);
        const winners = outcomes.flatMap((o, writer) => (o.kind === 'appended' || o.kind === 'already' ? [`writer ${writer}`] : []));
        expect(winners).toEqual([standing]);
        const told = outcomes.flatMap((o) => (o.kind === 'conflict' ? [text(o.existing.bytes)] : []));
        expect(told).toEqual(Array(RACING_WRITERS - 1).fill(standing));
      }
      expect(await logs[0]?.lastSequence()).toBe(before + RACED_PLACES);
    });

    it('finds nothing on an empty place and behind the end', async () => {
      const { log } = await connect();
      expect(await log.get(place())).toBeNull();
      expect(await log.at((await log.lastSequence()) + 1)).toBeNull();
    });
  });
}
