import { type MemoryBroker, memoryBroker } from '@emend/log/memory';
import { describe, expect, it } from 'vitest';
import { garbageOn, runStory, tampered } from '../../../test/support/history.js';
import type { Attempt } from '../../../test/support/randomHistory.js';
import { viewNames } from '../src/domain/rows.js';
import { encodeViewValue, readViewValue } from '../src/domain/viewValue.js';
import { force, wipe } from './metaOf.js';
import { appendAll, foldedApart, freshFile, generationsIn, metaIn, projecting, rebuilding, rowsIn, until } from './projectorFixture.js';

const one = runStory({ reference: 'one' });
const two = runStory({ reference: 'two' });
const first = [...one.repaired(), one.chain('anna', one.proposed).accept()];
const second = [two.source(), two.started(), two.produced()];

async function brokerWith(events: readonly Attempt[]): Promise<MemoryBroker> {
  const broker = memoryBroker();
  await appendAll(broker, events);
  return broker;
}

/** Keeps other rows than it was given. */
function forgetful(broker: MemoryBroker): MemoryBroker {
  const view: MemoryBroker['view'] = async (name) => {
    const kept = await broker.view(name);
    const put: typeof kept.put = (key, bytes, revision) => {
      const { generation, position, row } = readViewValue(bytes);
      return kept.put(key, row === '' ? bytes : encodeViewValue({ generation, position, row: '{"other":true}' }), revision);
    };
    return { ...kept, put };
  };
  return { ...broker, view };
}

const apart = (events: readonly Attempt[]) => foldedApart(events.map((event, index) => ({ ...event, sequence: index + 1 })));

