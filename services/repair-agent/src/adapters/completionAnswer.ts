import { z } from 'zod';
import type { Generated } from '../ports.js';

/** One completion with exactly one choice. What else an answer says is not looked at. */
const completionSchema = z.object({
  choices: z.tuple([
    z.object({
      finish_reason: z.string().nullish(),
      message: z.object({
        content: z.string().nullish(),
        refusal: z.string().nullish(),
        tool_calls: z.array(z.unknown()).nullish(),
        function_call: z.unknown().optional(),
      }),
    }),
  ]),
});

const errorSchema = z.object({ error: z.union([z.string(), z.object({ type: z.unknown().optional(), code: z.unknown().optional() })]) });

/** Members that the error objects of providers have. An output of a contract has others. */
const errorMembers = new Set(['error', 'type', 'code', 'message', 'status', 'param', 'request_id', 'object', 'detail']);

/** Longest finish reason that is passed on; a longer one is no word of any table. */
const finishReasonMax = 64;

/** What a 200 says. Its status proves nothing: the body may still be an error, or no completion at all. */
export function readCompletion(body: string): Generated {
  const json = parsed(body);
  if (errorIn(json)) return { kind: 'failed', code: errorCodeOf(json) };
  const completion = completionSchema.safeParse(json);
  if (!completion.success) return { kind: 'failed', code: 'answer_unreadable' };
  const [{ finish_reason: finishReason, message }] = completion.data.choices;
  // A refusal and a tool call are said by fields of their own; the stop word beside them may be an ordinary one.
  if (typeof message.refusal === 'string' && message.refusal !== '') return { kind: 'generated', text: '', finishReason: 'refusal' };
  if ((message.tool_calls ?? []).length > 0 || message.function_call) return { kind: 'generated', text: '', finishReason: 'tool_calls' };
  const text = message.content ?? '';
  const written = parsed(text);
  if (errorIn(written)) return { kind: 'failed', code: errorCodeOf(written) };
  return { kind: 'generated', text, finishReason: finishReason?.slice(0, finishReasonMax) ?? null };
}

/** A provider's error object, alone: delivered with a 200, or as the text of an answer (F12). */
function errorIn(json: unknown): boolean {
  if (!errorSchema.safeParse(json).success) return false;
  return Object.keys(json as object).every((member) => errorMembers.has(member));
}

function errorCodeOf(json: unknown): 'rate_limit_in_answer' | 'error_in_answer' {
  const { error } = errorSchema.parse(json);
  const words = typeof error === 'string' ? [] : [error.type, error.code];
  return words.some((word) => typeof word === 'string' && /^rate_?limit/i.test(word)) ? 'rate_limit_in_answer' : 'error_in_answer';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
