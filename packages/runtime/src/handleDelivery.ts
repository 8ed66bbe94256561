import type { Cancel, Clock, Timers } from './clock.js';
import { describeError } from './describeError.js';
import type { RuntimeCode } from './errors.js';
import type { Logger } from './logger.js';
import type { LoopMetrics } from './loopMetrics.js';
import { type Outcome, retry } from './outcome.js';
import { boundedDelayMs, faultDelayMs } from './retryDelay.js';

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
  readonly heartbeatMs: number;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly metrics: LoopMetrics;
  readonly describe: (message: M) => Readonly<Record<string, string | number>>;
  readonly timers: Timers;
  readonly clock: Clock;
}

const SET_ASIDE = 'deliveries_exceeded' satisfies RuntimeCode;

/** Handles one delivery to its acknowledgement. Never rejects: whatever goes wrong is an outcome and a log line. */
export async function handleDelivery<M>(delivery: Delivered<M>, hand: Hand<M>): Promise<Outcome> {
  const log = hand.log.child({ ...idsOf(delivery, hand), deliveries: delivery.deliveries });
  const startedMs = hand.clock.now();
  const stopBeating = beat(delivery, hand, log);
  try {
    const outcome = await judge(delivery, hand, log);
    hand.metrics.handled(outcome.kind, (hand.clock.now() - startedMs) / 1_000);
    await settle(delivery, outcome, hand, log);
    return outcome;
  } finally {
    stopBeating();
  }
}

/** The handler's outcome, or the set-aside's; a throw becomes a retry. */
async function judge<M>(delivery: Delivered<M>, hand: Hand<M>, log: Logger): Promise<Outcome> {
  const { event, deliveries } = delivery;
  try {
    if (deliveries <= hand.maxDeliveries) return await hand.handle(event, { deliveries, signal: hand.signal });
    const outcome = await hand.setAside(event, { code: SET_ASIDE, deliveries });
    hand.metrics.setAside();
    log.error('message.set_aside', { code: SET_ASIDE, outcome: outcome.kind });
    return outcome;
  } catch (error) {
    hand.metrics.handlerThrew();
    log.error('handler.threw', { ...describeError(error) });
    return retry(faultDelayMs(deliveries), 'handler_threw' satisfies RuntimeCode);
  }
}

/** Tells the broker. A failure to tell is survived: the message comes again, and handlers are idempotent. */
async function settle<M>(delivery: Delivered<M>, outcome: Outcome, hand: Hand<M>, log: Logger): Promise<void> {
  try {
    switch (outcome.kind) {
      case 'done':
        return await delivery.ack();
      case 'skip':
        hand.metrics.skipped(outcome.reason);
        log.info('message.skipped', { reason: outcome.reason });
        return await delivery.ack();
      case 'retry': {
        const delayMs = boundedDelayMs(outcome.afterMs);
        log.info('message.retried', { cause: outcome.cause, delayMs });
        return delivery.nak(delayMs);
      }
      case 'stop':
        return log.error('loop.stopping', { cause: outcome.cause });
      default:
        return outcome satisfies never;
    }
  } catch (error) {
    hand.metrics.ackFailed();
    log.warn('ack.failed', { outcome: outcome.kind, ...describeError(error) });
  }
}

/** Tells the broker that the message is in work, until the handler returns or is abandoned. */
function beat<M>(delivery: Delivered<M>, hand: Hand<M>, log: Logger): Cancel {
  const cancel = hand.timers.every(hand.heartbeatMs, () => {
    try {
      delivery.working();
    } catch (error) {
      log.warn('heartbeat.failed', { ...describeError(error) });
    }
  });
  hand.signal.addEventListener('abort', cancel, { once: true });
  return () => {
    hand.signal.removeEventListener('abort', cancel);
    cancel();
  };
}

/** Ids are a courtesy to the reader of the log; a `describe` that throws costs the ids, not the message. */
function idsOf<M>(delivery: Delivered<M>, hand: Hand<M>): Readonly<Record<string, string | number>> {
  try {
    return hand.describe(delivery.event);
  } catch {
    return {};
  }
}