describe('a generation', () => {
  it('is the first on an empty view, and kept over a restart', async () => {
    const broker = await brokerWith(first);
    const file = freshFile();
    for (let start = 0; start < 3; start += 1) {
      const live = await projecting(broker, { file });
      await live.reached(first.length);
      await live.stop();
      expect(await metaIn(broker)).toMatchObject({ generation: 1, projection: 1 });
    }
    expect(await generationsIn(broker)).toEqual([1]);
    expect(await rowsIn(broker)).toEqual(apart(first));
  });

  it('is kept where the file was lost: the rows are compared, not written again', async () => {
    const broker = await brokerWith(first);
    const before = await projecting(broker);
    await before.reached(first.length);
    await before.stop();
    const views = await Promise.all(viewNames.map((name) => broker.view(name)));
    const revisions = async () => Promise.all(views.map(async (view) => (await view.get(one.run))?.revision));
    const standing = await revisions();
    const after = await projecting(broker);
    await after.reached(first.length);
    await after.stop();
    expect(await revisions()).toEqual(standing);
    expect(await metaIn(broker)).toMatchObject({ generation: 1 });
  });

  it('waits for the first event of an empty log', async () => {
    const broker = memoryBroker();
    const live = await projecting(broker);
    expect(await metaIn(broker)).toBeNull();
    await appendAll(broker, first);
    await live.reached(first.length);
    expect(await rowsIn(broker)).toEqual(apart(first));
    await live.stop();
  });

  it('is put back whole where the buckets were wiped', async () => {
    const broker = await brokerWith(first);
    const file = freshFile();
    const before = await projecting(broker, { file });
    await before.reached(first.length);
    await before.stop();
    for (const name of viewNames) await wipe(await broker.view(name));
    const after = await projecting(broker, { file });
    await after.reached(first.length);
    expect(await rowsIn(broker)).toEqual(apart(first));
    await after.stop();
  });

  it('is found again above the rows where only the meta value was lost', async () => {
    const broker = await brokerWith(first);
    await rebuilding(broker);
    await rebuilding(broker);
    const view = await broker.view('effective-output');
    const meta = await view.get('_meta');
    await view.remove('_meta', meta?.revision ?? 0);
    const live = await projecting(broker);
    await live.reached(first.length);
    await until(async () => (await generationsIn(broker)).join() === '3', 'a third generation');
    expect(await metaIn(broker)).toMatchObject({ generation: 3 });
    expect(await rowsIn(broker)).toEqual(apart(first));
    await live.stop();
  });

  it('is a new one where the log was replaced, and rows that the new log does not give are gone', async () => {
    const file = freshFile();
    const old = await brokerWith(first);
    const before = await projecting(old, { file });
    await before.reached(first.length);
    await before.stop();

    const replaced = await brokerWith([...two.declared, two.started(), two.produced()]);
    for (const name of viewNames) {
      const [from, to] = [await old.view(name), await replaced.view(name)];
      for await (const key of from.keys()) await to.put(key, (await from.get(key))?.bytes ?? new Uint8Array(), 0);
    }
    const after = await projecting(replaced, { file });
    await after.reached(6);
    expect(await generationsIn(replaced)).toEqual([2]);
    expect(Object.keys((await rowsIn(replaced))['effective-output'])).toEqual([two.run]);
    expect(Object.keys((await rowsIn(replaced))['review-queue'])).toEqual([]);
    await after.stop();
  });

  it('is a new one where the log lost its tail, although it begins alike', async () => {
    const file = freshFile();
    const old = await brokerWith([...first, ...second]);
    const before = await projecting(old, { file });
    await before.reached(first.length + second.length);
    await before.stop();
    const shorter = await brokerWith(first);
    const view = await shorter.view('effective-output');
    for await (const key of (await old.view('effective-output')).keys()) {
      await view.put(key, (await (await old.view('effective-output')).get(key))?.bytes ?? new Uint8Array(), 0);
    }
    const after = await projecting(shorter, { file });
    await after.reached(first.length);
    expect(await metaIn(shorter)).toMatchObject({ generation: 2 });
    expect(await rowsIn(shorter)).toEqual(apart(first));
    await after.stop();
  });

  it('is a new one where file and tail were lost together: the view knows events that the log does not', async () => {
    const broker = await brokerWith(first);
    const live = await projecting(broker);
    await live.reached(first.length);
    await live.stop();
    const view = await broker.view('effective-output');
    const standing = await view.get(one.run);
    const { row } = readViewValue(standing?.bytes ?? new Uint8Array());
    await force(view, one.run, `{"generation":1,"position":99,"row":${row}}`);
    const after = await projecting(broker);
    await after.reached(first.length);
    await until(async () => (await metaIn(broker))?.generation === 2, 'a second generation');
    await after.reached(first.length);
    expect(await rowsIn(broker)).toEqual(apart(first));
    await after.stop();
  });

  it('that is greater is adopted while live, and what came meanwhile is in it', async () => {
    const broker = await brokerWith(first);
    const live = await projecting(broker);
    await live.reached(first.length);
    expect(await rebuilding(broker)).toMatchObject({ generation: 2, byteEqual: true });
    await appendAll(broker, second);
    await live.reached(first.length + second.length);
    await until(async () => (await generationsIn(broker)).join() === '2', 'all rows in generation 2');
    expect(await rowsIn(broker)).toEqual(apart([...first, ...second]));
    await live.stop();
  });

  it.each([
    ['another log', { log: '0'.repeat(64), projection: 1 }, 'generation_of_others'],
    ['a newer projection', { projection: 2 }, 'projection_older'],
  ])('of %s ends a live projector with a clear cause', async (_what, change, cause) => {
    const broker = await brokerWith(first);
    const live = await projecting(broker);
    await live.reached(first.length);
    const meta = await metaIn(broker);
    await force(await broker.view('effective-output'), '_meta', JSON.stringify({ ...meta, ...change, generation: 9 }));
    expect(await live.ended).toEqual({ kind: 'stopped', cause });
    await live.stop();
  });

  it('of a newer projection keeps an older one from starting', async () => {
    const broker = await brokerWith(first);
    const newer = await projecting(broker, { projection: 2 });
    await newer.reached(first.length);
    const older = await projecting(broker, { projection: 1 });
    expect(await older.ended).toEqual({ kind: 'stopped', cause: 'projection_older' });
    await newer.stop();
    expect(await metaIn(broker)).toMatchObject({ generation: 1, projection: 2 });
  });

  it('is taken by a newer projection, and the older live one ends', async () => {
    const broker = await brokerWith(first);
    const older = await projecting(broker, { projection: 1 });
    await older.reached(first.length);
    const newer = await projecting(broker, { projection: 2 });
    expect(await older.ended).toEqual({ kind: 'stopped', cause: 'projection_older' });
    await newer.reached(first.length);
    expect(await generationsIn(broker)).toEqual([2]);
    await newer.stop();
  });
});

