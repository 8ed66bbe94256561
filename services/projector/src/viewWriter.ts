import { type ChangedRun, LeastRecent, type Ledger } from '@emend/ledger';
import type { View, ViewEntry } from '@emend/log';
import { isBrokerAway } from './brokerAway.js';
import { decidePut } from './domain/decidePut.js';
import { rowOf, type ViewName } from './domain/rows.js';
import { encodeViewValue, readViewValue, type ViewValue } from './domain/viewValue.js';
import type { ProjectorEvents } from './events.js';
import type { Incidents } from './ports.js';
import { KNOWN_VALUES_MAX, PUT_TRIES_MAX } from './limits.js';

export interface ViewWriterOptions {
  readonly name: ViewName;
  readonly bucket: View;
  readonly ledger: Ledger;
  readonly putsInFlight: number;
  readonly events: ProjectorEvents;
  /** Told of rows that cannot be stored; a rebuild tells nothing. */
  readonly incidents?: Incidents;
}

/** Why a writer stopped before all was written. */
export type WriterStop =
  | { readonly kind: 'newer_generation'; readonly generation: number }
  | { readonly kind: 'view_diverged' }
  /** The broker did not answer. What was not confirmed is still marked. */
  | { readonly kind: 'away' };

export type Written = { readonly kind: 'written' } | WriterStop;

export type RowWritten =
  /** The view holds it, or something newer. */
  | { readonly kind: 'settled'; readonly position: number }
  /** The run has no row in this view. */
  | { readonly kind: 'no_row'; readonly position: number }
  /** It cannot be stored; what stands there stays. */
  | { readonly kind: 'left_out'; readonly position: number }
  /** Other writers were always quicker; it stays marked. */
  | { readonly kind: 'waits' }
  | WriterStop;

interface KnownValue {
  readonly value: ViewValue;
  readonly revision: number;
}

/** Puts the rows of changed runs to one view. Decisions are `decidePut`'s; every write is a compare-and-set. */
export class ViewWriter {
  /** What this writer last put under a key. It may be outdated: the compare-and-set finds out. */
  readonly #known = new LeastRecent<KnownValue>(KNOWN_VALUES_MAX);

  constructor(readonly options: ViewWriterOptions) {}

  /** What is remembered of values belongs to one generation. */
  forget(): void {
    this.#known.clear();
  }

  /** One round over all marked runs: the state now, whatever happened since they were marked. */
  async drain(generation: number, signal: AbortSignal): Promise<Written> {
    const { ledger, name, putsInFlight } = this.options;
    for (let after = ''; !signal.aborted; ) {
      const page = ledger.changed({ view: name, after, limit: putsInFlight });
      const last = page.at(-1);
      if (last === undefined) break;
      const stop = await this.settle(
        page.map(({ run }) => run),
        (run) => this.putRow({ run, generation }),
      );
      if (stop !== null) return stop;
      after = last.run;
    }
    return { kind: 'written' };
  }

  /** Works on several runs at once and clears what the view has confirmed, also where another run made it stop. */
  async settle(runs: readonly string[], work: (run: string) => Promise<RowWritten>): Promise<WriterStop | null> {
    const written = await Promise.all(runs.map(async (run) => ({ run, row: await orAway(work(run)) })));
    const confirmed: ChangedRun[] = [];
    let stop: WriterStop | null = null;
    for (const { run, row } of written) {
      if ('position' in row) confirmed.push({ run, position: row.position });
      else if (row.kind !== 'waits') stop ??= row;
    }
    this.options.ledger.confirmed(this.options.name, confirmed);
    return stop;
  }

  /** Puts one run's row over what stands there, as it is known or, where that was wrong, as it is read. */
  async putRow({ run, generation, standing }: { run: string; generation: number; standing?: ViewEntry }): Promise<RowWritten> {
    const { name, bucket, ledger, events } = this.options;
    let known: KnownValue | null = standing ? knownOf(standing) : (this.#known.get(run) ?? null);
    for (let tries = 0; tries < PUT_TRIES_MAX; tries += 1) {
      // Read anew each time, and together: while the broker was asked, the fold went on.
      const dossier = ledger.dossier(run);
      const foldedTo = ledger.position();
      const position = dossier?.position ?? 0;
      const row = rowOf(name, dossier);
      if (row.kind === 'none') return { kind: 'no_row', position };
      if (row.kind === 'unstorable') return this.#leaveOut(row.code, { run, position });
      const ours = { generation, position, row: row.text };
      const existing = known?.value ?? null;
      const decision = decidePut({ existing, ours, foldedTo });
      if (decision.kind === 'stop') return stopOf(decision.cause, existing);
      if (decision.kind === 'skip') {
        events.rowPut(name, decision.reason);
        return { kind: 'settled', position };
      }
      const put = await bucket.put(run, encodeViewValue(ours), known?.revision ?? 0);
      if (put.kind === 'put') {
        this.#known.set(run, { value: ours, revision: put.revision });
        events.rowPut(name, 'put');
        return { kind: 'settled', position };
      }
      const found = await bucket.get(run);
      known = found && knownOf(found);
    }
    return { kind: 'waits' };
  }

  async #leaveOut(code: 'row_unstorable' | 'row_too_large', { run, position }: ChangedRun): Promise<RowWritten> {
    this.options.events.rowLeftOut({ view: this.options.name, code, run, position });
    await this.options.incidents?.raise({ code, sequence: position });
    return { kind: 'left_out', position };
  }
}

const knownOf = ({ bytes, revision }: ViewEntry): KnownValue => ({ value: readViewValue(bytes), revision });

const stopOf = (cause: 'newer_generation' | 'view_diverged', existing: ViewValue | null): WriterStop =>
  cause === 'newer_generation' ? { kind: cause, generation: existing?.generation ?? 0 } : { kind: cause };

export async function orAway<Result>(work: Promise<Result>): Promise<Result | { readonly kind: 'away' }> {
  try {
    return await work;
  } catch (error) {
    if (isBrokerAway(error)) return { kind: 'away' };
    throw error;
  }
}
