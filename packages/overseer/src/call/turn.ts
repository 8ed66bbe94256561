import type { Diagnostic, FinishMeaning, JsonValue } from '@emend/contracts';
import type { ModelFailedCode, ModelNotGeneratedCode, ModelRequest, Usage } from '@emend/model';
import type { Edit } from '../edits.js';
import type { OutputRepairCandidate } from './candidate.js';

/** The text fits its contract. To whoever asked, each way to get there looks the same but for the mark (O17). */
export interface Completed {
  readonly kind: 'completed';
  readonly output: JsonValue;
  /** The canonical form of the output. */
  readonly text: string;
  /** `repaired`: by the decoder's lossless edits. `overseen`: by one overseer call. */
  readonly obtained: 'exact' | 'repaired' | 'overseen';
  /** What the decoder changed; empty unless `repaired`. */
  readonly edits: readonly Edit[];
}

/** The text is no output. */
export interface Malformed {
  readonly kind: 'malformed';
  readonly diagnostic: Diagnostic;
  /** Null where the text must not be repaired: cut off, refused, too large, empty, a tool call. */
  readonly candidate: OutputRepairCandidate | null;
}

/** Said by the provider, or in place of an answer (F12): a fault of the call, not of an output. */
export interface Failed {
  readonly kind: 'failed';
  readonly code: ModelFailedCode;
}

/** What came of one invocation. */
export type Turn =
  | Completed
  | Malformed
  | Failed
  | { readonly kind: 'not_generated'; readonly code: ModelNotGeneratedCode }
  /** The caller gave up. Nobody retries, and nothing is filed as transient. */
  | { readonly kind: 'cancelled' };

/** One call of a model, for accounts. */
export interface Call {
  readonly call: 'primary' | 'overseer';
  readonly model: string;
  /** What its stop word means; `unknown` is for counting. Null where there was no answer. */
  readonly finish: FinishMeaning | null;
  readonly usage: Usage;
}

export interface Invoked {
  readonly turn: Turn;
  /** Every call that was made, the one that failed included. */
  readonly calls: readonly Call[];
}

/** What a caller asks for. The contract is the completion protocol's to say, and the model the wiring's. */
export interface InvocationRequest extends Omit<ModelRequest, 'contract'> {
  /** The caller's own name for this invocation, in the trace: a token of letters, digits, `_` and `-`. */
  readonly invocation: string;
  readonly run?: string;
}

/** The port that a worker calls (O11). A decorator has the same one inside and outside. */
export interface Invocation {
  invoke(request: InvocationRequest): Promise<Invoked>;
}
