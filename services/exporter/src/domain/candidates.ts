import {
  activeJudgments,
  type Dossier,
  type EffectiveRow,
  type Failed,
  isContested,
  type Judgment,
  type Produced,
  proposalsOf,
  type Repair,
  selectEffective,
  type Started,
} from '@emend/history';
import { holdsIdentifier, identifiersOf, type Identifiers, withoutIdentifiers } from './identifiers.js';
import { judgmentParticipant, originalParticipants, repairParticipants, repairRunOf } from './participants.js';
import { standingOf } from './standing.js';
import type { Candidate, Trajectory, TrajectoryType } from './trajectory.js';

type ProposalOfRun = ReturnType<typeof proposalsOf>[number];

/** What all trajectories of one run share. */
interface RunFacts {
  readonly dossier: Dossier;
  readonly started: Started;
  readonly ended: Produced | Failed;
  readonly effective: EffectiveRow | null;
  readonly active: readonly Judgment[];
  /** Proposals count only where the run failed; a failed run's own. */
  readonly proposals: readonly ProposalOfRun[];
  readonly identifiers: Identifiers;
}

/** All trajectories of a run, in the order of their judgments; or the one reason why there is none. */
export function candidatesOf(dossier: Dossier): readonly Candidate[] {
  const facts = factsOf(dossier);
  const found = facts === null ? [] : facts.active.flatMap((judgment) => trajectoryOf(facts, judgment) ?? []);
  if (found.length > 0) return found;
  return [{ kind: 'nothing', run: dossier.run, position: dossier.position, standing: standingOf(dossier) }];
}

function factsOf(dossier: Dossier): RunFacts | null {
  const { started, ended } = dossier;
  if (started?.kind !== 'started' || (ended?.kind !== 'produced' && ended?.kind !== 'failed')) return null;
  // Most runs are judged by nobody, and what follows is dear.
  const active = activeJudgments(dossier);
  if (active.length === 0) return null;
  return {
    dossier,
    started,
    ended,
    effective: selectEffective(dossier),
    active,
    proposals: ended.kind === 'failed' ? proposalsOf(dossier) : [],
    identifiers: identifiersOf(dossier),
  };
}

/** What one active judgment makes of its run. A `reject` has no content and makes nothing. */
function trajectoryOf(facts: RunFacts, judgment: Judgment): Trajectory | null {
  switch (judgment.verdict) {
    case 'accept':
    case 'correct':
      return facts.ended.kind === 'failed' ? judgedProposal(facts, judgment) : judgedOriginal(facts, judgment);
    case 'prefer':
      return preferred(facts, judgment);
    case 'reject':
      return null;
    default:
      return judgment.verdict satisfies never;
  }
}

function judgedProposal(facts: RunFacts, judgment: Judgment): Trajectory | null {
  const judged = facts.proposals.find(({ proposal }) => proposal.eventId === judgment.target.id);
  if (judged === undefined) return null;
  const corrected = judgment.verdict === 'correct';
  const chosen = corrected ? judgment.replacement : judged.proposal.output;
  if (chosen === null) return null;
  return trajectory(facts, {
    type: corrected ? 'repair.corrected' : 'repair.accepted',
    judgments: [judgment],
    repairs: [judged],
    effective: facts.effective?.provenance.judgment === judgment.eventId,
    chosen,
    rejected: corrected ? judged.proposal.output : null,
  });
}

function judgedOriginal(facts: RunFacts, judgment: Judgment): Trajectory | null {
  const { ended, effective } = facts;
  if (ended.kind !== 'produced' || judgment.target.id !== ended.eventId) return null;
  const corrected = judgment.verdict === 'correct';
  const chosen = corrected ? judgment.replacement : ended.output;
  if (chosen === null) return null;
  return trajectory(facts, {
    type: corrected ? 'original.corrected' : 'original.accepted',
    judgments: [judgment],
    effective: corrected ? effective?.provenance.judgment === judgment.eventId : effective?.status === 'original',
    chosen,
    rejected: corrected ? ended.output : null,
  });
}

