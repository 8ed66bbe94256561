import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap, type Broker, connect, type Definitions, parseDefinitions } from '@emend/log';
import { startTestServer, type TestServer, workspaceRoot } from '@emend/log/server';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { garbageOn, runStory } from '../../../test/support/history.js';
import { type Attempt, randomHistory } from '../../../test/support/randomHistory.js';
import { viewNames } from '../src/domain/rows.js';
import { appendAll, foldedApart, freshFile, generationsIn, metaIn, projecting, rebuilding, rowsIn, until } from './projectorFixture.js';

const MEBIBYTE = 1_048_576;
const shipped = parseDefinitions(JSON.parse(readFileSync(join(workspaceRoot(), 'deploy/jetstream.json'), 'utf8')));

/** The shipped definitions, small, under the names of one test. */
const small: Definitions = {
  ...shipped,
  streams: shipped.streams.map((stream) => ({ ...stream, maxBytes: 64 * MEBIBYTE })),
  buckets: shipped.buckets.map((bucket) => ({ ...bucket, maxBytes: 16 * MEBIBYTE })),
};

let server: TestServer;
let broker: Broker;
const brokers: Broker[] = [];

const dial = async (): Promise<Broker> => {
  const dialled = await connect({ servers: server.url, name: 'projector-test', stream: 'THOUGHT' });
  brokers.push(dialled);
  return dialled;
};

// A server for each test: the log of one cannot be emptied for the next.
beforeEach(async () => {
  server = await startTestServer();
  await bootstrap({ servers: server.url, definitions: small });
  broker = await dial();
});
afterEach(async () => {
  await Promise.all(brokers.splice(0).map((one) => one.close()));
  await server.remove();
});

const stories = Array.from({ length: 12 }, (_, index) => runStory({ reference: `run-${index}` }));

/** Runs of every kind, woven into each other. */
function woven(): readonly Attempt[] {
  const [declared] = stories.map((story) => story.declared.slice(0, 3));
  const each = stories.map((story, index): readonly Attempt[] => {
    if (index % 3 === 0) return [story.source(), story.started(), story.produced(), story.chain('anna', story.output).accept()];
    if (index % 3 === 1) return [story.source(), story.started(), story.failed(), garbageOn(story.request().subject)];
    const anna = story.chain('anna', story.proposed);
    const ben = story.chain('ben', story.proposed);
    return [...story.repaired().slice(3), anna.accept(), ben.reject(), anna.retract(), anna.accept()];
  });
  const longest = Math.max(...each.map((events) => events.length));
  const turns = Array.from({ length: longest }, (_, turn) => each.flatMap((events) => events.slice(turn, turn + 1)));
  return [...(declared ?? []), ...turns.flat()];
}

const events = woven();
const apart = (of: readonly Attempt[]) => foldedApart(of.map((event, index) => ({ ...event, sequence: index + 1 })));

describe('over JetStream', () => {
  it('the views are the rows of a fold computed apart, live and rebuilt', async () => {
    const live = await projecting(broker);
    await appendAll(broker, events);
    await live.reached(events.length);
    expect(await rowsIn(broker)).toEqual(apart(events));
    expect(await rebuilding(await dial())).toMatchObject({ kind: 'rebuilt', byteEqual: true, generation: 2, position: events.length });
    expect(await rowsIn(broker)).toEqual(apart(events));
    await until(async () => (await metaIn(broker))?.generation === 2, 'the second generation');
    await live.stop();
  });

  it('a random history comes out the same', async () => {
    const [history] = fc.sample(randomHistory({ runsMax: 3 }), { numRuns: 1, seed: 2026 });
    const live = await projecting(broker, { batches: { batchMax: 2, lingerMs: 1 } });
    await appendAll(broker, history?.attempts ?? []);
    const log = history?.log.events ?? [];
    await live.reached(log.length);
    expect(await rowsIn(broker)).toEqual(foldedApart(log));
    await live.stop();
  });

  it('two replicas write one view, each over its own connection', async () => {
    const [one, two] = [await projecting(await dial()), await projecting(await dial())];
    await appendAll(broker, events);
    await Promise.all([one.reached(events.length), two.reached(events.length)]);
    expect(await rowsIn(broker)).toEqual(apart(events));
    expect(await generationsIn(broker)).toEqual([1]);
    expect([await one.stop(), await two.stop()]).toEqual([{ kind: 'drained' }, { kind: 'drained' }]);
  });

  it('a broker that is killed in the middle costs nothing', async () => {
    const live = await projecting(broker);
    const half = Math.floor(events.length / 2);
    await appendAll(broker, events.slice(0, half));
    await server.kill9();
    await server.restart();
    await appendAll(broker, events.slice(half));
    await live.reached(events.length);
    expect(await rowsIn(broker)).toEqual(apart(events));
    await live.stop();
  });

  it('while a view is rebuilt beside a live projector, no key is ever missing', async () => {
    const half = Math.floor(events.length / 2);
    const live = await projecting(broker);
    await appendAll(broker, events.slice(0, half));
    await live.reached(half);
    const watching = new AbortController();
    const removed: string[] = [];
    const watches = viewNames.map(async (name) => {
      const view = await (await dial()).view(name);
      for await (const change of view.watch({ signal: watching.signal }))
        if (change !== 'current' && change.bytes === null) removed.push(change.key);
    });
    const rebuilds = (async () => {
      const other = await dial();
      for (let n = 0; n < 3; n += 1) expect(await rebuilding(other)).toMatchObject({ kind: 'rebuilt' });
    })();
    await appendAll(broker, events.slice(half));
    await rebuilds;
    await live.reached(events.length);
    await until(async () => (await generationsIn(broker)).join() === String((await metaIn(broker))?.generation), 'one generation');
    expect(await rowsIn(broker)).toEqual(apart(events));
    watching.abort();
    await Promise.all(watches);
    expect(removed).toEqual([]);
    await live.stop();
  });

  it('a file that was lost, and one that is behind, lead to the same rows', async () => {
    const file = freshFile();
    const first = await projecting(broker, { file });
    await appendAll(broker, events.slice(0, 20));
    await first.reached(20);
    await first.stop();
    const second = await projecting(broker);
    await appendAll(broker, events.slice(20));
    await second.reached(events.length);
    await second.stop();
    const third = await projecting(broker, { file });
    await third.reached(events.length);
    expect(await rowsIn(broker)).toEqual(apart(events));
    expect(await metaIn(broker)).toMatchObject({ generation: 1 });
    await third.stop();
  });
});

let shared: TestServer;
beforeAll(async () => {
  shared = await startTestServer();
});
afterAll(() => shared.remove());

describe('a broker without its buckets', () => {
  it('is told of by name', async () => {
    const bare = await connect({ servers: shared.url, name: 'projector-test', stream: 'THOUGHT' });
    await expect(projecting(bare)).rejects.toMatchObject({ name: 'RefusedToStart', code: 'views_missing' });
    await bare.close();
  });
});
