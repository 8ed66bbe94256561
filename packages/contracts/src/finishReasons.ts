/** What a provider's stop word means for the text it ends. */
export type FinishMeaning = 'complete' | 'truncated' | 'refused' | 'tool_call' | 'unknown';

/** One table for all providers, lower case. A word that is not here, and no word at all, is `unknown`. */
const meanings: Readonly<Record<string, FinishMeaning>> = {
  stop: 'complete',
  end_turn: 'complete',
  stop_sequence: 'complete',
  completed: 'complete',
  eos: 'complete',
  eos_token: 'complete',
  complete: 'complete',
  length: 'truncated',
  max_tokens: 'truncated',
  max_output_tokens: 'truncated',
  model_length: 'truncated',
  model_context_window_exceeded: 'truncated',
  incomplete: 'truncated',
  error_limit: 'truncated',
  content_filter: 'refused',
  'content-filter': 'refused',
  content_filtered: 'refused',
  guardrail_intervened: 'refused',
  error_toxic: 'refused',
  image_safety: 'refused',
  refusal: 'refused',
  safety: 'refused',
  recitation: 'refused',
  blocklist: 'refused',
  prohibited_content: 'refused',
  spii: 'refused',
  tool_calls: 'tool_call',
  'tool-calls': 'tool_call',
  tool_call: 'tool_call',
  tool_use: 'tool_call',
  function_call: 'tool_call',
};

/** The finish reason comes first: `truncated`, `refused` and `tool_call` are never repaired, however complete the text looks. */
export function finishMeaning(reason: string | null | undefined): FinishMeaning {
  if (reason === null || reason === undefined) return 'unknown';
  return Object.hasOwn(meanings, reason.toLowerCase()) ? (meanings[reason.toLowerCase()] ?? 'unknown') : 'unknown';
}
