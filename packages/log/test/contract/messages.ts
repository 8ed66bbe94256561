import { describe, expect, it } from 'vitest';
import type { Bench } from './bench.js';
import { bytes, codeOf, first, text } from '../testDefinitions.js';

const ANSWER_BOUND_MS = 5_000;

export function describeMessages({ connect, place }: Bench): void {
  describe('messages', () => {
    it('republishes what was stored, and nothing of what was refused', async () => {
      const broker = await connect();
      const [one, two] = [place('told'), place('told')];
      const facts = broker.follow('fact.thought.told.>');
      await broker.log.append({ subject: one, bytes: bytes('1') });
      await broker.log.append({ subject: one, bytes: bytes('refused') });
      await broker.log.append({ subject: two, bytes: bytes('2') });
      const seen = await first(2, facts);
      expect(seen.map((m) => m.subject)).toEqual([one, two].map((subject) => subject.replace(/^stream/, 'fact')));
      expect(seen.map((m) => text(m.bytes))).toEqual(['1', '2']);
    });

    it('stores into the streams beside the log', async () => {
      const broker = await connect();
      await broker.store('incident.thought.test', bytes('{}'));
      expect(await codeOf(broker.store('nobody.takes.this', bytes('{}')))).toBe('no_responders');
    });

    it("answers requests, says when nobody does, and tells nothing of a handler's error", async () => {
      const [server, client] = [await connect(), await connect()];
      await server.serve('test.echo', { queue: 'q', handle: async (request) => bytes(`${request.subject} ${text(request.bytes)}`) });
      await server.serve('test.broken', { queue: 'q', handle: () => Promise.reject(new Error('secret')) });
      expect(text((await client.request('test.echo', bytes('hi'), ANSWER_BOUND_MS)).bytes)).toBe('test.echo hi');
      expect(await codeOf(client.request('test.nobody', bytes('hi'), ANSWER_BOUND_MS))).toBe('no_responders');
      const broken = await client.request('test.broken', bytes('hi'), ANSWER_BOUND_MS);
      expect(JSON.stringify([broken.headers, text(broken.bytes)])).not.toContain('secret');
      expect(broken.headers['Nats-Service-Error']).toBe('handler_failed');
    });

    it('stops serving at the signal', async () => {
      const broker = await connect();
      const stop = new AbortController();
      await broker.serve('test.stopped', { queue: 'q', signal: stop.signal, handle: async (request) => request.bytes });
      await broker.request('test.stopped', bytes('hi'), ANSWER_BOUND_MS);
      stop.abort();
      expect(await codeOf(broker.request('test.stopped', bytes('hi'), ANSWER_BOUND_MS))).toBe('no_responders');
    });

    it('proves that places can be written, without writing', async () => {
      const { log, proveWrite } = await connect();
      const before = await log.lastSequence();
      await proveWrite([place('proof'), 'trace.thought.proof', 'incident.thought.proof']);
      expect(await log.lastSequence()).toBe(before);
      expect(await codeOf(proveWrite(['nobody.takes.this']))).toBe('write_unproven');
    });
  });
}
