import type { ExportPolicy } from './exportPolicy.js';
import { gates, type GateVerdict } from './gates.js';
import type { Candidate, Trajectory } from './trajectory.js';

export interface Refusal {
  readonly gate: string;
  readonly code: string;
}

export type ExportDecision =
  | { readonly kind: 'export'; readonly trajectory: Trajectory }
  /** Every refusal, in the order of the gates. */
  | { readonly kind: 'withhold'; readonly refusals: readonly Refusal[] };

/** What each gate says of a candidate, in order: the whole answer to "why was this not exported?". */
export const verdictsOn = (
  candidate: Candidate,
  policy: ExportPolicy,
): readonly { readonly gate: string; readonly verdict: GateVerdict }[] =>
  gates.map(({ id, test }) => ({ gate: id, verdict: test(candidate, policy) }));

/** The default is no: a trajectory is exported only where every gate has passed it explicitly. */
export function decideExport(candidate: Candidate, policy: ExportPolicy): ExportDecision {
  const verdicts = verdictsOn(candidate, policy);
  if (candidate.kind === 'trajectory' && verdicts.length > 0 && verdicts.every(({ verdict }) => verdict.kind === 'pass')) {
    return { kind: 'export', trajectory: candidate };
  }
  return {
    kind: 'withhold',
    refusals: verdicts.flatMap(({ gate, verdict }) => (verdict.kind === 'refuse' ? verdict.codes.map((code) => ({ gate, code })) : [])),
  };
}
