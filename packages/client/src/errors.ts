/** Codes of this package; never reused for another meaning. */
export type ClientErrorCode =
  | 'place_taken'
  | 'log_full'
  | 'append_unknown'
  | 'reference_missing'
  | 'contract_unknown'
  | 'contract_hash_differs'
  | 'agent_not_intact'
  | 'run_ended'
  | 'reply_invalid'
  | 'command_invalid'
  | 'event_unreadable';

/** A refusal with a stable code and the place concerned; never payload text. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  constructor(
    readonly code: ClientErrorCode,
    readonly place: string,
  ) {
    super(`${code}: ${place}`);
  }
}
