import type { CallAnswer } from '@emend/revision';

/** What a model is asked for. */
export const callKinds = ['proposals', 'decisions', 'revisions'] as const;
export type CallKind = (typeof callKinds)[number];

/** Calls of one kind, and what they cost: sums, so that the schedule changes nothing. The counters are never merged (A106). */
export interface CallTally {
  readonly calls: number;
  readonly transportRetries: number;
  /** Of broken replies, by a further call: ring 1. */
  readonly structuralRepairs: number;
  /** Replies that were not read as they came, with or without a further call. */
  readonly repairedReplies: number;
  /** Null where no provider said anything. */
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
}

export type CallTallies = Readonly<Record<CallKind, CallTally>>;

const none: CallTally = {
  calls: 0,
  transportRetries: 0,
  structuralRepairs: 0,
  repairedReplies: 0,
  promptTokens: null,
  completionTokens: null,
};
export const noCalls: CallTallies = { proposals: none, decisions: none, revisions: none };

const tallyOf = (answer: CallAnswer): CallTally => ({
  calls: 1,
  transportRetries: answer.transportRetries,
  structuralRepairs: answer.structuralRepairs,
  repairedReplies: answer.kind === 'answered' && answer.received !== undefined ? 1 : 0,
  ...answer.usage,
});

export const withAnswer = (tallies: CallTallies, kind: CallKind, answer: CallAnswer): CallTallies => ({
  ...tallies,
  [kind]: sumOf(tallies[kind], tallyOf(answer)),
});

export const sumOfAll = (all: readonly CallTallies[]): CallTallies =>
  all.reduce(
    (sum, one) => ({
      proposals: sumOf(sum.proposals, one.proposals),
      decisions: sumOf(sum.decisions, one.decisions),
      revisions: sumOf(sum.revisions, one.revisions),
    }),
    noCalls,
  );

const sumOf = (a: CallTally, b: CallTally): CallTally => ({
  calls: a.calls + b.calls,
  transportRetries: a.transportRetries + b.transportRetries,
  structuralRepairs: a.structuralRepairs + b.structuralRepairs,
  repairedReplies: a.repairedReplies + b.repairedReplies,
  promptTokens: tokens(a.promptTokens, b.promptTokens),
  completionTokens: tokens(a.completionTokens, b.completionTokens),
});

const tokens = (a: number | null, b: number | null): number | null => (a === null && b === null ? null : (a ?? 0) + (b ?? 0));
