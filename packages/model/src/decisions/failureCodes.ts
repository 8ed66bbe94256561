import type { DiagnosticClass } from '@emend/contracts';

export interface FailureRow {
  readonly class: DiagnosticClass;
  readonly sentence: string;
}

/** The answer proves that no generation took place, and the cause is not the request. */
export const modelNotGeneratedCodes = {
  connection_failed: { class: 'provider_outage', sentence: 'No connection was made: refused, unreachable, name unknown.' },
  tls_refused: {
    class: 'configuration',
    sentence: 'The certificate of the endpoint was not accepted, or it speaks no TLS: nothing was sent.',
  },
  authentication_refused: { class: 'authentication', sentence: 'The provider answered 401 or 403.' },
  rate_limited: { class: 'rate_limited', sentence: 'The provider answered 429.' },
  model_unknown: { class: 'configuration', sentence: 'The provider answered 404, or another 4xx that says that it has no such model.' },
} as const satisfies Readonly<Record<string, FailureRow>>;
export type ModelNotGeneratedCode = keyof typeof modelNotGeneratedCodes;

/** A generation may have taken place, or none is possible for this request; it is not tried again. */
export const modelFailedCodes = {
  deadline_passed: { class: 'timeout', sentence: 'No whole answer within the deadline, or the provider answered 408.' },
  provider_failed: { class: 'provider_outage', sentence: 'The provider answered 5xx: it may have generated.' },
  transfer_broken: { class: 'provider_outage', sentence: 'The connection broke after the request was on its way.' },
  transport_refused: { class: 'configuration', sentence: 'A redirect, or an address that may not be called.' },
  answer_too_large: { class: 'too_large', sentence: 'The body of the answer passed its bound.' },
  answer_unreadable: { class: 'provider_outage', sentence: 'A 200 whose body is not one completion with one choice.' },
  error_in_answer: { class: 'provider_outage', sentence: 'A 200 that carries an error object, in its body or as its text.' },
  rate_limit_in_answer: { class: 'rate_limited', sentence: 'The same, and the error is a rate limit.' },
  context_exceeded: { class: 'too_large', sentence: 'The provider says that the prompt does not fit the model.' },
  prompt_truncated: { class: 'too_large', sentence: 'The provider counted too few tokens for the prompt: it read a part of it.' },
  model_mismatch: {
    class: 'configuration',
    sentence: 'The answer names another model than the one asked for, or none, and the catalogue forbids it.',
  },
  request_refused: { class: 'configuration', sentence: 'Any other 4xx.' },
  call_cancelled: { class: 'cancelled', sentence: 'The caller gave up on the call.' },
} as const satisfies Readonly<Record<string, FailureRow>>;
export type ModelFailedCode = keyof typeof modelFailedCodes;
