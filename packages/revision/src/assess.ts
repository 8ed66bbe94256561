import type { Candidate } from './candidate.js';
import { RevisionError } from './errors.js';
import type { Assessment, Finding, Validator } from './validator.js';

export interface UnavailableAssessment {
  readonly validator: string;
  readonly code: string;
}

/** What the chain says of one candidate, each list in the order of the chain (A77). */
export interface Assessed {
  readonly findings: readonly Finding[];
  readonly unavailable: readonly UnavailableAssessment[];
  readonly approvedBy: readonly string[];
  /** Checks that had nothing to say of it, or not the facts to say it by. */
  readonly notApplicable: readonly string[];
}

export const notAssessed: Assessed = { findings: [], unavailable: [], approvedBy: [], notApplicable: [] };

/** The chain as it runs: deterministic checks first, then those that ask a model, each kind in the host's order (A17, A125). */
export function chainOf<P, F extends string>(validators: readonly Validator<P, F>[]): readonly Validator<P, F>[] {
  for (const [index, { id }] of validators.entries()) {
    if (validators.findIndex((one) => one.id === id) !== index)
      throw new RevisionError('validator_twice', 'each validator once in a chain', id);
  }
  return [...validators.filter(({ kind }) => kind === 'deterministic'), ...validators.filter(({ kind }) => kind === 'model_backed')];
}

export interface AssessmentScope<F extends string> {
  readonly facts: Iterable<F>;
  /** Whether checks go on after one that did not approve: yes with repair on, no at budget 0 (A125, A126). */
  readonly collectsAll: boolean;
  readonly signal: AbortSignal;
}

/** One candidate through the whole chain. A check without its facts does not run and is never a finding (A28, A29). */
export async function assess<P, F extends string>(
  chain: readonly Validator<P, F>[],
  candidate: Candidate<P>,
  { facts, collectsAll, signal }: AssessmentScope<F>,
): Promise<Assessed> {
  const given = new Set(facts);
  let assessed = notAssessed;
  for (const validator of chain) {
    if (signal.aborted || !(collectsAll || advances(assessed))) break;
    const applies = validator.needs.every((fact) => given.has(fact));
    assessed = withAssessment(assessed, validator.id, applies ? await validator.assess(candidate, signal) : { kind: 'not_applicable' });
  }
  return assessed;
}

/** In the plain flow a candidate goes on to the next check while nothing stands against it and nothing is missing. */
const advances = ({ findings, unavailable }: Assessed): boolean => findings.length + unavailable.length === 0;

function withAssessment(assessed: Assessed, validator: string, assessment: Assessment): Assessed {
  switch (assessment.kind) {
    case 'approved':
      return { ...assessed, approvedBy: [...assessed.approvedBy, validator] };
    case 'not_applicable':
      return { ...assessed, notApplicable: [...assessed.notApplicable, validator] };
    case 'unavailable':
      return { ...assessed, unavailable: [...assessed.unavailable, { validator, code: assessment.code }] };
    case 'findings': {
      // Read as a rejection without a reason or as an approval, it would be wrong half of the time.
      if (assessment.findings.length === 0) throw new RevisionError('findings_empty', 'at least one finding, or `approved`', validator);
      return { ...assessed, findings: [...assessed.findings, ...assessment.findings.map((complaint) => ({ ...complaint, validator }))] };
    }
  }
}
