import type { CallCounts, Diagnostic, EventData, JsonValue } from '@emend/contracts';
import type { ModelIdentity, ModelRequest } from '@emend/model';
import type { FailureCode } from './domain/failureCodes.js';

/** One invocation, asked for by the holder of a stored claim only. */
export interface AnswerRequest extends Pick<ModelRequest, 'messages' | 'limits' | 'signal'> {
  readonly run: string;
  /** The name of this invocation in the run trace. */
  readonly invocation: string;
  /** Of the messages: a broker that renders them again compares. */
  readonly promptHash: string;
}

/** What came of it. Semantic rules come later. */
export type AnsweredTurn =
  | ({ readonly kind: 'output'; readonly output: JsonValue; readonly canonical: string } & Pick<
      EventData<'outputProduced'>,
      'completion' | 'edits'
    >)
  | { readonly kind: 'malformed'; readonly diagnostic: Diagnostic }
  | { readonly kind: 'failed'; readonly code: FailureCode };

export interface Answered {
  readonly turn: AnsweredTurn;
  readonly calls: CallCounts;
  /** The model's own text, where it wrote one. For the quarantine, and for nobody else. */
  readonly text: string | null;
}

/** The model of one declaration, with ring 1 around its call or without. Never rejects. */
export interface Answering {
  readonly identity: ModelIdentity;
  answer(request: AnswerRequest): Promise<Answered>;
}

/** Where the raw text of a failed run goes, and nowhere else. Never rejects: a run that ended does not depend on it. */
export interface Quarantine {
  setAside(run: string, text: string): Promise<void>;
}