/**
 * A preference adds the other side to an accepted proposal: it is effective only where the preferred output is.
 * Both proposals need a judgment behind them, since a merely proposed repair stays at home on either side (T122, T127).
 */
function preferred(facts: RunFacts, judgment: Judgment): Trajectory | null {
  if (judgment.prefer === null) return null;
  const { preferred: chosenId, over } = judgment.prefer;
  const [chosen, other] = [chosenId, over].map((id) => facts.proposals.find(({ proposal }) => proposal.eventId === id));
  if (chosen === undefined || other === undefined) return originalPreferred(facts, judgment);
  const accepted = backingOf(facts, chosenId, ['accept']);
  const behindOther = backingOf(facts, over, ['accept', 'correct']);
  const newest = facts.active.findLast(({ verdict }) => verdict === 'prefer');
  return trajectory(facts, {
    type: 'repair.preferred',
    judgments: [...(accepted ? [accepted] : []), ...(behindOther ? [behindOther] : []), judgment],
    backed: accepted !== null && behindOther !== null,
    repairs: [chosen, other],
    effective: newest === judgment && accepted !== null && facts.effective?.provenance.judgment === accepted.eventId,
    chosen: chosen.proposal.output,
    rejected: other.proposal.output,
  });
}

/** A preference that is not between two proposals of a failed run: known, and on no allow-list. */
function originalPreferred(facts: RunFacts, judgment: Judgment): Trajectory | null {
  if (facts.ended.kind !== 'produced') return null;
  return trajectory(facts, {
    type: 'original.preferred',
    judgments: [judgment],
    effective: false,
    chosen: facts.ended.output,
    rejected: null,
  });
}

/** Who stands behind a proposal: the newest who agrees to its export, else the newest. */
function backingOf({ active }: RunFacts, proposalId: string, verdicts: readonly Judgment['verdict'][]): Judgment | null {
  const behind = active.filter(({ verdict, target }) => target.id === proposalId && verdicts.includes(verdict));
  return behind.findLast(({ quality, externalExport }) => quality && externalExport) ?? behind.at(-1) ?? null;
}

interface Made {
  readonly type: TrajectoryType;
  readonly judgments: readonly Judgment[];
  readonly backed?: boolean;
  readonly repairs?: readonly { readonly repair: Repair; readonly proposal: ProposalOfRun['proposal'] }[];
  readonly effective: boolean;
  readonly chosen: string;
  readonly rejected: string | null;
}

function trajectory({ dossier, started, ended, identifiers }: RunFacts, made: Made): Trajectory {
  const { type, judgments, backed = true, repairs = [], effective } = made;
  const chosen = withoutIdentifiers(made.chosen, identifiers);
  const rejected = made.rejected === null ? null : withoutIdentifiers(made.rejected, identifiers);
  const targets = repairs.length > 0 ? repairs.map(({ proposal }) => proposal.eventId) : [ended.eventId];
  return {
    kind: 'trajectory',
    run: dossier.run,
    position: dossier.position,
    type,
    judgments,
    backed,
    contested: targets.some((id) => isContested(dossier, id)),
    effective,
    sourceKind: started.source?.kind ?? null,
    participants: [...originalParticipants(started, ended), ...repairs.flatMap(repairParticipants), ...judgments.map(judgmentParticipant)],
    runs: [
      { role: 'original', model: started.model, proposed: null },
      ...repairs.map(({ proposal }) => ({ role: 'original' as const, model: started.model, proposed: proposal.original })),
      ...repairs.map(repairRunOf),
    ],
    completion: ended.kind === 'produced' ? { way: ended.completion, edits: ended.edits } : null,
    contract: started.contract,
    contractsNamed: [
      { role: 'ended', contract: ended.contract },
      ...repairs.map(({ proposal }) => ({ role: 'proposal' as const, contract: proposal.contract })),
    ],
    chosen,
    rejected,
    namesIdentifier: [chosen, rejected].some((side) => side !== null && holdsIdentifier(side, identifiers)),
  };
}
