import { foldLog } from '@emend/ledger';
import { memoryBroker } from '@emend/log/memory';
import { describe, expect, it } from 'vitest';
import { runStory } from '../../../test/support/history.js';
import { reconcile } from '../src/reconcile.js';
import { ViewWriter } from '../src/viewWriter.js';
import { appendAll, openTestFold, projecting, rowsIn, testEvents, valuesIn } from './projectorFixture.js';

const one = runStory({ reference: 'one' });
const two = runStory({ reference: 'two' });
const first = one.answered();
const second = [two.source(), two.started(), two.produced()];

describe('a reconcile', () => {
  it('folds up to what the view knows before it removes a row of an older generation', async () => {
    const broker = memoryBroker();
    await appendAll(broker, [...first, ...second]);
    const live = await projecting(broker);
    await live.reached(first.length + second.length);
    await live.stop();
    const before = await rowsIn(broker);

    const ledger = openTestFold();
    await foldLog({ ledger, log: broker.log, to: first.length });
    const bucket = await broker.view('effective-output');
    const writer = new ViewWriter({ name: 'effective-output', bucket, ledger, putsInFlight: 4, events: testEvents() });
    const { signal } = new AbortController();
    const catchUp = async () => foldLog({ ledger, log: broker.log, to: await broker.log.lastSequence() });
    expect(await reconcile({ writer, generation: 2, catchUp, signal })).toEqual({ kind: 'written' });
    expect(await rowsIn(broker)).toEqual(before);
    expect([...(await valuesIn(bucket)).values()].map(({ generation }) => generation)).toEqual([2, 2]);
    ledger.close();
  });
});
