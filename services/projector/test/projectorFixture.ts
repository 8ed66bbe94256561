import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { placeOf, readEvent, runOfPlace } from '@emend/contracts';
import { type Dossier, emptyDossier, evolveDossier, FactsSoFar } from '@emend/history';
import type { BatchLimits, Ledger } from '@emend/ledger';
import type { Broker, StoredEvent, View } from '@emend/log';
import { createMetrics, fixedClock, type RunEnd, silentLogger } from '@emend/runtime';
import { afterAll, vi } from 'vitest';
import type { Attempt } from '../../../test/support/randomHistory.js';
import { brokerIncidents } from '../src/adapters/brokerIncidents.js';
import { isRunKey } from '../src/domain/generation.js';
import { rowOf, type ViewName, viewNames } from '../src/domain/rows.js';
import { readViewValue } from '../src/domain/viewValue.js';
import { projectorEvents } from '../src/events.js';
import { type Meta, readMeta } from './metaOf.js';
import { bindViews, openFold } from '../src/openParts.js';
import { projectLog, rebuildView, type Rebuilt } from '../src/index.js';

const folder = mkdtempSync(join(tmpdir(), 'emend-projector-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FILE_BYTES = 1_073_741_824;
const POINT_BOUND_MS = 30_000;

let files = 0;
export const freshFile = (): string => join(folder, `fold-${(files += 1)}.db`);
export const openTestFold = (file: string = freshFile()): Ledger => openFold(file, FILE_BYTES);

/** Waits for a point, however long the machine takes; the bound only turns a hang into a failure. */
export const until = (condition: () => boolean | Promise<boolean>, what: string): Promise<void> =>
  vi.waitFor(
    async () => {
      if (!(await condition())) throw new Error(`not reached: ${what}`);
    },
    { timeout: POINT_BOUND_MS, interval: 2 },
  );

export interface Projecting {
  readonly ledger: Ledger;
  readonly ended: Promise<RunEnd>;
  readonly health: ReadonlyMap<string, string>;
  /** Stops it and closes its file. */
  stop(): Promise<RunEnd>;
  /** Everything folded up to a sequence and confirmed by both views. */
  reached(sequence: number): Promise<void>;
}

export interface ProjectingOptions {
  readonly file?: string;
  readonly projection?: number;
  readonly batches?: BatchLimits;
}

/** A projector over a connection of its own, without its process. */
export async function projecting(
  broker: Broker,
  { file = freshFile(), projection, batches = { lingerMs: 1 } }: ProjectingOptions = {},
): Promise<Projecting> {
  const ledger = openTestFold(file);
  const stopping = new AbortController();
  const health = new Map<string, string>();
  const ended = projectLog({
    ledger,
    log: broker.log,
    views: await bindViews(broker),
    incidents: brokerIncidents(broker, fixedClock(0)),
    health: { set: (component, { ok, reason }) => void health.set(component, ok ? 'ok' : (reason ?? 'not ok')) },
    events: testEvents(),
    putsInFlight: 8,
    batches,
    signal: stopping.signal,
    ...(projection === undefined ? {} : { projection }),
  });
  ended.catch(() => undefined);
  return {
    ledger,
    ended,
    health,
    stop: async () => {
      stopping.abort();
      const end = await ended;
      ledger.close();
      return end;
    },
    reached: (sequence) =>
      until(
        () => health.get('fold') === 'ok' && ledger.position() >= sequence && viewNames.every((view) => ledger.changedCount(view) === 0),
        `event ${sequence}`,
      ),
  };
}

export const testEvents = () => projectorEvents(silentLogger, createMetrics({ service: 'projector' }));

/** A rebuild in a file of its own. */
export async function rebuilding(broker: Broker): Promise<Rebuilt> {
  const ledger = openTestFold();
  try {
    const views = await bindViews(broker);
    const signal = new AbortController().signal;
    return await rebuildView({
      ledger,
      log: broker.log,
      views,
      events: testEvents(),
      putsInFlight: 8,
      onProgress: () => undefined,
      signal,
    });
  } finally {
    ledger.close();
  }
}

export async function appendAll(broker: Pick<Broker, 'log'>, events: readonly Attempt[]): Promise<void> {
  for (const { subject, bytes } of events) await broker.log.append({ subject, bytes });
}

/** `position row` by run, for each view: what is compared, generations aside. */
export type Rows = Readonly<Record<ViewName, Readonly<Record<string, string>>>>;

export async function rowsIn(broker: Broker): Promise<Rows> {
  const views = await bindViews(broker);
  const rows = await Promise.all(viewNames.map(async (name) => [name, await rowsOfView(views[name])] as const));
  return Object.fromEntries(rows) as unknown as Rows;
}

async function rowsOfView(view: View): Promise<Readonly<Record<string, string>>> {
  const rows: [string, string][] = [];
  for (const [key, { position, row }] of await valuesIn(view)) rows.push([key, `${position} ${row}`]);
  return Object.fromEntries(rows.sort(([a], [b]) => (a < b ? -1 : 1)));
}

export async function valuesIn(view: View): Promise<ReadonlyMap<string, ReturnType<typeof readViewValue>>> {
  const values = new Map<string, ReturnType<typeof readViewValue>>();
  for await (const key of view.keys()) {
    const entry = isRunKey(key) ? await view.get(key) : null;
    if (entry !== null) values.set(key, readViewValue(entry.bytes));
  }
  return values;
}

export async function generationsIn(broker: Broker): Promise<readonly number[]> {
  const views = await bindViews(broker);
  const values = await Promise.all(viewNames.map((name) => valuesIn(views[name])));
  return [...new Set(values.flatMap((of) => [...of.values()].map(({ generation }) => generation)))].sort((a, b) => a - b);
}

export const metaIn = async (broker: Broker): Promise<Meta | null> => readMeta(await broker.view('effective-output'));

/** The rows of a log, folded apart: in memory, in one go, by the pure functions alone. */
export function foldedApart(events: readonly Pick<StoredEvent, 'subject' | 'sequence' | 'bytes'>[]): Rows {
  const facts = new FactsSoFar();
  const dossiers = new Map<string, Dossier>();
  for (const event of events) {
    const read = readEvent(event);
    if (read.kind === 'unknown_version') break;
    const place = placeOf(event.subject);
    const run = place === null ? null : runOfPlace(place);
    if (run !== null) dossiers.set(run, evolveDossier(dossiers.get(run) ?? emptyDossier(run), { ...event, read }, facts));
    if (read.kind === 'event') facts.learn(read.event);
  }
  const rowsOf = (view: ViewName): Readonly<Record<string, string>> =>
    Object.fromEntries(
      [...dossiers.values()]
        .sort((a, b) => (a.run < b.run ? -1 : 1))
        .flatMap((dossier) => {
          const row = rowOf(view, dossier);
          return row.kind === 'row' ? [[dossier.run, `${dossier.position} ${row.text}`]] : [];
        }),
    );
  return { 'effective-output': rowsOf('effective-output'), 'review-queue': rowsOf('review-queue') };
}
