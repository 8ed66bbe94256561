/** Codes of this package; never reused for another meaning. */
export type CliErrorCode =
  | 'home_missing'
  | 'service_missing'
  | 'definitions_unreadable'
  | 'declaration_unreadable'
  | 'declaration_invalid'
  | 'ingest_unreadable'
  | 'service_failed'
  | 'stack_running'
  | 'judgment_file_invalid'
  | 'run_name_invalid'
  | 'agent_name_invalid'
  | 'url_holds_password'
  | 'data_unusable'
  | 'operator_invalid'
  | 'reason_invalid'
  | 'audit_failed'
  | 'quarantine_empty';

/** A refusal with a stable code and the place concerned (a file, a service, a line); never payload text. */
export class CliError extends Error {
  override readonly name = 'CliError';
  constructor(
    readonly code: CliErrorCode,
    readonly place: string,
    readonly expected?: string,
  ) {
    super(`${code}: ${place}${expected === undefined ? '' : `: expected ${expected}`}`);
  }
}
