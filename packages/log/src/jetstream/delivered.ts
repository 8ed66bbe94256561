import type { Msg } from '@nats-io/transport-node';
import { LogError } from '../errors.js';
import type { StoredEvent } from '../eventLog.js';
import { ownHeaders } from './messageHeaders.js';

/** Where a consumer's message stands, as its reply subject says. */
export interface Position {
  readonly deliveries: number;
  readonly streamSequence: number;
  readonly consumerSequence: number;
  /** Messages that still wait behind this one. */
  readonly pending: number;
}

// `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream seq>.<consumer seq>.<time>.<pending>`; the newer form has
// a domain and an account hash before the stream, and may have more behind.
const SHORT_TOKENS = 9;
const LONG_TOKENS_MIN = 11;

export function positionOf(message: Msg): Position {
  const tokens = message.reply?.split('.') ?? [];
  const start = tokens.length === SHORT_TOKENS ? 4 : tokens.length >= LONG_TOKENS_MIN ? 6 : tokens.length;
  const deliveries = Number(tokens[start]);
  const streamSequence = Number(tokens[start + 1]);
  const consumerSequence = Number(tokens[start + 2]);
  const pending = Number(tokens[start + 4]);
  if (!(deliveries > 0 && streamSequence > 0 && consumerSequence > 0 && pending >= 0)) {
    throw new LogError('broker_refused', 'a consumer message without a position', [`tokens ${tokens.length}`]);
  }
  return { deliveries, streamSequence, consumerSequence, pending };
}

/** The headers are read when they are asked for: the client takes as long for them as `JSON.parse` for the whole event. */
export function eventOf(message: Msg, sequence: number): StoredEvent {
  return {
    subject: message.subject,
    sequence,
    bytes: message.data,
    get headers() {
      return ownHeaders(message.headers);
    },
  };
}
