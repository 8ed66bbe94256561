import { z } from 'zod';
import type { ModelAnswer } from '../port.js';

/** Characters of a provider's sentence that are looked at. */
const sentenceMax = 2_000;

const errorMembers = { code: z.unknown().optional(), type: z.unknown().optional(), message: z.unknown().optional() };
/** The shapes in which providers refuse: `{error: {…}}`, `{error: "…"}`, `{object: "error", …}`, `{detail: "…"}`, `{detail: [{msg}]}`. */
const errorBodySchema = z.object({
  ...errorMembers,
  error: z.union([z.string(), z.object(errorMembers)]).optional(),
  detail: z.union([z.string(), z.array(z.object({ msg: z.string() }))]).optional(),
});

/** Words that providers use as a code or a type of a 4xx. */
const unknownModelWords = new Set(['model_not_found', 'invalid_model', 'unknown_model']);
const contextWords = new Set(['context_length_exceeded', 'exceed_context_size_error']);

/** Sentences, for providers without such a word. They narrow a 4xx and decide nothing else. */
const unknownModelSentence = /not a valid tinker path|\bmodel\b.{0,200}\b(?:does not exist|not found)/i;
const contextSentence = /context (?:length|size|window|limit)|maximum model length|(?:prompt|input)\b.{0,60}\btoo long/i;

/** What a status other than 200 proves. 5xx is ambiguous: the provider may have generated before it failed. */
export function readRefusal(status: number, body: string): Exclude<ModelAnswer, { kind: 'generated' }> {
  if (status === 401 || status === 403) return { kind: 'not_generated', code: 'authentication_refused' };
  if (status === 404) return { kind: 'not_generated', code: 'model_unknown' };
  if (status === 408) return { kind: 'failed', code: 'deadline_passed' };
  if (status === 429) return { kind: 'not_generated', code: 'rate_limited' };
  if (status >= 500) return { kind: 'failed', code: 'provider_failed' };
  if (status < 400) return { kind: 'failed', code: 'answer_unreadable' };
  const { words, sentence } = saidIn(body);
  if (words.some((word) => unknownModelWords.has(word))) return { kind: 'not_generated', code: 'model_unknown' };
  if (words.some((word) => contextWords.has(word))) return { kind: 'failed', code: 'context_exceeded' };
  if (unknownModelSentence.test(sentence)) return { kind: 'not_generated', code: 'model_unknown' };
  return { kind: 'failed', code: contextSentence.test(sentence) ? 'context_exceeded' : 'request_refused' };
}

/** Only members that are the provider's own words: elsewhere in a body it may repeat the prompt. */
function saidIn(body: string): { readonly words: readonly string[]; readonly sentence: string } {
  const read = errorBodySchema.safeParse(parsed(body));
  if (!read.success) return { words: [], sentence: '' };
  const { error, detail } = read.data;
  const objects = [read.data, ...(typeof error === 'object' ? [error] : [])];
  const details = typeof detail === 'string' ? [detail] : (detail ?? []).map(({ msg }) => msg);
  const sentences = [...objects.map(({ message }) => message), error, ...details].filter((text) => typeof text === 'string');
  return {
    words: objects.flatMap(({ code, type }) => [code, type]).filter((word) => typeof word === 'string'),
    sentence: sentences.join('\n').slice(0, sentenceMax),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
