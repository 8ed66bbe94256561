/** First delay after a handler that threw. */
export const FAULT_DELAY_MS = 1_000;
/** Longest delay between two deliveries, whoever asked for it. */
export const RETRY_DELAY_MAX_MS = 60_000;

/** First pause before a message that stayed in hand is handled again; it doubles up to the longest. */
export const AGAIN_FIRST_MS = 500;
export const AGAIN_MAX_MS = 15_000;

/** The pause before the next try in hand. */
export const againDelayMs = (tries: number): number => Math.min(AGAIN_MAX_MS, AGAIN_FIRST_MS * 2 ** Math.min(tries, 16));

/** The delay after a throw: doubles with each delivery, up to the limit. */
export function faultDelayMs(deliveries: number): number {
  return boundedDelayMs(FAULT_DELAY_MS * 2 ** Math.max(0, deliveries - 1));
}

/** A delay the broker can take: whole milliseconds from 0 to the limit; what is not a number counts as the first delay. */
export function boundedDelayMs(afterMs: number): number {
  if (Number.isNaN(afterMs)) return FAULT_DELAY_MS;
  return Math.round(Math.min(Math.max(afterMs, 0), RETRY_DELAY_MAX_MS));
}
