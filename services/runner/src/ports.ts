import type { CallCounts, Diagnostic, EncodedEvent, EventData, EventRead, JsonValue } from '@emend/contracts';
import type { ModelIdentity, ModelRequest } from '@emend/model';
import type { FailureCode } from './domain/failureCodes.js';

/** Reads places of the log. Presence only: null proves nothing. */
export interface LogReader {
  get(place: string): Promise<EventRead | null>;
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

/** One answer, asked for by the holder of a stored claim only. */
export interface AnswerRequest extends Pick<ModelRequest, 'messages' | 'limits' | 'signal'> {
  readonly run: string;
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
