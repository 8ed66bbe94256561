import type { RunRequest } from '@emend/agents';
import type { EncodedEvent, EventRead } from '@emend/contracts';
import type { Model, ModelAnswer } from '@emend/model';
import type { PlacedEvent } from './domain/evidence.js';
import type { FailedCode, NotGeneratedCode } from './domain/failureCodes.js';

/** Reads the log. Presence only: null proves nothing. It has no word for a quarantine, a trace or an object (T79 to T82). */
export interface EvidenceReader {
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

/** Something an operator should see: ids, codes and counts. Never rejects. */
export interface Incidents {
  report(incident: {
    readonly code: string;
    readonly subject: string;
    readonly sequence: number;
    readonly deliveries?: number;
  }): Promise<void>;
}

/** One generation, asked for by the holder of the claim. Its id is the request's. */
export type Generation = RunRequest;

export type Generated = ModelAnswer<FailedCode, NotGeneratedCode>;

/**
 * A model as this agent asks one: an endpoint, a player of recordings, or one of them behind a sandboxed worker.
 * Called by the holder of a stored claim only.
 */
export type Generator = Model<Generation, Generated>;
