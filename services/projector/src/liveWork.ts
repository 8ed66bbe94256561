import { type BatchLimits, type FoldEnd, foldLog, type Ledger } from '@emend/ledger';
import type { EventLog } from '@emend/log';
import { aborted, type Health, sleep } from '@emend/runtime';
import { awayMs, isBrokerAway, untilAnswered } from './brokerAway.js';
import { Bell } from './bell.js';
import { META_KEY, type Meta } from './domain/generation.js';
import type { ProjectorCode } from './codes.js';
import type { ProjectorEvents } from './events.js';
import { LAG_INTERVAL_MS } from './limits.js';
import { metaIn } from './meta.js';
import { reportVoids, type VoidReports } from './reportVoids.js';
import type { ViewWriter, WriterStop } from './viewWriter.js';

export interface LiveOptions {
  readonly ledger: Ledger;
  readonly log: EventLog;
  readonly writers: readonly ViewWriter[];
  readonly meta: Meta;
  readonly reports: Omit<VoidReports, 'incarnation'>;
  readonly batches: BatchLimits;
  readonly health: Pick<Health, 'set'>;
  readonly events: ProjectorEvents;
  /** Called where the fold met an event that it is too old for; the rows that are folded go out all the same. */
  readonly onHalt: (end: Extract<FoldEnd, { kind: 'unknown_version' }>) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Why the live work ended before it was told to. */
export type LiveEnd = Exclude<WriterStop, { kind: 'away' }> | { readonly kind: 'checkpoint_differs' };

/** Folds what comes and puts what changed, each at its own pace, until the signal or the first reason to stop. */
export async function liveWork(options: LiveOptions): Promise<LiveEnd | null> {
  const ending = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  const bells = options.writers.map(() => new Bell());
  const voidsBell = new Bell();
  const ring = (): void => [...bells, voidsBell].forEach((bell) => bell.ring());
  const work: Promise<LiveEnd | null>[] = [
    foldLive(options, { signal, ring }),
    ...options.writers.map((writer, index) => writeLive(options, { writer, bell: bells[index] ?? new Bell(), signal })),
    reportLive(options, { bell: voidsBell, signal }),
    watchMeta(options, signal),
    watchLag(options, signal),
  ];
  // All of them end before this does: what follows may empty or close the ledger under them.
  const ends = await Promise.allSettled(work.map((one) => one.finally(() => ending.abort())));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return ends.flatMap((end) => (end.status === 'fulfilled' && end.value !== null ? [end.value] : []))[0] ?? null;
}

async function foldLive(
  { ledger, log, events, batches, onHalt }: LiveOptions,
  { signal, ring }: { signal: AbortSignal; ring: () => void },
): Promise<LiveEnd | null> {
  const end = await foldLog({
    ...batches,
    ledger,
    log,
    signal,
    onBatch: (batch) => {
      events.folded(batch);
      ring();
    },
  });
  if (end.kind === 'checkpoint_differs') return end;
  if (end.kind === 'unknown_version') {
    await onHalt(end);
    await aborted(signal);
  }
  return null;
}

interface Writing {
  readonly writer: ViewWriter;
  readonly bell: Bell;
  readonly signal: AbortSignal;
}

async function writeLive({ meta, health, events, ledger }: LiveOptions, { writer, bell, signal }: Writing): Promise<LiveEnd | null> {
  const { name } = writer.options;
  for (let failures = 0; !signal.aborted; ) {
    const written = await writer.drain(meta.generation, signal);
    const waiting = ledger.changedCount(name);
    events.waiting(name, waiting);
    if (written.kind === 'newer_generation' || written.kind === 'view_diverged') return written;
    if (written.kind === 'written' && waiting === 0) {
      failures = 0;
      health.set(name, { ok: true });
      await bell.heard(signal);
      continue;
    }
    if (written.kind === 'away') health.set(name, { ok: false, reason: 'broker_away' satisfies ProjectorCode });
    // What changed while it was put is put at once; what could not be put waits a little longer each time.
    if (written.kind === 'away') await sleep(awayMs(failures++), signal);
  }
  return null;
}

async function reportLive({ meta, reports }: LiveOptions, { bell, signal }: Omit<Writing, 'writer'>): Promise<null> {
  let reported = meta.reported;
  for (let failures = 0; !signal.aborted; ) {
    try {
      reported = await reportVoids({ ...reports, incarnation: meta.log }, reported);
      failures = 0;
      await bell.heard(signal);
    } catch (error) {
      if (!isBrokerAway(error)) throw error;
      await sleep(awayMs(failures++), signal);
    }
  }
  return null;
}

/** A greater generation shows in the meta value before it shows in a row that is put. */
async function watchMeta({ reports, meta }: LiveOptions, signal: AbortSignal): Promise<LiveEnd | null> {
  for await (const change of reports.metaView.watch({ key: META_KEY, signal })) {
    const generation = change === 'current' || change.bytes === null ? 0 : (metaIn(change.bytes)?.generation ?? 0);
    if (generation > meta.generation) return { kind: 'newer_generation', generation };
  }
  return null;
}

async function watchLag({ log, ledger, events }: LiveOptions, signal: AbortSignal): Promise<null> {
  while (!signal.aborted) {
    const last = await untilAnswered(() => log.lastSequence(), signal);
    if (last !== null) events.lag(Math.max(0, last - ledger.position()));
    await sleep(LAG_INTERVAL_MS, signal);
  }
  return null;
}
