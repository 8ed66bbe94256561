import { setMaxListeners } from 'node:events';
import { type Cancel, type Clock, type Timers, systemClock, systemTimers } from './clock.js';
import { describeError } from './describeError.js';
import { InvalidOptions, type RuntimeCode } from './errors.js';
import { beat, type Delivered, type Hand, handleDelivery } from './handleDelivery.js';
import type { Logger } from './logger.js';
import type { LoopMetrics } from './loopMetrics.js';
import type { Outcome } from './outcome.js';
import { within } from './within.js';

/** Deliveries of one message that reach the handler; the next one is set aside unread. */
export const DELIVERIES_MAX = 5;
/** Time that handlers in hand have to finish once the loop was told to end. */
export const LOOP_DRAIN_MAX_MS = 20_000;
/** After that their signal aborts, and this is left to return. */
export const LOOP_ABANDON_MS = 1_000;

export interface ConsumerLoopOptions<M> {
  readonly deliveries: AsyncIterable<Delivered<M>>;
  /**
   * Its signal aborts when the drain bound has passed, not when draining begins: work in hand is finished. A handler
   * that only waits looks at the signal of the process too.
   */
  readonly handle: (message: M, context: { readonly deliveries: number; readonly signal: AbortSignal }) => Promise<Outcome>;
  /** Called instead of `handle` above `maxDeliveries`: records an incident without reading the message, then `done`. */
  readonly setAside: (message: M, why: { readonly code: string; readonly deliveries: number }) => Promise<Outcome>;
  /** Messages in hand at once. The next one is not asked for before a slot is free. */
  readonly slots: number;
  readonly heartbeatMs: number;
  readonly maxDeliveries?: number;
  readonly drainMaxMs?: number;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly metrics: LoopMetrics;
  /** Ids for log lines. */
  readonly describe: (message: M) => Readonly<Record<string, string | number>>;
  readonly timers?: Timers;
  readonly clock?: Clock;
}

/** How a loop ended: nothing in hand and nothing more to come, or with a cause that makes the process a fault. */
export type LoopEnd = { readonly kind: 'drained' } | { readonly kind: 'stopped'; readonly cause: string };

/** Handles deliveries in `slots` until the signal aborts, a handler says stop, or the deliveries end; then drains. */
export async function runConsumerLoop<M>(options: ConsumerLoopOptions<M>): Promise<LoopEnd> {
  requireSane(options);
  const loop = new ConsumerLoop(options);
  return loop.run();
}

class ConsumerLoop<M> {
  /** Aborts when no further message is to be taken. */
  readonly #closing = new AbortController();
  /** Aborts when handlers in hand are to give up. */
  readonly #abandon = new AbortController();
  readonly #inHand = new Set<Delivered<M>>();
  readonly #timers: Timers;
  readonly #hand: Hand<M>;
  /** Settles when the source has let go; the drain waits for it. */
  #released: Promise<void> = Promise.resolve();
  #stopCause: string | undefined;
  #slotFreed: () => void = () => {};
  #emptied: () => void = () => {};
  /** Ends the wait for the next message. A field and not a listener: this happens for every message. */
  #giveUpWaiting: () => void = () => {};

