import type { EncodedEvent, EventRead } from '@emend/contracts';
import type { PlacedEvent } from './decisions/placedEvent.js';

/** Reads places of the log. Presence only: null proves nothing. It has no word for a quarantine, a trace or an object (T79 to T82). */
export interface PlaceReader {
  get(place: string): Promise<PlacedEvent | null>;
}

/** What became of an append. */
export type AppendOutcome =
  | { readonly kind: 'appended' | 'already' | 'full' }
  | { readonly kind: 'conflict'; readonly existing: EventRead }
  | { readonly kind: 'unknown'; readonly cause: string };

/** Rejects where the broker refuses for good. */
export interface EventAppender {
  append(event: EncodedEvent): Promise<AppendOutcome>;
}
