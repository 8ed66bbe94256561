import { type BatchLimits, type FoldEnd, foldLog, type Ledger, LedgerError } from '@emend/ledger';
import type { EventLog } from '@emend/log';
import { aborted, type Health, type RunEnd, sleep } from '@emend/runtime';
import { awayMs, untilAnswered } from './brokerAway.js';
import type { ProjectorCode } from './codes.js';
import { type GenerationWish, type Meta, PROJECTION_VERSION } from './domain/generation.js';
import { META_VIEW, viewNames } from './domain/rows.js';
import type { ProjectorEvents } from './events.js';
import { LEDGER_DROPS_MAX, PROGRESS_EVENTS } from './limits.js';
import { type LiveEnd, liveWork } from './liveWork.js';
import { incarnationOf, settleGeneration } from './meta.js';
import type { Incidents, Views } from './ports.js';
import { type Reconciled, reconcile } from './reconcile.js';
import { ViewWriter } from './viewWriter.js';

export interface ProjectOptions {
  readonly ledger: Ledger;
  readonly log: EventLog;
  readonly views: Views;
  readonly incidents: Incidents;
  readonly health: Pick<Health, 'set'>;
  readonly events: ProjectorEvents;
  readonly putsInFlight: number;
  /** How events are cut into batches; the rows are the same with any. */
  readonly batches?: BatchLimits;
  /** The projection's version; a test may pretend another. */
  readonly projection?: number;
  readonly signal: AbortSignal;
}

/**
 * The projector's whole work: catch up, settle the generation, reconcile, go on live; and again from the top whenever the
 * view or the log turns out to be another one. Ends with the signal, or with a cause that a restart does not heal.
 */
export function projectLog(options: ProjectOptions): Promise<RunEnd> {
  return new Projection(options).run();
}

/** What one round ended with: start over with a wish, or end. */
type RoundEnd = { readonly kind: 'again' } | { readonly kind: 'end'; readonly end: RunEnd };

const again: RoundEnd = { kind: 'again' };
const drained: RoundEnd = { kind: 'end', end: { kind: 'drained' } };
const stopped = (cause: ProjectorCode): RoundEnd => ({ kind: 'end', end: { kind: 'stopped', cause } });

class Projection {
  readonly #writers: readonly ViewWriter[];
  #wish: GenerationWish = 'start';
  /** The greatest generation met in a row. */
  #seen = 0;
  #drops = 0;
  #healed = false;
  #failures = 0;
  #haltTold = false;

  constructor(private readonly options: ProjectOptions) {
    const { ledger, views, events, incidents, putsInFlight } = options;
    this.#writers = viewNames.map((name) => new ViewWriter({ name, bucket: views[name], ledger, putsInFlight, events, incidents }));
  }

  async run(): Promise<RunEnd> {
    for (;;) {
      const end = await this.#round();
      if (end.kind === 'end') return end.end;
      if (this.options.signal.aborted) return { kind: 'drained' };
    }
  }

  async #round(): Promise<RoundEnd> {
    try {
      return await this.#work();
    } catch (error) {
      if (!(error instanceof LedgerError) || error.code !== 'ledger_corrupt' || this.#drops >= LEDGER_DROPS_MAX) throw error;
      this.#clear('ledger_corrupt');
      return again;
    }
  }

  async #work(): Promise<RoundEnd> {
    const { ledger, log, views, events, health, signal, projection = PROJECTION_VERSION } = this.options;
    health.set('fold', { ok: false, reason: 'catching_up' satisfies ProjectorCode });
    const incarnation = await incarnationOf(log, signal);
    const caughtUp = incarnation === null ? null : await this.#catchUp();
    if (incarnation === null || caughtUp === null || signal.aborted) return drained;
    if (caughtUp.kind !== 'folded') return this.#foldEnded(caughtUp);
    events.caughtUp({ position: ledger.position(), ...ledger.counts() });

