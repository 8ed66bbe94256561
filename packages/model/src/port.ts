import type { JsonObject, Provenance } from '@emend/contracts';
import type { ModelFailedCode, ModelNotGeneratedCode } from './decisions/failureCodes.js';

export interface ChatMessage {
  readonly role: 'system' | 'user';
  readonly content: string;
}

/** A message of a request that goes on from an earlier answer, as a revision does. */
export interface ConversationMessage {
  readonly role: ChatMessage['role'] | 'assistant';
  readonly content: string;
}

/** One generation, as its caller asks for it. Which model answers, and how it is reached, is not the caller's to say. */
export interface ModelRequest {
  readonly messages: readonly ConversationMessage[];
  /** What the output must be. Where the provider has a word for it, it is asked to hold its output to the schema. */
  readonly contract: { readonly name: string; readonly schema: JsonObject };
  /** `generationMs` is the time from the call to the last byte of its answer. */
  readonly limits: { readonly outputTokensMax: number; readonly generationMs: number };
  /** Aborts when the caller gives up. */
  readonly signal: AbortSignal;
}

/** Tokens as the provider counted them, for accounts; null where it said nothing. */
export interface Usage {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
}

export const usageUnsaid: Usage = { promptTokens: null, completionTokens: null };

/** What came of one call. There is no text in it but `text`. */
export type ModelAnswer<Failed extends string = ModelFailedCode, NotGenerated extends string = ModelNotGeneratedCode> =
  | { readonly kind: 'generated'; readonly text: string; readonly finishReason: string | null; readonly usage: Usage }
  /** A generation may have taken place: never asked again. */
  | { readonly kind: 'failed'; readonly code: Failed }
  /** Proof that none took place, for a cause that is not the request: the caller may wait and ask again. */
  | { readonly kind: 'not_generated'; readonly code: NotGenerated };

/** What runs, without the learned adapter: that is the declaration's to say (T69 to T72). */
export type ModelIdentity = Pick<Provenance, 'provider' | 'model' | 'executionAdapter' | 'catalog'>;

/**
 * Whatever answers a prompt. One call sends at most one request upstream, and nothing it returns or throws carries a
 * request's or an answer's text, except `text`. A decorator is a function from a model to a model; who adds codes or needs
 * more in a request says so in the two parameters.
 */
export interface Model<Request extends ModelRequest = ModelRequest, Answer = ModelAnswer> {
  readonly identity: ModelIdentity;
  generate(request: Request): Promise<Answer>;
}
