import { memoryBroker } from '@emend/log/memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomHistory } from '../../../test/support/randomHistory.js';
import { appendAll, foldedApart, freshFile, projecting, rebuilding, rowsIn } from './projectorFixture.js';

/** Where the writers pause, and what happens to the projector there. */
const pauses = fc.array(
  fc.record({ at: fc.nat(60), what: fc.constantFrom('goes on', 'restarts', 'loses its file', 'is joined by a second') }),
  { maxLength: 4 },
);

describe('the views of any history', () => {
  it('are the rows of a fold computed apart: live, in any batches, with any restarts and replicas, and rebuilt (I3)', async () => {
    await fc.assert(
      fc.asyncProperty(randomHistory(), pauses, fc.constantFrom(1, 3, 500), async (history, stops, batchMax) => {
        const broker = memoryBroker();
        const attempts = history.attempts;
        const batches = { batchMax, lingerMs: 1 };
        let file = freshFile();
        let live = await projecting(broker, { file, batches });
        const others: (typeof live)[] = [];
        let written = 0;
        for (const { at, what } of [...stops].sort((a, b) => a.at - b.at)) {
          const next = Math.max(at, written);
          await appendAll(broker, attempts.slice(written, next));
          written = Math.min(next, attempts.length);
          if (what === 'is joined by a second' && others.length === 0) others.push(await projecting(broker, { batches }));
          if (what !== 'restarts' && what !== 'loses its file') continue;
          await live.stop();
          if (what === 'loses its file') file = freshFile();
          live = await projecting(broker, { file, batches });
        }
        await appendAll(broker, attempts.slice(written));
        const last = history.log.events.length;
        for (const one of [live, ...others]) await one.reached(last);
        const apart = foldedApart(history.log.events);
        expect(await rowsIn(broker)).toEqual(apart);

        const rebuilt = await rebuilding(broker);
        expect(rebuilt).toMatchObject({ kind: 'rebuilt', byteEqual: true, position: last });
        expect(await rowsIn(broker)).toEqual(apart);
        for (const one of [live, ...others]) await one.stop();
      }),
      { numRuns: 25 },
    );
  });
});
