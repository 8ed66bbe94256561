import type { JsonObject } from '@emend/contracts';
import { type ConversationMessage, type Model, type Usage, usageUnsaid } from '@emend/model';

/** What a call of yours is asked for. */
export interface CallRequest {
  /** For `primary` the messages you gave; for `overseer` two of our own, which replace them. */
  readonly messages: readonly ConversationMessage[];
  /** JSON Schema of the answer, where your provider can be held to one. */
  readonly schema: JsonObject;
  /** The model to ask instead of your usual one. */
  readonly model?: string;
  readonly purpose: 'primary' | 'overseer';
  readonly signal: AbortSignal;
}

export interface CallAnswer {
  readonly text: string;
  /** The provider's own word, as it came; null where there is none. Without it nothing inside the structure can be repaired. */
  readonly finishReason: string | null | undefined;
  readonly usage?: Partial<Usage> | undefined;
}

/** One call of a model, without retries of its own. */
export type CallModel = (request: CallRequest) => Promise<CallAnswer>;

/** The name of a model that has none here: the one your call usually asks. */
export const originatingModel = 'originating';

/** A model port over a call of yours. */
export function calledModel(callModel: CallModel, purpose: CallRequest['purpose'], name?: string): Model {
  return {
    identity: {
      provider: 'caller',
      model: name ?? originatingModel,
      executionAdapter: 'repairable@1',
      catalog: { digest: '', generation: 0 },
    },
    async generate({ messages, contract, signal }) {
      const asked = { messages, schema: contract.schema, purpose, signal };
      const { text, finishReason, usage } = await callModel(name === undefined ? asked : { ...asked, model: name });
      return { kind: 'generated', text, finishReason: finishReason ?? null, usage: { ...usageUnsaid, ...usage } };
    },
  };
}
