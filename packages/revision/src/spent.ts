import type { CallAnswer, Usage } from './callPort.js';

/** What a branch has cost so far: three counters, never merged, and one entry of the ledger for each attempt (A106). */
export interface Spent {
  /** Semantic attempts: the requests that were made for this proposal. */
  readonly attempts: number;
  readonly structuralRepairs: number;
  readonly transportRetries: number;
  /** Of each attempt, in their order. */
  readonly usage: readonly Usage[];
}

export const nothingSpent: Spent = { attempts: 0, structuralRepairs: 0, transportRetries: 0, usage: [] };

/** An attempt counts once it is made; what went on below it counts where the port came back and said so. */
export const withCall = (spent: Spent, answer: CallAnswer | null): Spent => ({
  attempts: spent.attempts + 1,
  structuralRepairs: spent.structuralRepairs + (answer?.structuralRepairs ?? 0),
  transportRetries: spent.transportRetries + (answer?.transportRetries ?? 0),
  usage: [...spent.usage, answer?.usage ?? { promptTokens: null, completionTokens: null }],
});