describe('a view that says something else', () => {
  it('is put right from the log in a new generation', async () => {
    const broker = await brokerWith(first);
    const live = await projecting(broker);
    await live.reached(first.length);
    await live.stop();
    const view = await broker.view('effective-output');
    const entry = await view.get(one.run);
    const { position } = readViewValue(entry?.bytes ?? new Uint8Array());
    await force(view, one.run, `{"generation":1,"position":${position},"row":{"forged":true}}`);
    const after = await projecting(broker);
    await until(async () => (await metaIn(broker))?.generation === 2, 'a second generation');
    await after.reached(first.length);
    expect(await rowsIn(broker)).toEqual(apart(first));
    await after.stop();
  });

  it('a second time ends the projector: folding anew does not help', async () => {
    const broker = forgetful(await brokerWith(first));
    const live = await projecting(broker);
    await live.reached(first.length);
    await live.stop();
    const after = await projecting(broker);
    await until(async () => (await metaIn(broker))?.generation === 2, 'a second generation');
    await after.reached(first.length);
    await rebuilding(broker);
    expect(await after.ended).toEqual({ kind: 'stopped', cause: 'view_diverged' });
    await after.stop();
  });

  it('is counted by a rebuild: different, missing and surplus rows, all put right', async () => {
    const broker = await brokerWith([...first, ...second]);
    const live = await projecting(broker);
    await live.reached(first.length + second.length);
    await live.stop();
    const [effective, review] = [await broker.view('effective-output'), await broker.view('review-queue')];
    const position = readViewValue((await effective.get(one.run))?.bytes ?? new Uint8Array()).position;
    await force(effective, one.run, `{"generation":1,"position":${position},"row":{"forged":true}}`);
    const standing = await effective.get(two.run);
    await effective.remove(two.run, standing?.revision ?? 0);
    await force(review, 'nobody'.padEnd(22, '_'), '{"generation":1,"position":3,"row":{"forged":true}}');
    expect(await rebuilding(broker)).toMatchObject({
      kind: 'rebuilt',
      byteEqual: false,
      generation: 2,
      views: {
        'effective-output': { equal: 0, different: 1, missing: 1, surplus: 0 },
        'review-queue': { equal: 1, different: 0, missing: 0, surplus: 1 },
      },
    });
    expect(await rowsIn(broker)).toEqual(apart([...first, ...second]));
    expect(await rebuilding(broker)).toMatchObject({ byteEqual: true, generation: 3 });
  });
});

