import { RevisionError } from './errors.js';

/** What a scope (the root, or one stage) may say; what it leaves out is another's to say. */
export interface RevisionSettings {
  /** The profile that proposals are made with. */
  readonly profile?: string | undefined;
  readonly repair?: {
    /** `repair.max_attempts`: semantic attempts per rejected proposal. 0 switches revision off. No relation to `llm.repair_attempts` (A117). */
    readonly maxAttempts?: number | undefined;
    /** `repair.profile`: the profile that revisions are made with. */
    readonly profile?: string | undefined;
  };
}

/** One attempt for each rejected proposal (A113). */
export const maxAttemptsDefault = 1;

/**
 * The semantic budget of a stage: its own, else the root's, else the default (A114).
 * @throws RevisionError `budget_invalid`
 */
export function effectiveBudget(root: RevisionSettings, stage: RevisionSettings = {}): number {
  return checkedBudget(stage.repair?.maxAttempts ?? root.repair?.maxAttempts ?? maxAttemptsDefault);
}

/** A budget is finite, or a branch might never end. */
export function checkedBudget(budget: number): number {
  if (Number.isSafeInteger(budget) && budget >= 0) return budget;
  throw new RevisionError('budget_invalid', 'a whole number, 0 or more', 'repair.max_attempts');
}

/**
 * The profile of revisions. Stage and root are combined first, then an absent repair profile falls back to the proposal profile (A122, A123).
 * @throws RevisionError `profile_missing`
 */
export function effectiveProfile(root: RevisionSettings, stage: RevisionSettings = {}): string {
  const proposal = stage.profile ?? root.profile;
  const repair = stage.repair?.profile ?? root.repair?.profile;
  const effective = repair ?? proposal;
  if (effective === undefined) throw new RevisionError('profile_missing', 'a profile, or a repair profile', 'profile');
  return effective;
}
