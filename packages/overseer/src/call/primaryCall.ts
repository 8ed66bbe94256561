import { finishMeaning } from '@emend/contracts';
import { type Model, type ModelAnswer, usageUnsaid } from '@emend/model';
import { type CompletionProtocol, judgeTurn } from './completionProtocol.js';
import type { Call, Invocation, Turn } from './turn.js';

/** One call of a model for each invocation, judged by the protocol. No second call of any kind. */
export function invocationOf(model: Model, protocol: CompletionProtocol): Invocation {
  const { ref, schema } = protocol.contract;
  const contract = { name: `${ref.id}@${ref.version}`, schema };
  return {
    async invoke({ messages, limits, signal }) {
      const answer = await model.generate({ messages, contract, limits, signal });
      return { turn: turnOf(answer, protocol), calls: [callOf('primary', model, answer)] };
    },
  };
}

function turnOf(answer: ModelAnswer, protocol: CompletionProtocol): Turn {
  if (answer.kind === 'generated') return judgeTurn(protocol, answer);
  return answer.kind === 'failed' && answer.code === 'call_cancelled' ? { kind: 'cancelled' } : answer;
}

/** An answer, or null where none came. */
export const callOf = (call: Call['call'], { identity }: Model, answer: ModelAnswer | null): Call => ({
  call,
  model: identity.model,
  finish: answer?.kind === 'generated' ? finishMeaning(answer.finishReason) : null,
  usage: answer?.kind === 'generated' ? answer.usage : usageUnsaid,
});
