import { type Asked, type ReadCompletion, readCompletion } from './completionAnswer.js';
import { readRefusal } from './refusedStatus.js';

export { readTransportFault } from './transportFault.js';

/** What a provider answered: its status, and its body where that kept its bound. */
export interface ProviderAnswer {
  readonly status: number;
  readonly body: string | null;
}

/**
 * What an answer proves: by its status, then by the codes we know; a sentence narrows a 4xx and nothing else.
 * `readTransportFault` says the same of an answer that did not come.
 */
export function classifyAnswer({ status, body }: ProviderAnswer, asked: Asked): ReadCompletion {
  if (status !== 200) return { answer: readRefusal(status, body ?? ''), modelDiffers: false };
  if (body === null) return { answer: { kind: 'failed', code: 'answer_too_large' }, modelDiffers: false };
  return readCompletion(body, asked);
}
