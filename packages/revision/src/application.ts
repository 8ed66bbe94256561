import type { Branch } from './branch.js';

/** Why an approved proposal could not be applied. There is no second repair for it (A42). */
export const refusalReasons = {
  stale: 'What it refers to is not there, or no longer there once.',
  conflict: 'An edit that was applied before has the same place.',
  protected: 'It would change what is protected.',
} as const;

export type RefusalReason = keyof typeof refusalReasons;

export type Applied<S> = { readonly kind: 'applied'; readonly document: S } | { readonly kind: 'refused'; readonly reason: RefusalReason };

/** One proposal to one document. Pure. */
export type Apply<S, P> = (document: S, proposal: P) => Applied<S>;

/** What became of a proposal in the end. */
export const dispositions = {
  approved_applied: 'Approved, and it is in the document.',
  approved_not_applied: 'Approved, and the document refused it; the code says why.',
  withdrawn: 'The model took it back.',
  exhausted: 'Rejected, and no attempt was left.',
  unavailable: 'An assessment or a call could not be had; the code is the one that was given for it.',
  unusable: 'The last reply brought nothing in; the code says why.',
  no_effect: 'It would have changed nothing.',
  cancelled: 'The stage was cancelled.',
} as const;

export type Disposition = keyof typeof dispositions;

/** A branch and its disposition. `code` is also the reason of a refusal. */
export interface Outcome<P> extends Omit<Branch<P>, 'end'> {
  readonly disposition: Disposition;
}

/** Applies what was approved, in the order of the proposals (A38). The rest contributes nothing (A39). */
export function applyInOrder<S, P>(
  branches: readonly Branch<P>[],
  document: S,
  apply: Apply<S, P>,
): { readonly document: S; readonly outcomes: readonly Outcome<P>[] } {
  let current = document;
  const outcomes = branches.map(({ end, ...branch }): Outcome<P> => {
    if (end !== 'approved') return { ...branch, disposition: end };
    const result = apply(current, branch.candidate.proposal);
    if (result.kind === 'refused') return { ...branch, disposition: 'approved_not_applied', code: result.reason };
    current = result.document;
    return { ...branch, disposition: 'approved_applied' };
  });
  return { document: current, outcomes };
}
