import {
  canonicalHash,
  type EncodedEvent,
  encodeEvent,
  type EventDraft,
  type EventName,
  type EventOf,
  readEvent,
  type ThoughtEvent,
} from '@emend/contracts';
import type { EventLog } from '@emend/log';
import { ClientError } from './errors.js';

export interface Appended<Name extends EventName> {
  readonly event: EventOf<Name>;
  readonly sequence: number;
  /** False where the same was said before: the event that stands there is returned. */
  readonly fresh: boolean;
}

/**
 * Appends what a producer says. Saying it again is no error: an event that differs in its time alone was said before,
 * and the first one stands.
 * @throws ClientError `place_taken` where something else stands there, `log_full`, `append_unknown` (try again: nothing is lost)
 */
export const appendOnce = <Name extends EventName>(log: EventLog, draft: EventDraft<Name>): Promise<Appended<Name>> =>
  appendEncodedOnce<Name>(log, encodeEvent(draft));

/** As {@link appendOnce}, for an event that is written already. */
export async function appendEncodedOnce<Name extends EventName>(log: EventLog, encoded: EncodedEvent): Promise<Appended<Name>> {
  const appended = await log.append(encoded);
  switch (appended.kind) {
    case 'appended':
    case 'already':
      return { event: eventOf<Name>(encoded), sequence: appended.sequence, fresh: appended.kind === 'appended' };
    case 'conflict': {
      const standing = readEvent(appended.existing);
      if (standing.kind !== 'event' || saidBy(standing.event) !== saidBy(eventOf(encoded))) {
        throw new ClientError('place_taken', encoded.subject);
      }
      // Same place and same data: the name is the draft's.
      return { event: standing.event as EventOf<Name>, sequence: appended.existing.sequence, fresh: false };
    }
    case 'full':
      throw new ClientError('log_full', encoded.subject);
    case 'unknown':
      throw new ClientError('append_unknown', encoded.subject);
    default:
      return appended satisfies never;
  }
}

function eventOf<Name extends EventName>(encoded: { readonly subject: string; readonly bytes: Uint8Array }): EventOf<Name> {
  const read = readEvent(encoded);
  if (read.kind !== 'event') throw new ClientError('event_unreadable', encoded.subject);
  return read.event as EventOf<Name>;
}

const saidBy = ({ time: _time, ...said }: ThoughtEvent): string => canonicalHash(JSON.parse(JSON.stringify(said)));
