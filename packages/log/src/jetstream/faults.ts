import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { LogError } from '../errors.js';
import { Interrupted } from './session.js';

/** What a failed call means. `passing` faults may be gone at the next try; `lasting` ones will not. */
export type Fault =
  | { readonly kind: 'passing'; readonly cause: 'timeout' | 'no_responders' | 'closed' | 'disconnected' | 'broker_busy' }
  | { readonly kind: 'lasting'; readonly error: LogError };

const SERVER_SIDE_STATUS_MIN = 500;
const STREAM_NOT_FOUND = 10059;
const CONSUMER_NOT_FOUND = 10014;

/** Sorts what the client throws. The texts of the client stay behind: only codes and the caller's own names go on. */
export function faultOf(error: unknown, subject: string): Fault {
  const cause = error instanceof Error ? error.cause : undefined;
  for (const e of [error, cause]) {
    if (e instanceof errors.PermissionViolationError) return lasting('permission_denied', 'not permitted', subject);
    if (e instanceof errors.NoRespondersError) return { kind: 'passing', cause: 'no_responders' };
    if (e instanceof errors.TimeoutError) return { kind: 'passing', cause: 'timeout' };
    if (e instanceof errors.ClosedConnectionError || e instanceof errors.DrainingConnectionError)
      return { kind: 'passing', cause: 'closed' };
  }
  if (error instanceof Interrupted) return { kind: 'passing', cause: 'disconnected' };
  if (error instanceof JetStreamApiError) return apiFault(error, subject);
  if (nameOf(error) === 'JetStreamNotEnabled') return { kind: 'passing', cause: 'no_responders' };
  if (error instanceof errors.InvalidArgumentError && error.message.includes('max_payload')) {
    return lasting('too_large', 'larger than the server takes', subject);
  }
  if (error instanceof errors.ConnectionError || error instanceof errors.RequestError) return { kind: 'passing', cause: 'disconnected' };
  return lasting('broker_refused', `the client failed with ${nameOf(error)}`, subject);
}

/** The same as an error to throw, for calls that are not repeated. */
export function toLogError(error: unknown, subject: string): LogError {
  if (error instanceof LogError) return error;
  const fault = faultOf(error, subject);
  if (fault.kind === 'lasting') return fault.error;
  const code = fault.cause === 'broker_busy' || fault.cause === 'disconnected' ? 'timeout' : fault.cause;
  return new LogError(code, `no answer: ${fault.cause}`, [subject]);
}

export function isStreamNotFound(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND;
}

export function isConsumerNotFound(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === CONSUMER_NOT_FOUND;
}

function apiFault(error: JetStreamApiError, subject: string): Fault {
  if (error.code === STREAM_NOT_FOUND) return lasting('stream_missing', 'the stream does not exist: run bootstrap', subject);
  if (error.code === CONSUMER_NOT_FOUND) return lasting('consumer_missing', 'the durable does not exist: run bootstrap', subject);
  if (error.status >= SERVER_SIDE_STATUS_MIN) return { kind: 'passing', cause: 'broker_busy' };
  return lasting('broker_refused', `the broker refused (${error.code})`, subject, `broker_${error.code}`);
}

function lasting(code: ConstructorParameters<typeof LogError>[0], message: string, ...details: string[]): Fault {
  return { kind: 'lasting', error: new LogError(code, `${message}: ${details[0] ?? ''}`, details) };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
