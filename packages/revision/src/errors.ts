/** Codes of this package; never reused for another meaning. */
export const revisionErrorCodes = [
  'validator_twice',
  'findings_empty',
  'budget_invalid',
  'profile_missing',
  'protected_term_empty',
] as const;

export type RevisionErrorCode = (typeof revisionErrorCodes)[number];

/** A breach by the host, with a stable code and what was expected: fatal, never an outcome of a proposal (A88). It carries no text of a proposal. */
export class RevisionError extends Error {
  override readonly name = 'RevisionError';
  constructor(
    readonly code: RevisionErrorCode,
    readonly expected: string,
    readonly place?: string,
  ) {
    super(`${code}${place === undefined ? '' : ` at ${place}`}: expected ${expected}`);
  }
}
