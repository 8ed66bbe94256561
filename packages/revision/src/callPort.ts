import type { JsonObject } from '@emend/contracts';
import type { Message } from './conversation.js';

/** What providers said that one attempt cost, its structural repairs included; null where none said anything. */
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
  | ({
      readonly kind: 'answered';
      /** What is read and judged. */
      readonly text: string;
      /** The reply as it came, where `text` is what structural repair made of it: the conversation goes on with this one (A48, A55). */
      readonly received?: string;
    } & CallCounts)
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
