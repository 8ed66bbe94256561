import { type IssueCode, issuesMax } from './diagnostics.js';

/** Why an overseer call did not help. Never reused for another meaning. */
export const outputRepairReasons = {
  cancelled: 'The caller gave up, during or just after the call. A success that comes late is dropped.',
  call_failed: 'The call failed: a generation may have taken place.',
  not_generated: 'The call failed, and no generation took place.',
  answer_incomplete: 'The answer does not end with a stop word that means complete.',
  answer_too_large: 'The answer passes 64 KiB.',
  envelope_invalid: 'The answer is not strict JSON with exactly `repaired_arguments`.',
  answer_unchanged: 'The answer is what was sent to be repaired.',
  protocol_refused: 'The completion protocol refuses the repaired arguments.',
  valid_paths_changed: 'The answer changes, drops or adds something at a path that was not at fault.',
} as const;
export type OutputRepairReason = keyof typeof outputRepairReasons;

/** Tokens as the provider counted them; null where it said nothing. */
export interface OutputRepairUsage {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
}

interface OutputRepairFacts {
  /** The primary invocation, in its caller's words: a token of a subject. */
  readonly invocation: string;
  /** The run it belongs to, where there is one. */
  readonly run?: string;
  /** The model that repairs. */
  readonly model: string;
  /** UTF-8 size of the candidate. */
  readonly bytes: number;
  /** What was wrong with the candidate, each code once. */
  readonly issueCodes: readonly IssueCode[];
}

/** What the run trace tells of an overseer call (O13, O17, O20): ids, codes and counts, never text of a candidate or an answer (O33). */
export type OutputRepairEvent =
  | ({ readonly kind: 'started' } & OutputRepairFacts)
  | ({ readonly kind: 'succeeded'; readonly usage: OutputRepairUsage } & OutputRepairFacts)
  | ({ readonly kind: 'failed'; readonly reason: OutputRepairReason; readonly usage: OutputRepairUsage } & OutputRepairFacts);

export const outputRepairSubjectPrefix = 'trace.thought.output-repair.';

export const outputRepairKinds = ['started', 'succeeded', 'failed'] as const satisfies readonly OutputRepairEvent['kind'][];

/** Under the run where there is one. Each of the three is a token. */
export const outputRepairSubject = ({
  kind,
  producer,
  run,
}: Pick<OutputRepairEvent, 'kind' | 'run'> & { readonly producer: string }): string =>
  outputRepairSubjectPrefix + (run === undefined ? [kind, producer] : [kind, producer, run]).join('.');

/** Who publishes, and when it happened: ISO 8601 with milliseconds and Z. */
export interface OutputRepairPublication {
  readonly producer: string;
  readonly time: string;
}

/** An event as it is published in the run trace. Only the fields above are copied, so nothing else can travel. */
export function encodeOutputRepairEvent(
  event: OutputRepairEvent,
  { producer, time }: OutputRepairPublication,
): { readonly subject: string; readonly bytes: Uint8Array } {
  const { kind, run, invocation, model, bytes } = event;
  const issueCodes = event.issueCodes.slice(0, issuesMax);
  const reason = event.kind === 'failed' ? event.reason : undefined;
  const usage = event.kind === 'started' ? undefined : usageOf(event.usage);
  // In the order of RFC 8785, and without a part that has no value: the canonical form, at a third of its price.
  const fields = { bytes, invocation, issueCodes, kind, model, producer, reason, run, time, usage };
  return { subject: outputRepairSubject({ ...event, producer }), bytes: encoder.encode(JSON.stringify(fields)) };
}

const encoder = new TextEncoder();

const usageOf = ({ promptTokens, completionTokens }: OutputRepairUsage): OutputRepairUsage => ({ completionTokens, promptTokens });
