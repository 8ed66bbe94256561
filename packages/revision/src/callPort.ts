import type { JsonObject } from '@emend/contracts';
import type { Message } from './conversation.js';

/** What a provider said that one call cost; null where it said nothing. */
export interface Usage {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
}

/** What happened below the engine while it waited: never a turn, never a semantic attempt (A56, A106). */
export interface CallCounts {
  readonly transportRetries: number;
  readonly structuralRepairs: number;
  readonly usage: Usage;
}

export type CallAnswer =
  | ({ readonly kind: 'answered'; readonly text: string } & CallCounts)
  /** The call ended without an answer, its own retries and structural repairs spent: an outage, a context too small, an answer cut off (A120). */
  | ({ readonly kind: 'failed'; readonly code: string } & CallCounts);

export interface RevisionCall {
  readonly messages: readonly Message[];
  /** Of the answer: the contract of this call alone (A87). */
  readonly schema: JsonObject;
  readonly profile: string;
  readonly signal: AbortSignal;
}

/**
 * The way to a model. Admission, timeouts, transport retries and structural repair are its own (A83, A90, A118).
 * What it throws ends the stage: it is for faults of the program, not of the provider.
 */
export type CallPort = (call: RevisionCall) => Promise<CallAnswer>;
