import type { Disposition, Outcome } from './application.js';
import type { Usage } from './callPort.js';

/** One branch in the ordinary report: references, codes and counts, and no text (A133, A138). */
export interface RepairOutcome {
  readonly proposal: string;
  /** Whether it is in the document (A135). */
  readonly applied: boolean;
  readonly disposition: Disposition;
  readonly code: string | null;
  readonly attempts: number;
  readonly structuralRepairs: number;
  readonly transportRetries: number;
  readonly usage: readonly Usage[];
}

/** The compact repair-outcomes section: every proposal that was not approved as it was first proposed. */
export const repairReport = <P>(outcomes: readonly Outcome<P>[]): readonly RepairOutcome[] =>
  outcomes.filter((outcome) => !approvedAtOnce(outcome)).map(entryOf);

const approvedAtOnce = <P>({ disposition, candidate }: Outcome<P>): boolean =>
  candidate.lineage.version === 1 && (disposition === 'approved_applied' || disposition === 'approved_not_applied');

const entryOf = <P>({ candidate, disposition, code, spent }: Outcome<P>): RepairOutcome => ({
  proposal: candidate.lineage.root,
  applied: disposition === 'approved_applied',
  disposition,
  code,
  attempts: spent.attempts,
  structuralRepairs: spent.structuralRepairs,
  transportRetries: spent.transportRetries,
  usage: spent.usage,
});
