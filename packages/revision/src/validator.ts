import type { Candidate } from './candidate.js';

/** What a validator holds against a candidate, within its own remit (A3, A72). */
export interface Complaint {
  /** Stable, in the validator's own words; the engine knows {@link noEffectCode} and no other. */
  readonly code: string;
  /** One or two sentences that tell the model what is wrong. */
  readonly explanation: string;
  /** What it saw: the spelling that is protected, the meaning that changed. */
  readonly evidence?: readonly string[];
  /** What a better version has to keep to. */
  readonly constraints?: readonly string[];
}

/** A complaint with the name of its validator, which the engine adds: nobody speaks for another. */
export interface Finding extends Complaint {
  readonly validator: string;
}

/** What one validator says of one candidate. `unavailable` is no finding: the check could not be made (A19, A81). */
export type Assessment =
  | { readonly kind: 'approved' }
  | { readonly kind: 'findings'; readonly findings: readonly Complaint[] }
  | { readonly kind: 'unavailable'; readonly code: string }
  | { readonly kind: 'not_applicable' };

/** The code of a finding that ends a proposal without repair: it would change nothing (A128). */
export const noEffectCode = 'no_effect';

/**
 * One check. Its `needs` are its row of the applicability map: the facts that a candidate must have for the check to mean something (A129).
 * It may look at the candidate and at what is fixed for the request, never at what becomes of other proposals: that would depend on the schedule.
 */
export interface Validator<P, F extends string = string> {
  readonly id: string;
  readonly kind: 'deterministic' | 'model_backed';
  readonly needs: readonly F[];
  /** A failing provider is `unavailable`. What it throws is fatal for the stage. */
  assess(candidate: Candidate<P>, signal: AbortSignal): Assessment | Promise<Assessment>;
}
