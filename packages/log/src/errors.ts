/**
 * What becomes of a fault if the same call is made again: it `passes` by itself, it `lasts` until somebody changes the
 * broker or the process is started anew, or it is `of_event`: another event would not have it.
 */
export type FaultNature = 'passes' | 'lasts' | 'of_event';

/** Every code this package can raise. A code is never reused for another meaning. */
const natures = {
  too_large: 'of_event',
  permission_denied: 'lasts',
  stream_missing: 'lasts',
  stream_unfit: 'lasts',
  view_missing: 'lasts',
  objects_missing: 'lasts',
  objects_full: 'lasts',
  consumer_missing: 'lasts',
  subject_invalid: 'of_event',
  header_invalid: 'of_event',
  credentials_invalid: 'lasts',
  credentials_unreadable: 'lasts',
  definition_invalid: 'lasts',
  definition_differs: 'lasts',
  write_unproven: 'lasts',
  not_connected: 'passes',
  no_responders: 'passes',
  timeout: 'passes',
  closed: 'lasts',
  log_went_back: 'lasts',
  server_unsupported: 'lasts',
  jetstream_missing: 'lasts',
  server_missing: 'lasts',
  server_failed: 'lasts',
  store_in_use: 'lasts',
  broker_refused: 'lasts',
} as const satisfies Readonly<Record<string, FaultNature>>;

export type LogErrorCode = keyof typeof natures;

/**
 * A fault of the log or of its set-up. `details` hold subjects, names, codes and numbers, never payload text,
 * so an error may be logged as it is.
 */
export class LogError extends Error {
  override readonly name = 'LogError';
  readonly code: LogErrorCode;
  /** The one answer to whether another try may help; `@emend/runtime` handles messages by it. */
  readonly nature: FaultNature;
  readonly details: readonly string[];

  constructor(code: LogErrorCode, message: string, details: readonly string[] = []) {
    super(message);
    this.code = code;
    this.nature = natures[code];
    this.details = details;
  }
}
