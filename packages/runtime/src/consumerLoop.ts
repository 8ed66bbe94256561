import { setMaxListeners } from 'node:events';
import { type Clock, type Timers, systemClock, systemTimers } from './clock.js';
import { describeError } from './describeError.js';
import { InvalidOptions, type RuntimeCode } from './errors.js';
import { type Delivered, type Hand, handleDelivery } from './handleDelivery.js';
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
  readonly #inHand = new Set<Promise<void>>();
  readonly #timers: Timers;
  /** Settles when the source has let go; the drain waits for it. */
  #released: Promise<void> = Promise.resolve();
  #stopCause: string | undefined;
  #slotFreed: () => void = () => {};

  constructor(private readonly options: ConsumerLoopOptions<M>) {
    this.#timers = options.timers ?? systemTimers;
    setMaxListeners(0, this.#abandon.signal); // As many as slots and handlers want: they leave with their delivery.
  }

  async run(): Promise<LoopEnd> {
    const { signal } = this.options;
    const close = (): void => this.#close();
    if (signal.aborted) close();
    signal.addEventListener('abort', close, { once: true });
    try {
      await this.#takeDeliveries();
      return await this.#drain();
    } finally {
      signal.removeEventListener('abort', close);
    }
  }

  /** Takes deliveries until closing, or until there are no more. */
  async #takeDeliveries(): Promise<void> {
    const source = this.options.deliveries[Symbol.asyncIterator]();
    while (await this.#freeSlot()) {
      const pull = pullFrom(source);
      const pulled = await firstOf(pull, this.#closing.signal);
      if (pulled === 'aborted') {
        giveBackLate(pull);
        void endOf(source); // Not waited for: it queues behind a pull that may never settle.
        return;
      }
      if (pulled.kind !== 'message') return this.#sourceOver(pulled);
      this.#take(pulled.delivery);
    }
    this.#released = endOf(source);
  }

  #take(delivery: Delivered<M>): void {
    const handling = handleDelivery(delivery, this.#hand()).then((outcome) => {
      this.#inHand.delete(handling);
      if (outcome.kind === 'stop') this.#stop(outcome.cause);
      this.#slotFreed();
    });
    this.#inHand.add(handling);
  }

  #hand(): Hand<M> {
    const { maxDeliveries = DELIVERIES_MAX, clock = systemClock } = this.options;
    return { ...this.options, maxDeliveries, clock, timers: this.#timers, signal: this.#abandon.signal };
  }

  /** True once a slot is free; false when the loop closes first. */
  async #freeSlot(): Promise<boolean> {
    while (!this.#closing.signal.aborted && this.#inHand.size >= this.options.slots) {
      await new Promise<void>((resolve) => {
        this.#slotFreed = resolve;
      });
    }
    return !this.#closing.signal.aborted;
  }

  #sourceOver(over: { kind: 'ended' } | { kind: 'failed'; error: unknown }): void {
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
    this.#slotFreed();
  }

  async #drain(): Promise<LoopEnd> {
    const { drainMaxMs = LOOP_DRAIN_MAX_MS, log } = this.options;
    const finished = Promise.allSettled([...this.#inHand, this.#released]);
    if (!(await within(drainMaxMs, finished, this.#timers))) {
      log.error('loop.drain_expired', { inHand: this.#inHand.size });
      this.#abandon.abort();
      await within(LOOP_ABANDON_MS, finished, this.#timers);
      this.#stopCause ??= 'drain_expired' satisfies RuntimeCode;
    }
    return this.#stopCause === undefined ? { kind: 'drained' } : { kind: 'stopped', cause: this.#stopCause };
  }
}

type Pulled<M> = { kind: 'message'; delivery: Delivered<M> } | { kind: 'ended' } | { kind: 'failed'; error: unknown };

/** The next delivery as a value: a pull never rejects. */
async function pullFrom<M>(source: AsyncIterator<Delivered<M>>): Promise<Pulled<M>> {
  try {
    const next = await source.next();
    return next.done ? { kind: 'ended' } : { kind: 'message', delivery: next.value };
  } catch (error) {
    return { kind: 'failed', error };
  }
}

/** A message that arrives after closing goes back at once, so that another replica need not wait for the ack timeout. */
function giveBackLate<M>(pull: Promise<Pulled<M>>): void {
  pull.then((pulled) => (pulled.kind === 'message' ? pulled.delivery.nak(0) : undefined)).catch(() => {});
}

async function endOf(source: AsyncIterator<unknown>): Promise<void> {
  try {
    await source.return?.();
  } catch {
    // The source is being given up; how it takes that changes nothing here.
  }
}

/** The promise or the abort, whichever is first. `Promise.race` with one long-lived promise would leak a reaction per message. */
function firstOf<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | 'aborted'> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve('aborted');
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function requireSane({ slots, heartbeatMs }: { slots: number; heartbeatMs: number }): void {
  if (!Number.isInteger(slots) || slots < 1) throw new InvalidOptions('slots: expected an integer from 1');
  if (!(heartbeatMs > 0)) throw new InvalidOptions('heartbeatMs: expected a positive number');
}
