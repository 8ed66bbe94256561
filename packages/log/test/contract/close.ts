import { describe, expect, it } from 'vitest';
import type { Bench } from './bench.js';
import { all, bytes, codeOf } from '../testDefinitions.js';

export function describeClose({ connect, place }: Bench): void {
  describe('close', () => {
    it('ends every iterator, settles `closed`, and may be called twice', async () => {
      const broker = await connect();
      const view = await broker.view('effective-output');
      const from = (await broker.log.lastSequence()) + 1;
      const running = [
        all(broker.log.read({ from })),
        all(broker.log.consume({ durable: 'ended' })),
        all(broker.follow('fact.never')),
        all(view.watch({ key: 'never' })),
      ];
      await Promise.all([broker.close(), broker.close()]);
      await broker.close();
      await broker.closed;
      for (const seen of await Promise.all(running)) expect(seen.filter((item) => item !== 'current')).toEqual([]);
    });

    it('leaves nothing that could be mistaken for an answer of the broker', async () => {
      const broker = await connect();
      await broker.close();
      expect(await broker.log.append({ subject: place(), bytes: bytes('a') })).toEqual({ kind: 'unknown', cause: 'closed' });
      expect(await codeOf(broker.log.lastSequence())).toBe('closed');
      expect(await codeOf(broker.store('incident.thought.test', bytes('a')))).toBe('closed');
    });
  });
}
