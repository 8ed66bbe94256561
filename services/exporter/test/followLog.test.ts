import type { EncodedEvent } from '@emend/contracts';
import { openLedger } from '@emend/ledger';
import { type MemoryBroker, memoryBroker } from '@emend/log/memory';
import Database from 'better-sqlite3';
import { manualTime, silentLogger, createMetrics } from '@emend/runtime';
import { expect, it } from 'vitest';
import { observed, runStory, tampered } from '../../../test/support/history.js';
import { nodeDisk } from '../src/adapters/nodeDisk.js';
import { exportView } from '../src/adapters/ownLedger.js';
import { exporterEvents } from '../src/events.js';
import { ExportFolder } from '../src/exportFolder.js';
import { followLog } from '../src/followLog.js';
import type { Disk } from '../src/ports.js';
import type { Written } from '../src/writeExport.js';
import { exportTo, filesUnder, freshFolder } from './exports.js';
import { ExporterError } from '../src/errors.js';
import { foldedEvents, policyOf } from './folded.js';

type Event = Pick<EncodedEvent, 'subject' | 'bytes'>;
const append = async (broker: MemoryBroker, events: readonly Event[]): Promise<void> => {
  for (const { subject, bytes } of events) await broker.log.append({ subject, bytes });
};

const run = runStory();
const intervalMs = 5_000;

/** The exporter's loop over a broker in memory, with time that moves when told. */
function following(options: { readonly disk?: Disk; readonly root?: string; readonly file?: string } = {}) {
  const { disk = nodeDisk, root = freshFolder(), file = `${freshFolder()}.sqlite` } = options;
  const broker = memoryBroker();
  const ledger = openLedger({ file, version: 'test', views: [exportView] });
  const time = manualTime();
  const stop = new AbortController();
  const written: Written['kind'][] = [];
  const healths: string[] = [];
  const events = exporterEvents(silentLogger, createMetrics({ service: 'test' }));
  const folder = new ExportFolder({ disk, root, writer: { host: 'here', pid: 1, isAlive: () => false } });
  const start = () =>
    followLog({
      ledger,
      log: broker.log,
      policy: policyOf(ledger),
      folder,
      events: { ...events, exported: (one) => (written.push(one.kind), events.exported(one)) },
      health: { set: (_component, { ok, reason }) => void healths.push(ok ? 'ok' : (reason ?? '')) },
      intervalMs,
      signal: stop.signal,
      timers: time,
    });
  /** One round more, to its end: the loop then waits with one timer. */
  const round = async (): Promise<void> => {
    time.advance(intervalMs);
    await settled();
  };
  const settled = async (): Promise<void> => {
    while (time.pending() === 0) await new Promise((resolve) => setImmediate(resolve));
  };
  return { broker, ledger, root, file, time, stop, written, healths, start, round, settled };
}

it('exports where a row would be another, and only there', async () => {
  const live = following();
  await append(live.broker, run.repaired());
  const running = live.start();
  await live.settled();
  expect(live.written).toEqual(['unchanged']);
  await append(live.broker, [run.chain('anna', run.proposed).accept()]);
  await live.round();
  expect(live.written).toEqual(['unchanged', 'written']);
  await append(live.broker, runStory({ reference: 'healthy' }).answered().slice(3));
  await live.round();
  await live.round();
  expect(live.written).toEqual(['unchanged', 'written']);
  expect(live.ledger.changedCount(exportView)).toBe(0);
  live.stop.abort();
  await running;
  live.ledger.close();
});

it('what it writes is what a one-shot export of the same events writes', async () => {
  const live = following();
  const events = [...run.repaired(), run.chain('anna', run.proposed).correct(observed('better'))];
  await append(live.broker, events);
  const running = live.start();
  await live.settled();
  live.stop.abort();
  await running;
  const root = freshFolder();
  await exportTo(foldedEvents(...events), { root });
  expect(filesUnder(live.root)).toEqual(filesUnder(root));
  live.ledger.close();
});

