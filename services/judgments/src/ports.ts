import type { EncodedEvent, EventRead } from '@emend/contracts';

/** What stands on a place, read without trust. It stands there for ever. */
export interface PlacedEvent {
  readonly subject: string;
  readonly sequence: number;
  readonly read: EventRead;
}

export type AppendOutcome =
  | { readonly kind: 'appended' | 'already' | 'conflict' | 'full' }
  /** Stored or not, nobody knows. */
  | { readonly kind: 'unknown'; readonly cause: string };

/**
 * The service's only way to the log. It has no word for a source, a quarantine, a trace or an object: a judgment is
 * decided without the text that the run was about.
 */
export interface JudgmentLog {
  /** What stands there, or null: which proves nothing. */
  get(place: string): Promise<PlacedEvent | null>;
  /** The judgments of a run that can be seen, of every authority. More may be there. */
  judgmentsOf(run: string): Promise<readonly PlacedEvent[]>;
  /** After a `conflict`, `get` finds what stands there. */
  append(event: EncodedEvent): Promise<AppendOutcome>;
}
