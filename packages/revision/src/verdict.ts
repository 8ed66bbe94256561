import type { Assessed } from './assess.js';
import { noEffectCode } from './validator.js';

export type Verdict = 'approved' | 'rejected' | 'no_effect' | 'unavailable';

interface VerdictRow {
  readonly id: string;
  readonly verdict: Verdict;
  readonly sentence: string;
  readonly holds: (assessed: Assessed) => boolean;
}

/** What a chain's assessments come to: the first row that holds. */
export const verdictTable: readonly VerdictRow[] = [
  {
    id: 'V1',
    verdict: 'no_effect',
    sentence: 'A finding says that the proposal would change nothing.',
    holds: ({ findings }) => findings.some(({ code }) => code === noEffectCode),
  },
  {
    id: 'V2',
    verdict: 'rejected',
    sentence: 'There is a finding, whatever else is missing.',
    holds: ({ findings }) => findings.length > 0,
  },
  {
    id: 'V3',
    verdict: 'unavailable',
    sentence: 'No finding, and an assessment is missing.',
    holds: ({ unavailable }) => unavailable.length > 0,
  },
  {
    id: 'V4',
    verdict: 'unavailable',
    sentence: 'No check approved it: that nothing could be said is no approval.',
    holds: ({ approvedBy }) => approvedBy.length === 0,
  },
  { id: 'V5', verdict: 'approved', sentence: 'Every check that applies approved it.', holds: () => true },
];

export const verdictOf = (assessed: Assessed): Verdict => verdictTable.find(({ holds }) => holds(assessed))?.verdict ?? 'unavailable';