    const ours = { log: incarnation, projection };
    const settled = await untilAnswered(() => settleGeneration(views[META_VIEW], { ours, wish: this.#wish, seen: this.#seen }), signal);
    if (settled === null) return drained;
    if (settled.kind === 'refused') return stopped(settled.cause);
    // Whatever is met from here on is another writer's.
    this.#wish = 'follow';
    events.generationSettled({ how: settled.kind, generation: settled.meta.generation, incarnation });

    const reconciled = await this.#reconcile(settled.meta.generation);
    if (signal.aborted) return drained;
    if (reconciled.kind !== 'written') return this.#reconcileEnded(reconciled);
    this.#failures = 0;
    health.set('fold', { ok: true });
    events.live(settled.meta.generation);
    return this.#liveEnded(await this.#live(settled.meta));
  }

  /** Folds up to where the log is now. */
  async #catchUp(): Promise<FoldEnd | null> {
    const { ledger, log, events, signal } = this.options;
    const to = await untilAnswered(() => log.lastSequence(), signal);
    if (to === null) return null;
    let told = ledger.position();
    return foldLog({
      ...this.options.batches,
      ledger,
      log,
      to,
      signal,
      onBatch: (batch) => {
        events.folded(batch);
        if (ledger.position() < told + PROGRESS_EVENTS) return;
        told = ledger.position();
        events.progress({ position: told, last: to });
      },
    });
  }

  async #reconcile(generation: number): Promise<Reconciled> {
    const { ledger, signal } = this.options;
    const catchUp = async (): Promise<FoldEnd> => (await this.#catchUp()) ?? { kind: 'folded', position: ledger.position() };
    for (const writer of this.#writers) {
      const reconciled = await reconcile({ writer, generation, catchUp, signal });
      if (reconciled.kind !== 'written') return reconciled;
    }
    return { kind: 'written' };
  }

  #live(meta: Meta): Promise<LiveEnd | null> {
    const { ledger, log, views, incidents, health, events, batches, signal } = this.options;
    return liveWork({
      batches: batches ?? {},
      ledger,
      log,
      writers: this.#writers,
      meta,
      reports: { ledger, incidents, metaView: views[META_VIEW] },
      health,
      events,
      onHalt: (end) => this.#tellHalt(end),
      signal,
    });
  }

  async #foldEnded(end: Exclude<FoldEnd, { kind: 'folded' }>): Promise<RoundEnd> {
    if (end.kind === 'checkpoint_differs') return this.#startOver('checkpoint_differs');
    // Rows of a half-folded log would be older than those that stand: the view stays as it is.
    await this.#tellHalt(end);
    await aborted(this.options.signal);
    return drained;
  }

  async #reconcileEnded(end: Exclude<Reconciled, { kind: 'written' }>): Promise<RoundEnd> {
    if (end.kind === 'fold_ended') return end.end.kind === 'folded' ? again : this.#foldEnded(end.end);
    if (end.kind !== 'away') return this.#liveEnded(end);
    await sleep(awayMs(this.#failures++), this.options.signal);
    return again;
  }

  #liveEnded(end: LiveEnd | null): RoundEnd {
    switch (end?.kind) {
      case undefined:
        return drained;
      case 'newer_generation':
        this.#seen = Math.max(this.#seen, end.generation);
        return again;
      case 'checkpoint_differs':
        return this.#startOver('checkpoint_differs');
      case 'view_diverged':
        if (this.#healed) return stopped('view_diverged');
        this.#healed = true;
        return this.#startOver('view_diverged');
      default:
        return end satisfies never;
    }
  }

  /** The log is the truth: everything is folded anew, and the view gets a generation in which nothing older counts. */
  #startOver(cause: 'checkpoint_differs' | 'view_diverged'): RoundEnd {
    this.#clear(cause);
    this.#wish = 'renew';
    return again;
  }

  #clear(cause: 'checkpoint_differs' | 'view_diverged' | 'ledger_corrupt'): void {
    this.#drops += cause === 'ledger_corrupt' ? 1 : 0;
    this.options.ledger.clear();
    this.options.events.ledgerCleared(cause);
  }

  async #tellHalt({ halt }: Extract<FoldEnd, { kind: 'unknown_version' }>): Promise<void> {
    const { health, events, incidents, signal } = this.options;
    health.set('fold', { ok: false, reason: 'unknown_version' satisfies ProjectorCode });
    events.halted(halt);
    if (this.#haltTold) return;
    this.#haltTold = true;
    await untilAnswered(() => incidents.raise({ code: 'unknown_version', ...halt }), signal);
  }
}
