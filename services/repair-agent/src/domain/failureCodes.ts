import type { Diagnostic, DiagnosticClass, RepairRequested } from '@emend/contracts';

interface FailureRow {
  readonly class: DiagnosticClass;
  readonly sentence: string;
}

/**
 * The answer proves that no generation took place, and the cause is not the request. The holder waits with its request
 * in hand, and only after the longest wait does the class become the request's settlement.
 */
export const notGeneratedCodes = {
  connection_failed: { class: 'provider_outage', sentence: 'No connection was made: refused, unreachable, name unknown.' },
  tls_refused: { class: 'configuration', sentence: 'The certificate of the endpoint was not accepted, so nothing was sent.' },
  authentication_refused: { class: 'authentication', sentence: 'The provider answered 401 or 403.' },
  rate_limited: { class: 'rate_limited', sentence: 'The provider answered 429.' },
  model_unknown: { class: 'configuration', sentence: 'The provider answered 404, or 400 with a code for an unknown model.' },
  sandbox_not_started: { class: 'sandbox', sentence: 'The worker never said hello, and nothing was asked upstream.' },
} as const satisfies Readonly<Record<string, FailureRow>>;

/** The repair run ended without a candidate. A generation may have taken place, or none is possible; it is not tried again. */
export const failedCodes = {
  deadline_passed: { class: 'timeout', sentence: 'No whole answer within the deadline, or the provider answered 408.' },
  provider_failed: { class: 'provider_outage', sentence: 'The provider answered 5xx: it may have generated.' },
  transfer_broken: { class: 'provider_outage', sentence: 'The connection broke after the request was on its way.' },
  transport_refused: { class: 'configuration', sentence: 'A redirect, or an address that may not be called.' },
  answer_too_large: { class: 'too_large', sentence: 'The body of the answer passed its bound.' },
  answer_unreadable: { class: 'provider_outage', sentence: 'A 200 whose body is not one completion with one choice.' },
  error_in_answer: { class: 'provider_outage', sentence: 'A 200 that carries an error object, in its body or as its text.' },
  rate_limit_in_answer: { class: 'rate_limited', sentence: 'The same, and the error is a rate limit.' },
  context_exceeded: { class: 'too_large', sentence: 'The provider says that the prompt does not fit the model.' },
  request_refused: { class: 'configuration', sentence: 'Any other 4xx.' },
  recording_missing: { class: 'configuration', sentence: 'The recorded player has no generation for this capture and tier.' },
  worker_ended_early: { class: 'sandbox', sentence: 'The worker ended, or closed its channel, before its result.' },
  worker_hung: { class: 'broker', sentence: 'The worker was silent when it was its turn.' },
  worker_output_too_large: { class: 'sandbox', sentence: 'The worker wrote more to its output streams than the bound.' },
  frame_too_large: { class: 'broker', sentence: 'A header announced more bytes than the worker was given.' },
  frame_unreadable: { class: 'broker', sentence: 'A frame is no JSON, or no message of the protocol.' },
  frame_unexpected: { class: 'broker', sentence: 'A message out of its turn.' },
  frames_too_many: { class: 'broker', sentence: 'The worker sent more frames than a run can need.' },
  prompt_mismatch: { class: 'broker', sentence: 'The messages hash to another prompt than the one the run was started for.' },
  result_differs: { class: 'broker', sentence: 'The result is not the text that the worker was given.' },
  answer_over_bound: { class: 'too_large', sentence: 'The text of the answer passed its bound.' },
  run_deadline_passed: { class: 'timeout', sentence: 'The provider call did not end within its time.' },
  provider_call_threw: { class: 'process', sentence: 'The provider call threw: a bug.' },
  run_cancelled: { class: 'cancelled', sentence: 'The caller gave up on the run.' },
  generator_threw: { class: 'process', sentence: 'The generator threw: a bug.' },
  shutdown: { class: 'cancelled', sentence: 'The drain ended before the generation did.' },
  stopped_while_waiting: { class: 'cancelled', sentence: 'The process was stopped while it waited for the provider.' },
  evidence_missing: { class: 'configuration', sentence: 'A reference of the request was not found within the wait.' },
  evidence_mismatch: { class: 'configuration', sentence: 'What was found does not agree with what the request recorded.' },
  abandoned: { class: 'abandoned', sentence: 'A claim of another delivery stood without a settlement, or the request was given up.' },
} as const satisfies Readonly<Record<string, FailureRow>>;

export type NotGeneratedCode = keyof typeof notGeneratedCodes;
export type FailedCode = keyof typeof failedCodes;
export type FailureCode = NotGeneratedCode | FailedCode;

const rows: Readonly<Record<FailureCode, FailureRow>> = { ...notGeneratedCodes, ...failedCodes };

export const classOf = (code: FailureCode): DiagnosticClass => rows[code].class;

/** The diagnostic of a repair run without a candidate: a class and nothing else. */
export const diagnosticOf = (code: FailureCode, request: RepairRequested): Diagnostic => ({
  class: classOf(code),
  contract: request.contract,
  issues: [],
  issueCount: 0,
  candidateBytes: 0,
});
