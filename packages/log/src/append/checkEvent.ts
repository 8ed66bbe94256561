import { requirePlace } from '../checkSubject.js';
import { LogError } from '../errors.js';
import type { EventToAppend } from '../eventLog.js';
import { EVENT_BYTES_MAX, EVENT_HEADER_BYTES_MAX } from '../limits.js';

/** One line of visible characters: a line break in a header could smuggle in another header. */
const HEADER_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;
const HEADER_VALUE = /^[\x20-\x7e]*$/;
/** The broker's own words; with them a caller could expire, roll up or dedupe events. */
const RESERVED_HEADER = /^nats-/i;

/** Refuses what no server may see: throws `too_large`, `subject_invalid` or `header_invalid`. */
export function checkEvent(event: EventToAppend): void {
  requirePlace(event.subject);
  if (event.bytes.length > EVENT_BYTES_MAX) {
    throw new LogError('too_large', `an event has at most ${EVENT_BYTES_MAX} bytes`, [event.subject, `bytes ${event.bytes.length}`]);
  }
  checkHeaders(event);
}

function checkHeaders(event: EventToAppend): void {
  let headerBytes = 0;
  for (const [name, value] of Object.entries(event.headers ?? {})) {
    if (!HEADER_NAME.test(name) || RESERVED_HEADER.test(name) || !HEADER_VALUE.test(value)) {
      throw new LogError('header_invalid', 'a header has a plain name without Nats-, and one line of printable ASCII', [event.subject]);
    }
    headerBytes += name.length + value.length;
  }
  if (headerBytes > EVENT_HEADER_BYTES_MAX) {
    throw new LogError('too_large', `headers have at most ${EVENT_HEADER_BYTES_MAX} bytes together`, [event.subject]);
  }
}
