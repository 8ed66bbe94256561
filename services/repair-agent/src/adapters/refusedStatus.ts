import { z } from 'zod';
import type { Generated } from '../ports.js';

const errorBodySchema = z.object({ error: z.object({ code: z.unknown().optional(), type: z.unknown().optional() }) });

/** Words that providers use in `error.code` or `error.type` of a 4xx. Nothing is read from their sentences. */
const unknownModelWords = new Set(['model_not_found', 'invalid_model', 'unknown_model']);
const contextWords = new Set(['context_length_exceeded', 'exceed_context_size_error']);

/** What a status other than 200 proves. 5xx is ambiguous: the provider may have generated before it failed. */
export function readRefusal(status: number, body: string): Exclude<Generated, { kind: 'generated' }> {
  if (status === 401 || status === 403) return { kind: 'not_generated', code: 'authentication_refused' };
  if (status === 404) return { kind: 'not_generated', code: 'model_unknown' };
  if (status === 408) return { kind: 'failed', code: 'deadline_passed' };
  if (status === 429) return { kind: 'not_generated', code: 'rate_limited' };
  if (status >= 500) return { kind: 'failed', code: 'provider_failed' };
  if (status < 400) return { kind: 'failed', code: 'answer_unreadable' };
  const words = wordsOf(body);
  if (words.some((word) => unknownModelWords.has(word))) return { kind: 'not_generated', code: 'model_unknown' };
  return { kind: 'failed', code: words.some((word) => contextWords.has(word)) ? 'context_exceeded' : 'request_refused' };
}

function wordsOf(body: string): readonly string[] {
  try {
    const read = errorBodySchema.safeParse(JSON.parse(body));
    return read.success ? [read.data.error.code, read.data.error.type].filter((word) => typeof word === 'string') : [];
  } catch {
    return [];
  }
}
