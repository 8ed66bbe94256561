import { describe, expect, it } from 'vitest';
import type { Bench } from './bench.js';
import { all, bytes, codeOf, first, text } from '../testDefinitions.js';

export function describeConsume({ connect, place, redeliver }: Bench): void {
  describe('consume', () => {
    it('delivers what the durable is for, once each when acknowledged', async () => {
      const broker = await connect();
      await broker.log.append({ subject: place('acked'), bytes: bytes('1') });
      await broker.log.append({ subject: place('not-for-it'), bytes: bytes('x') });
      await broker.log.append({ subject: place('acked'), bytes: bytes('2') });
      const seen: string[] = [];
      for await (const delivery of broker.log.consume({ durable: 'acked' })) {
        seen.push(`${text(delivery.event.bytes)} ${delivery.deliveries}`);
        delivery.working();
        await delivery.ack();
        if (seen.length === 2) break;
      }
      expect(seen).toEqual(['1 1', '2 1']);
    });

    it('brings back what was refused, and counts', async () => {
      const broker = await connect();
      await broker.log.append({ subject: place('refused'), bytes: bytes('1') });
      const counts: number[] = [];
      for await (const delivery of broker.log.consume({ durable: 'refused' })) {
        counts.push(delivery.deliveries);
        if (delivery.deliveries === 3) {
          await delivery.ack();
          break;
        }
        delivery.nak(0);
      }
      expect(counts).toEqual([1, 2, 3]);
    });

    it('brings back what nobody spoke about, to another connection too', async () => {
      const left = await connect();
      await left.log.append({ subject: place('silent'), bytes: bytes('1') });
      await first(1, left.log.consume({ durable: 'silent' }));
      redeliver();
      const right = await connect();
      const [again] = await first(1, right.log.consume({ durable: 'silent' }));
      expect(again?.deliveries).toBeGreaterThan(1);
      await again?.ack();
    });

    it('has nothing waiting behind a handler at work', async () => {
      const busy = await connect();
      for (const body of ['1', '2']) await busy.log.append({ subject: place('patient'), bytes: bytes(body) });
      const working = busy.log.consume({ durable: 'patient' })[Symbol.asyncIterator]();
      const held = await working.next();
      // Another connection gets the second one while the first is still in work.
      const free = await connect();
      for await (const other of free.log.consume({ durable: 'patient' })) {
        await other.ack();
        if (text(other.event.bytes) === '2') break;
      }
      if (!held.done) await held.value.ack();
      await working.return?.();
    });

    it('ends at the signal, and never makes a durable', async () => {
      const { log } = await connect();
      const stop = new AbortController();
      const consuming = all(log.consume({ durable: 'ended', signal: stop.signal }));
      stop.abort();
      expect(await consuming).toEqual([]);
      expect(await codeOf(all(log.consume({ durable: 'nobody-made-it' })))).toBe('consumer_missing');
    });
  });
}
