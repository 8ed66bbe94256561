/** What a handler says about its message. Only the loop turns this into an acknowledgement. */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'skip'; readonly reason: string }
  | { readonly kind: 'retry'; readonly afterMs: number; readonly cause: string }
  | { readonly kind: 'again'; readonly cause: string }
  | { readonly kind: 'stop'; readonly cause: string };

export type OutcomeKind = Outcome['kind'];

/** The work is finished, now or at an earlier delivery: acknowledge. */
export const done: Outcome = { kind: 'done' };

/** Nothing is to be done for this message; acknowledged, counted and logged under `reason`, a code. */
export const skip = (reason: string): Outcome => ({ kind: 'skip', reason });

/** Deliver it again after `afterMs`. Each delivery counts: above the limit the message is set aside. */
export const retry = (afterMs: number, cause: string): Outcome => ({ kind: 'retry', afterMs, cause });

/** What the work needs does not answer for now: the message stays in hand and is handled again, which costs no delivery. */
export const again = (cause: string): Outcome => ({ kind: 'again', cause });

/** This process cannot go on: the message stays unacknowledged and the loop ends. */
export const stop = (cause: string): Outcome => ({ kind: 'stop', cause });
