import { z } from 'zod';
import type { ModelAnswer, Usage } from '../port.js';

const tokens = z.int().min(0).nullish().catch(null);

/** One completion with exactly one choice. What else an answer says is not looked at. */
const completionSchema = z.object({
  model: z.string().nullish().catch(null),
  usage: z.object({ prompt_tokens: tokens, completion_tokens: tokens }).nullish().catch(null),
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
type Completion = z.infer<typeof completionSchema>;

const errorSchema = z.object({ error: z.union([z.string(), z.object({ type: z.unknown().optional(), code: z.unknown().optional() })]) });

/** Members that the error objects of providers have. An output of a contract has others. */
const errorMembers = new Set(['error', 'type', 'code', 'message', 'status', 'param', 'request_id', 'object', 'detail']);

/** Longest finish reason that is passed on; a longer one is no word of any table. */
const finishReasonMax = 64;

/**
 * Characters of a prompt for one token that no tokenizer passes over a whole prompt: prose has 4 to 5. Ollama cuts a prompt
 * to its context without a word, and its count is the only trace.
 */
const charactersPerTokenMax = 8;
/** A shorter prompt is not judged: a provider may count only what it had not cached. */
const judgedPromptMin = 4_000;

/** What was asked for, as far as an answer is compared with it. */
export interface Asked {
  readonly model: string;
  readonly promptCharacters: number;
  /** Whether an answer that does not name this model is refused. Off by default: servers answer with aliases. */
  readonly requireSameModel: boolean;
}

export interface ReadCompletion {
  readonly answer: ModelAnswer;
  /** The answer names another model than the one asked for. The name itself is not passed on. */
  readonly modelDiffers: boolean;
}

/** What a 200 says. Its status proves nothing: the body may still be an error, or no completion at all. */
export function readCompletion(body: string, asked: Asked): ReadCompletion {
  const json = parsed(body);
  const failure = errorIn(json) ?? (isErrorBody(json) ? 'error_in_answer' : null);
  if (failure !== null) return { answer: { kind: 'failed', code: failure }, modelDiffers: false };
  const read = completionSchema.safeParse(json);
  if (!read.success) return { answer: { kind: 'failed', code: 'answer_unreadable' }, modelDiffers: false };
  const { model } = read.data;
  const modelDiffers = typeof model === 'string' && model !== '' && model !== asked.model;
  return { answer: answerOf(read.data, asked), modelDiffers };
}

function answerOf(completion: Completion, { model, promptCharacters, requireSameModel }: Asked): ModelAnswer {
  // An answer that names no model does not say that it is the same.
  if (requireSameModel && completion.model !== model) return { kind: 'failed', code: 'model_mismatch' };
  const usage = usageOf(completion);
  if (promptCharacters >= judgedPromptMin && promptCharacters > charactersPerTokenMax * (usage.promptTokens ?? Number.POSITIVE_INFINITY)) {
    return { kind: 'failed', code: 'prompt_truncated' };
  }
  const [{ finish_reason: finishReason, message }] = completion.choices;
  // A refusal and a tool call are said by fields of their own; the stop word beside them may be an ordinary one.
  if (typeof message.refusal === 'string' && message.refusal !== '') return { kind: 'generated', text: '', finishReason: 'refusal', usage };
  if ((message.tool_calls ?? []).length > 0 || message.function_call) {
    return { kind: 'generated', text: '', finishReason: 'tool_calls', usage };
  }
  const text = message.content ?? '';
  const failure = errorIn(parsed(text));
  if (failure !== null) return { kind: 'failed', code: failure };
  return { kind: 'generated', text, finishReason: finishReason?.slice(0, finishReasonMax) ?? null, usage };
}

/** A prompt of no tokens was not counted: some servers leave out what they had cached. */
const usageOf = ({ usage }: Completion): Usage => ({
  promptTokens: usage?.prompt_tokens || null,
  completionTokens: usage?.completion_tokens ?? null,
});

/** A provider's error object, alone: delivered with a 200, or as the text of an answer (F12). */
export function errorIn(json: unknown): 'rate_limit_in_answer' | 'error_in_answer' | null {
  const read = errorSchema.safeParse(json);
  if (!read.success || !hasErrorMembersOnly(json as object)) return null;
  const { error } = read.data;
  const words = typeof error === 'string' ? [] : [error.type, error.code];
  return words.some((word) => typeof word === 'string' && /^rate_?limit/i.test(word)) ? 'rate_limit_in_answer' : 'error_in_answer';
}

/** Spellings of an error that only a whole body may have: as a text they could be somebody's output. */
const isErrorBody = (json: unknown): boolean =>
  isObject(json) && ('detail' in json || json['object'] === 'error') && hasErrorMembersOnly(json);

const hasErrorMembersOnly = (json: object): boolean => Object.keys(json).every((member) => errorMembers.has(member));

const isObject = (json: unknown): json is Readonly<Record<string, unknown>> => typeof json === 'object' && json !== null;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
