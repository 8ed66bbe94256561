import type { CallAnswer, CallCounts, CallPort, RevisionCall, SpanEdit, Usage } from '@emend/revision';

export const counts: CallCounts = { transportRetries: 0, structuralRepairs: 0, usage: { promptTokens: 100, completionTokens: 10 } };

export const unsaid: Usage = { promptTokens: null, completionTokens: null };

export const answered = (text: string, more: Partial<CallCounts> & { readonly received?: string } = {}): CallAnswer => ({
  kind: 'answered',
  text,
  ...counts,
  ...more,
});
export const failed = (code: string, more: Partial<CallCounts> = {}): CallAnswer => ({
  kind: 'failed',
  code,
  ...counts,
  usage: unsaid,
  ...more,
});

export const revising = (ref: string, correction: SpanEdit): string => JSON.stringify({ proposal_ref: ref, action: 'revise', correction });
export const withdrawing = (ref: string): string => JSON.stringify({ proposal_ref: ref, action: 'withdraw' });

/** The proposal that a call asks about, as the instruction of the shop names it. */
export const refOf = ({ messages }: RevisionCall): string => /^About (p\d+),/.exec(messages.at(-1)?.content ?? '')?.[1] ?? '';

export interface ScriptedModel {
  readonly call: CallPort;
  readonly calls: readonly RevisionCall[];
}

/** Answers the n-th question about a proposal with the n-th line of its script, and keeps what it was asked. Without a line it throws. */
export function scriptedModel(script: Readonly<Record<string, readonly (string | CallAnswer)[]>>): ScriptedModel {
  const calls: RevisionCall[] = [];
  const call: CallPort = (asked) => {
    calls.push(asked);
    const ref = refOf(asked);
    const line = script[ref]?.[calls.filter((one) => refOf(one) === ref).length - 1];
    if (line === undefined) return Promise.reject(new Error(`no line for a question about ${ref}`));
    return Promise.resolve(typeof line === 'string' ? answered(line) : line);
  };
  return { call, calls };
}