it('after a restart it ends at the same files, and writes nothing twice', async () => {
  const first = following();
  const events = [...run.repaired(), run.chain('anna', run.proposed).accept()];
  await append(first.broker, events);
  const running = first.start();
  await first.settled();
  first.stop.abort();
  await running;
  first.ledger.close();
  const before = filesUnder(first.root);

  const second = following({ root: first.root, file: first.file });
  expect(second.ledger.opened).toBe('kept');
  await append(second.broker, events);
  const again = second.start();
  await second.settled();
  expect(second.written).toEqual(['unchanged']);
  expect(filesUnder(first.root)).toEqual(before);
  second.stop.abort();
  await again;
  second.ledger.close();
});

it('another log under the same ledger is folded anew', async () => {
  const first = following();
  await append(first.broker, [...run.repaired(), run.chain('anna', run.proposed).accept()]);
  const running = first.start();
  await first.settled();
  first.stop.abort();
  await running;
  first.ledger.close();

  const other = runStory({ reference: 'of-another-log' });
  const second = following({ file: first.file });
  await append(second.broker, [...other.repaired(), other.chain('anna', other.proposed).reject()]);
  const again = second.start();
  await second.settled();
  expect([...second.ledger.runs()]).toEqual([other.run]);
  second.stop.abort();
  await again;
  second.ledger.close();
});

it('a full disk makes it unready, and it goes on when there is room again', async () => {
  let isFull = true;
  const full: Disk = {
    ...nodeDisk,
    write: (path, chunks) => (isFull ? Promise.reject(new ExporterError('export_disk_full', path)) : nodeDisk.write(path, chunks)),
  };
  const live = following({ disk: full });
  await append(live.broker, [...run.repaired(), run.chain('anna', run.proposed).accept()]);
  const running = live.start();
  await live.settled();
  expect(live.healths).toEqual(['export_disk_full']);
  isFull = false;
  await live.round();
  expect(live.healths).toEqual(['export_disk_full', 'ok']);
  expect(live.written).toEqual(['written']);
  live.stop.abort();
  await running;
  live.ledger.close();
});

it('an event of a newer version is never skipped: it waits before it, unready', async () => {
  const live = following();
  const judged = run.chain('anna', run.proposed).accept();
  const newer = tampered(judged, { envelope: { type: 'stream.thought.judgment.recorded@2' } });
  await append(live.broker, [...run.repaired(), newer, ...runStory({ reference: 'later' }).repaired().slice(3)]);
  const running = live.start();
  await live.settled();
  expect(live.healths).toEqual(['event_from_newer_version']);
  expect(live.ledger.position()).toBe(run.repaired().length);
  expect(live.written).toEqual([]);
  live.stop.abort();
  await running;
  live.ledger.close();
});

it('a fault that no waiting mends ends the loop with its code', async () => {
  const live = following();
  await live.broker.close();
  await expect(live.start()).rejects.toMatchObject({ code: 'closed' });
  live.ledger.close();
});

it('a flipped bit in the ledger costs a fold and no row', async () => {
  const first = following();
  await append(first.broker, [...run.repaired(), run.chain('anna', run.proposed).accept()]);
  const running = first.start();
  await first.settled();
  first.stop.abort();
  await running;
  first.ledger.close();
  const before = filesUnder(first.root);
  const db = new Database(first.file);
  db.prepare("UPDATE dossiers SET body = replace(body, 'proposed', 'proposeD')").run();
  db.close();

  const second = following({ root: first.root, file: first.file });
  await append(second.broker, [...run.repaired(), run.chain('anna', run.proposed).accept()]);
  const again = second.start();
  await second.settled();
  expect(second.healths).toEqual(['ledger_corrupt']);
  await second.round();
  expect(second.healths).toEqual(['ledger_corrupt', 'ok']);
  expect(filesUnder(first.root)).toEqual(before);
  second.stop.abort();
  await again;
  second.ledger.close();
});
