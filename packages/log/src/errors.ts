/** Every code this package can raise. A code is never reused for another meaning. */
export type LogErrorCode =
  | 'too_large'
  | 'permission_denied'
  | 'stream_missing'
  | 'stream_unfit'
  | 'view_missing'
  | 'consumer_missing'
  | 'subject_invalid'
  | 'header_invalid'
  | 'credentials_invalid'
  | 'credentials_unreadable'
  | 'definition_invalid'
  | 'definition_differs'
  | 'write_unproven'
  | 'not_connected'
  | 'no_responders'
  | 'timeout'
  | 'closed'
  | 'log_went_back'
  | 'server_unsupported'
  | 'server_missing'
  | 'server_failed'
  | 'store_in_use'
  | 'broker_refused';

/**
 * A fault of the log or of its set-up. `details` hold subjects, names, codes and numbers, never payload text,
 * so an error may be logged as it is.
 */
export class LogError extends Error {
  override readonly name = 'LogError';
  readonly code: LogErrorCode;
  readonly details: readonly string[];

  constructor(code: LogErrorCode, message: string, details: readonly string[] = []) {
    super(message);
    this.code = code;
    this.details = details;
  }
}