describe('a rebuild', () => {
  it('that has not seen the newest events follows the view before it removes anything', async () => {
    const broker = await brokerWith([...first, ...second]);
    const live = await projecting(broker);
    await live.reached(first.length + second.length);
    await live.stop();
    const removed: string[] = [];
    const watching = new AbortController();
    const view = await broker.view('effective-output');
    const watch = (async () => {
      for await (const change of view.watch({ signal: watching.signal }))
        if (change !== 'current' && change.bytes === null) removed.push(change.key);
    })();
    // As when the log grows after the rebuild has asked how long it is.
    const lengths = [first.length, first.length];
    const growing = { ...broker, log: { ...broker.log, lastSequence: async () => lengths.shift() ?? broker.log.lastSequence() } };
    expect(await rebuilding(growing)).toMatchObject({ kind: 'rebuilt', byteEqual: true, position: first.length + second.length });
    expect(await rowsIn(broker)).toEqual(apart([...first, ...second]));
    watching.abort();
    await watch;
    expect(removed).toEqual([]);
  });

  it('asks nobody, stores no event and reports nothing: a replay has no side effects (F38)', async () => {
    const broker = await brokerWith([...first, ...second]);
    const alone = (what: string) => () => Promise.reject(new Error(`a rebuild may not ${what}`));
    const reading: MemoryBroker = {
      ...broker,
      log: { ...broker.log, append: alone('append') },
      request: alone('ask'),
      store: alone('store'),
    };
    for (let times = 0; times < 2; times += 1) expect(await rebuilding(reading)).toMatchObject({ kind: 'rebuilt' });
    expect(await rowsIn(broker)).toEqual(apart([...first, ...second]));
    expect([await broker.log.lastSequence(), broker.stored.length]).toEqual([first.length + second.length, 0]);
  });

  it('of an empty log changes nothing', async () => {
    const broker = memoryBroker();
    expect(await rebuilding(broker)).toEqual({ kind: 'log_empty' });
    expect(await metaIn(broker)).toBeNull();
  });
});

describe('an event of a newer writer', () => {
  const newer = tampered(two.produced(), { envelope: { type: 'stream.thought.derived.output.produced@2' } });

  it('halts a live projector before it, which says so once and waits, its rows put', async () => {
    const broker = await brokerWith(first);
    const live = await projecting(broker);
    await live.reached(first.length);
    await appendAll(broker, [two.source(), two.started(), newer, one.chain('ben', one.proposed).reject()]);
    await until(() => live.health.get('fold') === 'unknown_version', 'the halt');
    await until(() => viewNames.every((view) => live.ledger.changedCount(view) === 0), 'all rows put');
    expect(live.ledger.position()).toBe(first.length + 2);
    expect(await rowsIn(broker)).toEqual(apart([...first, two.source(), two.started()]));
    await until(() => broker.stored.length === 1, 'one incident');
    expect(broker.stored[0]?.subject).toBe('incident.thought.projector.unknown_version');
    expect(await live.stop()).toEqual({ kind: 'drained' });
  });

  it('leaves a view alone that it cannot be brought up to', async () => {
    const broker = await brokerWith([...first, newer]);
    const live = await projecting(broker);
    await until(() => live.health.get('fold') === 'unknown_version', 'the halt');
    expect(await metaIn(broker)).toBeNull();
    expect(await live.stop()).toEqual({ kind: 'drained' });
    expect(await rebuilding(broker)).toEqual({ kind: 'unknown_version', halt: { subject: newer.subject, sequence: first.length + 1 } });
    expect(await metaIn(broker)).toBeNull();
  });
});

describe('void events', () => {
  const broken = [
    garbageOn('stream.thought.source.note.captured.notes.x', 'a-secret'),
    garbageOn(`stream.thought.judgment.${one.run}.chain.1`, 'a-secret'),
  ];

  it('have one incident each, over replicas, restarts, a lost file and a rebuild, and no text in it', async () => {
    const broker = await brokerWith([...first, ...broken]);
    const length = first.length + broken.length;
    const told = () => broker.stored.map(({ subject, bytes }) => `${subject} ${new TextDecoder().decode(bytes)}`);
    const live = await projecting(broker);
    await live.reached(length);
    await until(async () => (await metaIn(broker))?.reported === length, 'the watermark');
    const other = await projecting(broker);
    await other.reached(length);
    await Promise.all([live.stop(), other.stop()]);
    await rebuilding(broker);
    const fresh = await projecting(broker);
    await fresh.reached(length);
    await fresh.stop();
    expect(told()).toEqual(
      broken.map(
        ({ subject }, index) =>
          `incident.thought.projector.not_json {"code":"not_json","sequence":${first.length + 1 + index},"service":"projector","subject":"${subject}","time":"1970-01-01T00:00:00.000Z"}`,
      ),
    );
    expect(told().join().includes('a-secret')).toBe(false);
  });
});
