import { canonicalText, type ContractRef, eventIdOf, type JsonValue, joinPrivacy, type Privacy, type Provenance } from '@emend/contracts';
import { activeJudgments } from './activeJudgments.js';
import { type Dossier, type Failed, type Judgment, type Produced, type Proposed, proposalsOf, type Started } from './dossier.js';

/** What may be said of a model in a row: no adapter that is not public. */
export interface PublicEvidence {
  readonly provider: string;
  readonly model: string;
  readonly executionAdapter: string;
  readonly learnedAdapter: string | null;
  readonly catalog: Provenance['catalog'];
}

export type EffectiveStatus = 'corrected' | 'repaired' | 'original' | 'unresolved';

/** The effective output of one run: what consumers read (T118, T119). Nothing more than this is ever in a row. */
export interface EffectiveRow {
  readonly run: string;
  readonly contract: ContractRef;
  readonly status: EffectiveStatus;
  readonly authority: 'accept' | 'correct' | null;
  readonly output: JsonValue;
  readonly privacy: Privacy;
  readonly provenance: {
    readonly source: string | null;
    readonly trigger: string;
    readonly started: string;
    readonly ended: string;
    readonly request: string | null;
    readonly repairRun: string | null;
    readonly proposal: string | null;
    readonly judgment: string | null;
  };
  readonly original: PublicEvidence;
  readonly repair: PublicEvidence | null;
}

/** One way of being effective: the content, who stands behind it, and all that took part. */
interface Candidate {
  readonly status: EffectiveStatus;
  readonly output: string | null;
  readonly judgment: Judgment | null;
  readonly proposal: { readonly proposal: Proposed; readonly request: string } | null;
}

type Ended = Produced | Failed;

/** The ordered list of the seed (T109 to T112): the first that has a candidate is effective. */
const precedence: readonly ((dossier: Dossier, ended: Ended) => Candidate | null)[] = [
  directCorrection,
  judgedProposal,
  originalOutput,
  unresolvedFailure,
];

/** The row of a run, or null while it has not ended, or where its end is void or erased. */
export function selectEffective(dossier: Dossier): EffectiveRow | null {
  const { started, ended } = dossier;
  if (started?.kind !== 'started' || (ended?.kind !== 'produced' && ended?.kind !== 'failed')) return null;
  for (const candidateOf of precedence) {
    const candidate = candidateOf(dossier, ended);
    if (candidate !== null) return rowOf(dossier.run, started, ended, candidate);
  }
  return null;
}

/** The canonical text of a row: what views store and rebuilds compare. */
export const effectiveRowText = (row: EffectiveRow): string => canonicalText(row);

function directCorrection(dossier: Dossier, ended: Ended): Candidate | null {
  if (ended.kind !== 'produced') return null;
  const judgment = activeJudgments(dossier).findLast((one) => one.verdict === 'correct' && one.target.id === ended.eventId);
  return judgment ? { status: 'corrected', output: judgment.replacement, judgment, proposal: null } : null;
}

/** Repair proposals count only where the run's outcome is a failure. A `reject` has no content and is no candidate. */
function judgedProposal(dossier: Dossier, ended: Ended): Candidate | null {
  if (ended.kind !== 'failed') return null;
  const proposals = new Map(proposalsOf(dossier).map((one) => [one.proposal.eventId, one]));
  const judgment = activeJudgments(dossier).findLast(
    (one) => (one.verdict === 'accept' || one.verdict === 'correct') && proposals.has(one.target.id),
  );
  const judged = judgment && proposals.get(judgment.target.id);
  if (!judgment || !judged) return null;
  const request = judged.repair.request?.kind === 'requested' ? judged.repair.request.eventId : '';
  const output = judgment.verdict === 'correct' ? judgment.replacement : judged.proposal.output;
  return { status: 'repaired', output, judgment, proposal: { proposal: judged.proposal, request } };
}

function originalOutput(_dossier: Dossier, ended: Ended): Candidate | null {
  return ended.kind === 'produced' ? { status: 'original', output: ended.output, judgment: null, proposal: null } : null;
}

function unresolvedFailure(): Candidate {
  return { status: 'unresolved', output: null, judgment: null, proposal: null };
}

function rowOf(run: string, started: Started, ended: Ended, candidate: Candidate): EffectiveRow {
  const { judgment, proposal } = candidate;
  const verdict = judgment?.verdict;
  return {
    run,
    contract: started.contract,
    status: candidate.status,
    authority: verdict === 'accept' || verdict === 'correct' ? verdict : null,
    output: candidate.output === null ? null : (JSON.parse(candidate.output) as JsonValue),
    privacy: joinPrivacy([
      started.source?.privacy ?? 'private',
      started.privacy,
      ended.privacy,
      ...(proposal ? [proposal.proposal.privacy] : []),
      ...(judgment ? [judgment.privacy] : []),
    ]),
    provenance: {
      source: started.source?.eventId ?? null,
      trigger: eventIdOf(started.trigger),
      started: started.eventId,
      ended: ended.eventId,
      request: proposal?.request ?? null,
      repairRun: proposal?.proposal.repairRun ?? null,
      proposal: proposal?.proposal.eventId ?? null,
      judgment: judgment?.eventId ?? null,
    },
    original: publicEvidence(started.model),
    repair: proposal ? publicEvidence(proposal.proposal.repair) : null,
  };
}

export function publicEvidence(model: Provenance): PublicEvidence {
  const { provider, executionAdapter, learnedAdapter, catalog } = model;
  return {
    provider,
    model: model.model,
    executionAdapter,
    learnedAdapter: learnedAdapter?.privacy === 'public' ? learnedAdapter.id : null,
    catalog,
  };
}
