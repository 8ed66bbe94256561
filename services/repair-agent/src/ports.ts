import type { ContractRef, EncodedEvent, EventRead, JsonObject, Provenance } from '@emend/contracts';
import type { PlacedEvent } from './domain/evidence.js';
import type { FailedCode, NotGeneratedCode } from './domain/failureCodes.js';
import type { ChatMessage } from './domain/repairPrompt.js';

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

/** One generation, asked for by the holder of the claim. */
export interface Generation {
  readonly messages: readonly ChatMessage[];
  /** Of the messages: a broker that renders them again compares. */
  readonly promptHash: string;
  readonly request: string;
  readonly repairRun: string;
  /** The place of the source. */
  readonly trigger: string;
  readonly contract: { readonly ref: ContractRef; readonly schema: JsonObject };
  readonly limits: { readonly outputTokensMax: number; readonly generationMs: number };
  /** Aborts when the process gives up on work in hand. */
  readonly signal: AbortSignal;
}

export type Generated =
  | { readonly kind: 'generated'; readonly text: string; readonly finishReason: string | null }
  /** A generation may have taken place: never asked again. */
  | { readonly kind: 'failed'; readonly code: FailedCode }
  /** Proof that none took place, for a cause that is not the request: the holder may wait and ask again. */
  | { readonly kind: 'not_generated'; readonly code: NotGeneratedCode };

/**
 * Whatever answers a prompt: an endpoint, a player of recordings, later a sandboxed worker with its broker.
 * Called by the holder of a stored claim only. One call sends at most one request upstream, and nothing it returns or
 * throws may carry a request's or an answer's text except `text`.
 */
export interface Generator {
  /** What ran, without the learned adapter: that is the declaration's to say. */
  readonly identity: Pick<Provenance, 'provider' | 'model' | 'executionAdapter' | 'catalog'>;
  generate(generation: Generation): Promise<Generated>;
}
