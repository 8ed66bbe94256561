import { type Clock, sleep, type Timers } from './clock.js';
import { describeError } from './describeError.js';
import type { RuntimeCode } from './errors.js';
import type { Logger } from './logger.js';
import type { LoopMetrics } from './loopMetrics.js';
import { faultOutcome } from './faultOutcome.js';
import type { Outcome } from './outcome.js';
import { againDelayMs, boundedDelayMs } from './retryDelay.js';

/** One message in hand and what can be told to the broker about it. */
export interface Delivered<M> {
  readonly event: M;
  /** 1 at the first delivery. */
  readonly deliveries: number;
  ack(): Promise<void>;
  nak(delayMs: number): void;
  working(): void;
}

/** What the loop lends to each delivery. */
export interface Hand<M> {
  readonly handle: (message: M, context: { readonly deliveries: number; readonly signal: AbortSignal }) => Promise<Outcome>;
  readonly setAside: (message: M, why: { readonly code: string; readonly deliveries: number }) => Promise<Outcome>;
  readonly maxDeliveries: number;
  /** Aborts when handlers are to give up. */
  readonly signal: AbortSignal;
  /** Aborts when the loop takes no more: then nothing is waited for in hand. */
  readonly closing: AbortSignal;
  readonly log: Logger;
  readonly metrics: LoopMetrics;
  readonly describe: (message: M) => Readonly<Record<string, string | number>>;
  readonly clock: Clock;
  readonly timers: Timers;
}

const SET_ASIDE = 'deliveries_exceeded' satisfies RuntimeCode;

/** Where a message stands when it leaves the hand. */
type Settled = Exclude<Outcome, { readonly kind: 'again' }>;

/** Handles one delivery to its acknowledgement. Never rejects: whatever goes wrong is an outcome and a log line. */
export async function handleDelivery<M>(delivery: Delivered<M>, hand: Hand<M>): Promise<Settled> {
  const startedMs = hand.clock.now();
  const outcome = await inHand(delivery, hand);
  hand.metrics.handled(outcome.kind, (hand.clock.now() - startedMs) / 1_000);
  await settle(delivery, outcome, hand);
  return outcome;
}

/** Tells the broker that the message is in work. */
export function beat<M>(delivery: Delivered<M>, hand: Hand<M>): void {
  try {
    delivery.working();
  } catch (error) {
    logOf(delivery, hand).warn('heartbeat.failed', { ...describeError(error) });
  }
}

/**
 * Handles the message as often as its outcome is `again`. The broker counts deliveries, and what is not the message's
 * fault must not use them up: so it is waited for here, under heartbeats, until it answers or the loop closes.
 */
async function inHand<M>(delivery: Delivered<M>, hand: Hand<M>): Promise<Settled> {
  for (let tries = 0; ; tries += 1) {
    const outcome = await judge(delivery, hand);
    if (outcome.kind !== 'again') return outcome;
    const delayMs = againDelayMs(tries);
    hand.metrics.waited();
    logOf(delivery, hand).warn('message.waits', { cause: outcome.cause, delayMs });
    if ((await sleep(delayMs, hand.closing, hand.timers)) === 'aborted') return { kind: 'retry', afterMs: 0, cause: outcome.cause };
  }
}

/** The handler's outcome, or the set-aside's, or what its error stands for. */
async function judge<M>(delivery: Delivered<M>, hand: Hand<M>): Promise<Outcome> {
  const { event, deliveries } = delivery;
  try {
    if (deliveries <= hand.maxDeliveries) return await hand.handle(event, { deliveries, signal: hand.signal });
    const outcome = await hand.setAside(event, { code: SET_ASIDE, deliveries });
    if (outcome.kind === 'again') return outcome;
    hand.metrics.setAside();
    logOf(delivery, hand).error('message.set_aside', { code: SET_ASIDE, outcome: outcome.kind });
    return outcome;
  } catch (error) {
    const outcome = faultOutcome(error, deliveries);
    if (outcome.kind === 'retry') {
      hand.metrics.handlerThrew();
      logOf(delivery, hand).error('handler.threw', { ...describeError(error) });
    }
    return outcome;
  }
}

/** Tells the broker. A failure to tell is survived: the message comes again, and handlers are idempotent. */
async function settle<M>(delivery: Delivered<M>, outcome: Settled, hand: Hand<M>): Promise<void> {
  try {
    switch (outcome.kind) {
      case 'done':
        return await delivery.ack();
      case 'skip':
        hand.metrics.skipped(outcome.reason);
        logOf(delivery, hand).info('message.skipped', { reason: outcome.reason });
        return await delivery.ack();
      case 'retry': {
        const delayMs = boundedDelayMs(outcome.afterMs);
        logOf(delivery, hand).info('message.retried', { cause: outcome.cause, delayMs });
        return delivery.nak(delayMs);
      }
      case 'stop':
        return logOf(delivery, hand).error('loop.stopping', { cause: outcome.cause });
      default:
        return outcome satisfies never;
    }
  } catch (error) {
    hand.metrics.ackFailed();
    logOf(delivery, hand).warn('ack.failed', { outcome: outcome.kind, ...describeError(error) });
  }
}

/** Made when there is a line to write: most deliveries write none. */
function logOf<M>(delivery: Delivered<M>, hand: Hand<M>): Logger {
  return hand.log.child({ ...idsOf(delivery, hand), deliveries: delivery.deliveries });
}

/** Ids are a courtesy to the reader of the log; a `describe` that throws costs the ids, not the message. */
function idsOf<M>(delivery: Delivered<M>, hand: Hand<M>): Readonly<Record<string, string | number>> {
  try {
    return hand.describe(delivery.event);
  } catch {
    return {};
  }
}
