import type { Verdict } from './verdict.js';

/** What just became known in a branch: what the chain says of its current version, or what the model answered. */
export type BranchNews = Verdict | 'withdrawn' | 'unusable' | 'call_failed' | 'cancelled';

/** How a branch ends, before anything is applied (A36). */
export type BranchEnd = 'approved' | 'withdrawn' | 'exhausted' | 'unavailable' | 'unusable' | 'no_effect' | 'cancelled';

interface BranchRow {
  readonly id: string;
  readonly news: BranchNews;
  /** Semantic attempts that the budget still permits. */
  readonly attempts: 'left' | 'none' | 'any';
  readonly next: 'ask' | BranchEnd;
  readonly sentence: string;
}

/** The whole loop. `ask` is one more request for a revision or a withdrawal; everything else ends the branch. */
export const branchTable = [
  { id: 'B1', news: 'approved', attempts: 'any', next: 'approved', sentence: 'The whole applicable chain passed this very version.' },
  { id: 'B2', news: 'no_effect', attempts: 'any', next: 'no_effect', sentence: 'It contributes no edit, so there is nothing to repair.' },
  {
    id: 'B3',
    news: 'rejected',
    attempts: 'left',
    next: 'ask',
    sentence: 'Its findings go to the model, and with them the names of the assessments that are missing.',
  },
  {
    id: 'B4',
    news: 'rejected',
    attempts: 'none',
    next: 'exhausted',
    sentence: 'The budget is spent; a budget of 0 is spent from the start.',
  },
  {
    id: 'B5',
    news: 'unavailable',
    attempts: 'any',
    next: 'unavailable',
    sentence: 'There is no finding to revise by, and an assessment is not asked for again.',
  },
  { id: 'B6', news: 'withdrawn', attempts: 'any', next: 'withdrawn', sentence: 'The model took its proposal back.' },
  {
    id: 'B7',
    news: 'unusable',
    attempts: 'left',
    next: 'ask',
    sentence: 'The reply brought nothing in; the same version is asked about again.',
  },
  { id: 'B8', news: 'unusable', attempts: 'none', next: 'unusable', sentence: 'The last attempt brought nothing in.' },
  {
    id: 'B9',
    news: 'call_failed',
    attempts: 'any',
    next: 'unavailable',
    sentence: 'The call failed below, its own retries spent; this ends this branch and no other.',
  },
  { id: 'B10', news: 'cancelled', attempts: 'any', next: 'cancelled', sentence: 'The stage was cancelled.' },
] as const satisfies readonly BranchRow[];

type Attempts = 'left' | 'none';

// A test shows that every pair has its row.
const rows = Object.fromEntries(
  branchTable.flatMap((row) => attemptsOf(row).map((attempts) => [`${row.news} ${attempts}`, row])),
) as Readonly<Record<`${BranchNews} ${Attempts}`, BranchRow>>;

/** What happens next, and the row that says why. */
export const decideBranch = (news: BranchNews, attemptsLeft: number): BranchRow => rows[`${news} ${attemptsLeft > 0 ? 'left' : 'none'}`];

function attemptsOf({ attempts }: BranchRow): readonly Attempts[] {
  return attempts === 'any' ? ['left', 'none'] : [attempts];
}
