import type { EncodedEvent, EventRead, Incident } from '@emend/contracts';

/** What stands on a place, read without trust. */
export interface PlacedEvent {
  readonly sequence: number;
  readonly read: EventRead;
}

/**
 * The coordinator's only way to read: one place of the log at a time. It has no word for a quarantine, a trace
 * or an object, so nothing of them can be read while deciding (T45).
 */
export interface EventReader {
  /** What stands there, or null: which proves nothing. */
  get(place: string): Promise<PlacedEvent | null>;
  /** The same, asked again for a minute before a named reference counts as missing; `stopped` is no answer. */
  getNamed(place: string): Promise<PlacedEvent | null | 'stopped'>;
}

/** Something an operator should see. Rejects where it could not be stored. */
export interface Incidents {
  raise(incident: Omit<Incident, 'service' | 'time'>): Promise<void>;
}

export type AppendOutcome = 'appended' | 'already' | 'conflict' | 'full' | 'unknown';

export interface RequestAppender {
  append(request: EncodedEvent): Promise<AppendOutcome>;
}
