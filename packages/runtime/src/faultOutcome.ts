import { describeError } from './describeError.js';
import type { RuntimeCode } from './errors.js';
import { again, type Outcome, retry, stop } from './outcome.js';
import { faultDelayMs } from './retryDelay.js';

/**
 * What a thrown error is for the message in hand. Errors that say themselves whether another try may help (`nature`, as
 * those of the log do) are no bugs: what passes is waited for, and what lasts stops the process. Everything else is a bug
 * or a fault of this very message, which comes again until it is set aside.
 */
export function faultOutcome(error: unknown, deliveries: number): Outcome {
  const { code, error: name } = describeError(error);
  const nature = error instanceof Error && 'nature' in error ? error.nature : undefined;
  if (nature === 'passes') return again(code ?? name);
  if (nature === 'lasts') return stop(code ?? name);
  return retry(faultDelayMs(deliveries), 'handler_threw' satisfies RuntimeCode);
}
