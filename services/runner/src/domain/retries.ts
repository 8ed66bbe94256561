import { type Diagnostic, type RefusedFor, refusedIssuesMax, repairableClasses } from '@emend/contracts';

/** How one invocation ended, as far as the next step needs it. */
export type InvocationEnd = 'output' | 'refused' | 'failed';
export type RetryStep = 'end' | 'cancel' | 'retry';

interface RetryRow {
  readonly id: string;
  readonly ended: InvocationEnd;
  readonly left: 'any' | 'none' | 'some';
  readonly givenUp: 'any' | 'no' | 'yes';
  readonly step: RetryStep;
  readonly sentence: string;
}

/** What follows an invocation. Only an output that was refused is asked for again. */
export const retryTable = [
  { id: 'N1', ended: 'output', left: 'any', givenUp: 'any', step: 'end', sentence: 'The output is accepted.' },
  {
    id: 'N2',
    ended: 'failed',
    left: 'any',
    givenUp: 'any',
    step: 'end',
    sentence: 'The call failed, was cancelled, or wrote what is never repaired: the run ends with its class.',
  },
  {
    id: 'N3',
    ended: 'refused',
    left: 'none',
    givenUp: 'any',
    step: 'end',
    sentence: 'The output was refused and no retry is left: its diagnostic ends the run.',
  },
  {
    id: 'N4',
    ended: 'refused',
    left: 'some',
    givenUp: 'yes',
    step: 'cancel',
    sentence: 'The drain ended meanwhile: the run ends as cancelled, and nothing is asked again.',
  },
  {
    id: 'N5',
    ended: 'refused',
    left: 'some',
    givenUp: 'no',
    step: 'retry',
    sentence: 'The output was refused: it is asked for again, with what it was refused for.',
  },
] as const satisfies readonly RetryRow[];

/** `left`: retries that this claim still has. `givenUp`: whether the caller gave up on the run. */
export function decideRetry({ ended, left, givenUp }: { ended: InvocationEnd; left: number; givenUp: boolean }): RetryStep {
  const row = retryTable.find(
    (one) =>
      one.ended === ended &&
      (one.left === 'any' || one.left === (left > 0 ? 'some' : 'none')) &&
      (one.givenUp === 'any' || one.givenUp === (givenUp ? 'yes' : 'no')),
  );
  // Every combination has a row; a test asks for each.
  return row?.step ?? 'end';
}

/** What an output was refused for, as far as the next prompt says it; null where the failure is of another kind. */
export function refusedFor({ class: kind, ruleId, issues, issueCount }: Diagnostic): RefusedFor | null {
  const refused = repairableClasses.find((one) => one === kind);
  if (refused === undefined) return null;
  return { class: refused, ...(ruleId === undefined ? {} : { ruleId }), issues: issues.slice(0, refusedIssuesMax), issueCount };
}

/**
 * Retries of one claim. The claim spends the whole budget before its first call: what a holder that died had left is not known,
 * so the claim after it has none (O40).
 */
export const retryBudget = (retries: number, attempt: number): number => (attempt === 1 ? retries : 0);
