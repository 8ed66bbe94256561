/** First delay after a handler that threw. */
export const FAULT_DELAY_MS = 1_000;
/** Longest delay between two deliveries, whoever asked for it. */
export const RETRY_DELAY_MAX_MS = 60_000;

/** The delay after a throw: doubles with each delivery, up to the limit. */
export function faultDelayMs(deliveries: number): number {
  return boundedDelayMs(FAULT_DELAY_MS * 2 ** Math.max(0, deliveries - 1));
}

/** A delay the broker can take: whole milliseconds from 0 to the limit; what is not a number counts as the first delay. */
export function boundedDelayMs(afterMs: number): number {
  if (Number.isNaN(afterMs)) return FAULT_DELAY_MS;
  return Math.round(Math.min(Math.max(afterMs, 0), RETRY_DELAY_MAX_MS));
}