  constructor(private readonly options: ConsumerLoopOptions<M>) {
    const { maxDeliveries = DELIVERIES_MAX, clock = systemClock, timers = systemTimers } = options;
    this.#timers = timers;
    this.#hand = { ...options, maxDeliveries, clock, timers, closing: this.#closing.signal, signal: this.#abandon.signal };
    setMaxListeners(0, this.#closing.signal, this.#abandon.signal); // As many as slots and handlers want: they leave with their delivery.
  }

  async run(): Promise<LoopEnd> {
    const { signal } = this.options;
    const close = (): void => this.#close();
    if (signal.aborted) close();
    signal.addEventListener('abort', close, { once: true });
    const stopBeating = this.#beatAll();
    try {
      await this.#takeDeliveries();
      return await this.#drain();
    } finally {
      stopBeating();
      signal.removeEventListener('abort', close);
    }
  }

  /** One timer for all in hand: each is told at most one interval after it was taken, and then every interval. */
  #beatAll(): Cancel {
    const cancel = this.#timers.every(this.options.heartbeatMs, () => {
      for (const delivery of this.#inHand) beat(delivery, this.#hand);
    });
    this.#abandon.signal.addEventListener('abort', cancel, { once: true });
    return cancel;
  }

  /** Takes deliveries until closing, or until there are no more. */
  async #takeDeliveries(): Promise<void> {
    const source = this.options.deliveries[Symbol.asyncIterator]();
    for (;;) {
      if (this.#inHand.size >= this.options.slots) await this.#freeSlot();
      if (this.#closing.signal.aborted) break;
      const pulled = await this.#pull(source);
      if (pulled.kind === 'closed') {
        void endOf(source); // Not waited for: it queues behind a pull that may never settle.
        return;
      }
      if (pulled.kind !== 'message') return this.#sourceOver(pulled);
      this.#take(pulled.delivery);
    }
    this.#released = endOf(source);
  }

  /**
   * The next delivery, or that there is none; never rejects. Written out, because it happens for every message:
   * `Promise.race` with one long-lived promise would leak a reaction each time, and a listener on a signal is dear.
   */
  #pull(source: AsyncIterator<Delivered<M>>): Promise<Pulled<M>> {
    return new Promise((resolve) => {
      let gaveUp = false;
      this.#giveUpWaiting = () => {
        gaveUp = true;
        resolve({ kind: 'closed' });
      };
      source.next().then(
        (next) => {
          if (next.done) resolve({ kind: 'ended' });
          else if (gaveUp) giveBack(next.value);
          else resolve({ kind: 'message', delivery: next.value });
        },
        (error: unknown) => resolve({ kind: 'failed', error }),
      );
    });
  }

  #take(delivery: Delivered<M>): void {
    this.#inHand.add(delivery);
    void this.#handle(delivery);
  }

  async #handle(delivery: Delivered<M>): Promise<void> {
    try {
      const outcome = await handleDelivery(delivery, this.#hand);
      if (outcome.kind === 'stop') this.#stop(outcome.cause);
    } finally {
      this.#inHand.delete(delivery);
      this.#slotFreed();
      if (this.#inHand.size === 0) this.#emptied();
    }
  }

  /** Resolves once a slot is free, or when the loop closes first. */
  async #freeSlot(): Promise<void> {
    while (!this.#closing.signal.aborted && this.#inHand.size >= this.options.slots) {
      await new Promise<void>((resolve) => {
        this.#slotFreed = resolve;
      });
    }
  }

  #sourceOver(over: Extract<Pulled<M>, { kind: 'ended' | 'failed' }>): void {
    if (over.kind === 'ended') return this.options.signal.aborted ? undefined : this.options.log.warn('loop.source_ended');
    const facts = describeError(over.error);
    this.options.log.error('loop.source_failed', { ...facts });
    this.#stop(facts.code ?? ('deliveries_failed' satisfies RuntimeCode));
  }

  /** The first cause stands. */
  #stop(cause: string): void {
    this.#stopCause ??= cause;
    this.#close();
  }

  #close(): void {
    this.#closing.abort();
    this.#giveUpWaiting();
    this.#slotFreed();
  }

  async #drain(): Promise<LoopEnd> {
    const { drainMaxMs = LOOP_DRAIN_MAX_MS, log } = this.options;
    const finished = Promise.all([this.#handsEmpty(), this.#released]);
    if (!(await within(drainMaxMs, finished, this.#timers))) {
      log.error('loop.drain_expired', { inHand: this.#inHand.size });
      this.#abandon.abort();
      await within(LOOP_ABANDON_MS, finished, this.#timers);
      this.#stopCause ??= 'drain_expired' satisfies RuntimeCode;
    }
    return this.#stopCause === undefined ? { kind: 'drained' } : { kind: 'stopped', cause: this.#stopCause };
  }

  #handsEmpty(): Promise<void> {
    if (this.#inHand.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#emptied = resolve;
    });
  }
}

type Pulled<M> =
  | { readonly kind: 'message'; readonly delivery: Delivered<M> }
  | { readonly kind: 'closed' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** A message that arrives after closing goes back at once, so that another replica need not wait for the ack timeout. */
function giveBack<M>(delivery: Delivered<M>): void {
  try {
    delivery.nak(0);
  } catch {
    // It comes again after the ack timeout.
  }
}

async function endOf(source: AsyncIterator<unknown>): Promise<void> {
  try {
    await source.return?.();
  } catch {
    // The source is being given up; how it takes that changes nothing here.
  }
}

function requireSane({ slots, heartbeatMs }: { slots: number; heartbeatMs: number }): void {
  if (!Number.isInteger(slots) || slots < 1) throw new InvalidOptions('slots: expected an integer from 1');
  if (!(heartbeatMs > 0)) throw new InvalidOptions('heartbeatMs: expected a positive number');
}
