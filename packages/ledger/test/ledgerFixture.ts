import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { placeOf, runOfPlace } from '@emend/contracts';
import { type Dossier, emptyDossier, evolveDossier, FactsSoFar } from '@emend/history';
import { type MemoryBroker, memoryBroker } from '@emend/log/memory';
import { afterAll } from 'vitest';
import type { Attempt } from '../../../test/support/randomHistory.js';
import { type ReadStored, readStored, type StoredLog } from '../../../test/support/storedLog.js';
import { type Ledger, type LedgerOptions, openLedger } from '../src/index.js';

const folder = mkdtempSync(join(tmpdir(), 'emend-ledger-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
/** A path that nobody has used. */
export const freshFile = (): string => join(folder, `ledger-${(files += 1)}.db`);

export const VIEW = 'a-view';

export const open = (options: Partial<LedgerOptions> = {}): Ledger =>
  openLedger({ file: freshFile(), version: 'test 1', views: [VIEW], ...options });

/** Every dossier of a ledger as text: what two ways of folding are compared by. */
export const dossierTexts = (ledger: Ledger): Readonly<Record<string, string>> =>
  Object.fromEntries([...ledger.runs()].map((run) => [run, JSON.stringify(ledger.dossier(run))]));

/** The same, folded apart: one event after the other, in memory, without a batch or a file. */
export function foldedApart(log: Pick<StoredLog, 'read'>): Readonly<Record<string, string>> {
  const facts = new FactsSoFar();
  const dossiers = new Map<string, Dossier>();
  for (const event of log.read) {
    const place = placeOf(event.subject);
    const run = place === null ? null : runOfPlace(place);
    if (run !== null) dossiers.set(run, evolveDossier(dossiers.get(run) ?? emptyDossier(run), event, facts));
    if (event.read.kind === 'event') facts.learn(event.read.event);
  }
  return Object.fromEntries([...dossiers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([run, dossier]) => [run, JSON.stringify(dossier)]));
}

/** A broker in memory that holds these events, in this order. */
export async function brokerWith(events: readonly Attempt[]): Promise<MemoryBroker> {
  const broker = memoryBroker();
  await appendAll(broker, events);
  return broker;
}

export async function appendAll(broker: Pick<MemoryBroker, 'log'>, events: readonly Attempt[]): Promise<void> {
  for (const { subject, bytes } of events) await broker.log.append({ subject, bytes });
}

export const stored = (events: readonly Attempt[]): readonly ReadStored[] =>
  events.map(({ subject, bytes }, index) => readStored({ subject, bytes, sequence: index + 1 }));

/** As the log's own events are typed. */
export const withHeaders = (events: readonly { subject: string; bytes: Uint8Array; sequence: number }[]) =>
  events.map(({ subject, bytes, sequence }) => ({ subject, bytes, sequence, headers: {} }));
