/** Codes of this package; never reused for another meaning. */
export const contractsErrorCodes = [
  'json_too_deep',
  'json_not_canonical',
  'contract_schema_invalid',
  'contract_definition_invalid',
  'contract_declared_twice',
  'policy_definition_invalid',
  'event_invalid',
  'event_too_large',
  'incident_invalid',
] as const;

export type ContractsErrorCode = (typeof contractsErrorCodes)[number];

/** A refusal with a stable code and what was expected. It never carries payload text, and so never a `cause` that might. */
export class ContractsError extends Error {
  override readonly name = 'ContractsError';
  constructor(
    readonly code: ContractsErrorCode,
    readonly expected: string,
    readonly place?: string,
  ) {
    super(`${code}${place === undefined ? '' : ` at ${place}`}: expected ${expected}`);
  }
}
