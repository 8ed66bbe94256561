import { canonicalHash, isPrompted, joinPrivacy, privacyLevels, sameContract } from '@emend/contracts';
import type { ExportPolicy } from './exportPolicy.js';
import { type Candidate, type Trajectory, trajectories } from './trajectory.js';

export type GateVerdict =
  | { readonly kind: 'pass' }
  | { readonly kind: 'refuse'; readonly codes: readonly string[] }
  /** There is nothing here that the gate could look at. It lets nothing through. */
  | { readonly kind: 'undecided' };

/** One gate of the export. Only an explicit pass of every gate lets a trajectory out. */
export interface Gate {
  readonly id: string;
  /** When it refuses, in one sentence. */
  readonly sentence: string;
  /** The codes it can give. `<…>` stands for a word from a short list. */
  readonly codes: string;
  readonly covers: string;
  readonly test: (candidate: Candidate, policy: ExportPolicy) => GateVerdict;
}

/** The table of gates; `docs/decision-tables/export.md` is compared with it. */
export const gates: readonly Gate[] = [
  {
    id: 'G1',
    sentence: 'No active `accept` or `correct` stands behind the output; for a preference, behind both outputs.',
    codes: 'not_ended | original_alone | unresolved | repair_failed | rejected | retracted | never_judged | preference_not_backed',
    covers: 'T122, T127',
    test: (candidate) => {
      if (candidate.kind === 'nothing') return { kind: 'refuse', codes: [candidate.standing] };
      return verdictOf(when(!candidate.backed, 'preference_not_backed'));
    },
  },
  {
    id: 'G2',
    sentence: 'It does not lead to the effective output of its run: another judgment is newer.',
    codes: 'not_effective',
    covers: 'T107, T109, T110',
    test: onTrajectory(({ effective }) => when(!effective, 'not_effective')),
  },
  {
    id: 'G3',
    sentence: 'Another authority rejects the output.',
    codes: 'contested',
    covers: 'T106, T127',
    test: onTrajectory(({ contested }) => when(contested, 'contested')),
  },
  {
    id: 'G4',
    sentence: 'A judgment that carries it does not vouch for its quality.',
    codes: 'quality_not_eligible',
    covers: 'T123',
    test: onTrajectory(({ judgments }) => when(!judgments.every(({ quality }) => quality), 'quality_not_eligible')),
  },
  {
    id: 'G5',
    sentence: 'A judgment that carries it does not allow external export.',
    codes: 'export_not_eligible',
    covers: 'T123',
    test: onTrajectory(({ judgments }) => when(!judgments.every(({ externalExport }) => externalExport), 'export_not_eligible')),
  },
  {
    id: 'G6',
    sentence: 'Its type is not on the allow-list.',
    codes: 'trajectory_not_listed',
    covers: 'T128',
    test: onTrajectory(({ type }) => when(!trajectories[type].allowed, 'trajectory_not_listed')),
  },
  {
    id: 'G7',
    sentence: 'Its source is not known, or of a kind that the host has not listed: the kind stands in the row.',
    codes: 'source_unknown | source_kind_not_listed',
    covers: 'T128',
    test: onTrajectory(({ sourceKind }, { sourceKinds }) =>
      sourceKind === null ? ['source_unknown'] : when(!sourceKinds.includes(sourceKind), 'source_kind_not_listed'),
    ),
  },
  {
    id: 'G8',
    sentence: 'A participant is not public-source. No file of the host lifts this.',
    codes: 'not_public_source:<role>',
    covers: 'T124',
    test: onTrajectory(({ participants }) =>
      participants.filter(({ sourceClass }) => sourceClass !== 'public-source').map(({ role }) => `not_public_source:${role}`),
    ),
  },
  {
    id: 'G9',
    sentence: 'A participant is sensitive or private, and the declassification file does not name it.',
    codes: 'not_public:<role>',
    covers: 'T124, T126',
    test: onTrajectory((trajectory, { declassification }) =>
      closedParticipants(trajectory)
        .filter(({ eventId }) => eventId === null || !declassification?.events.has(eventId))
        .map(({ role }) => `not_public:${role}`),
    ),
  },
  {
    id: 'G10',
    sentence: 'A participant is sensitive or private, and the destination file does not name this folder for that privacy and contract.',
    codes: 'destination_not_named',
    covers: 'T126',
    test: onTrajectory((trajectory, policy) =>
      when(closedParticipants(trajectory).length > 0 && !mayReach(trajectory, policy), 'destination_not_named'),
    ),
  },
  {
    id: 'G11',
    sentence: 'The learned adapter of a participating run is not public, or its policy forbids export. Each run is asked on its own.',
    codes: 'adapter_not_public:<run> | adapter_export_forbidden:<run>',
    covers: 'T125',
    test: onTrajectory(refusedAdapters),
  },
  {
    id: 'G12',
    sentence: 'The contract is not in the log under this hash, or the events of the trajectory disagree on contract or model.',
    codes: 'contract_unknown | contract_hash_differs | contract_differs:<role> | provenance_differs:<run>',
    covers: 'T48, T49, T93, T128',
    test: onTrajectory(disagreements),
  },
  {
    id: 'G13',
    sentence: 'A side does not pass the contract, or names an identifier of the log, or both sides are equal.',
    codes: 'chosen_invalid | rejected_invalid | identifier_named | sides_equal',
    covers: 'T128, T129',
    test: onTrajectory(unfitSides),
  },
  {
    id: 'G14',
    sentence: 'The run’s own output came to be valid in a way that the host has not listed. A failed run has no such output.',
    codes: 'completion_not_listed',
    covers: 'T128',
    test: onTrajectory(({ completion }, { completions }) =>
      when(completion !== null && !completions.includes(completion.way), 'completion_not_listed'),
    ),
  },
  {
    id: 'G15',
    sentence: 'No model was asked for an output of this contract by a prompt that could stand in a row.',
    codes: 'prompt_not_renderable',
    covers: 'T128, T129',
    test: onTrajectory(({ contract }) => when(!isPrompted(contract), 'prompt_not_renderable')),
  },
];

/** A gate that looks at trajectories: where there is none it decides nothing. */
function onTrajectory(refusals: (trajectory: Trajectory, policy: ExportPolicy) => readonly string[]): Gate['test'] {
  return (candidate, policy) => (candidate.kind === 'nothing' ? { kind: 'undecided' } : verdictOf(refusals(candidate, policy)));
}

/** Each code once, in the order found. */
const verdictOf = (codes: readonly string[]): GateVerdict =>
  codes.length === 0 ? { kind: 'pass' } : { kind: 'refuse', codes: [...new Set(codes)] };

const when = (refused: boolean, code: string): readonly string[] => (refused ? [code] : []);

const closedParticipants = ({ participants }: Trajectory) => participants.filter(({ privacy }) => privacy !== 'public');

function mayReach({ participants, contract }: Trajectory, { destination }: ExportPolicy): boolean {
  if (destination === null) return false;
  const privacy = joinPrivacy(participants.map((one) => one.privacy));
  return (
    privacyLevels.indexOf(privacy) <= privacyLevels.indexOf(destination.upTo) &&
    destination.contracts.includes(`${contract.id}@${contract.version}`)
  );
}

function refusedAdapters({ runs }: Trajectory): readonly string[] {
  return runs.flatMap(({ role, model, proposed }) =>
    [model.learnedAdapter, proposed?.learnedAdapter ?? null].flatMap((adapter) =>
      adapter === null
        ? []
        : [
            ...when(adapter.privacy !== 'public', `adapter_not_public:${role}`),
            ...when(adapter.exportPolicy !== 'allowed', `adapter_export_forbidden:${role}`),
          ],
    ),
  );
}

function disagreements({ contract, contractsNamed, runs }: Trajectory, policy: ExportPolicy): readonly string[] {
  const resolved = policy.contract(contract);
  return [
    ...when(resolved.kind === 'unknown', 'contract_unknown'),
    ...when(resolved.kind === 'hash_differs', 'contract_hash_differs'),
    ...contractsNamed.filter((named) => !sameContract(named.contract, contract)).map(({ role }) => `contract_differs:${role}`),
    ...runs
      .filter(({ model, proposed }) => proposed !== null && canonicalHash(proposed) !== canonicalHash(model))
      .map(({ role }) => `provenance_differs:${role}`),
  ];
}

/** Both sides are checked once more, as they would stand in the row. An unknown contract passes nothing. */
function unfitSides({ chosen, rejected, contract, namesIdentifier }: Trajectory, policy: ExportPolicy): readonly string[] {
  const resolved = policy.contract(contract);
  const isFit = (side: string): boolean => {
    if (resolved.kind !== 'found') return false;
    const checked = resolved.contract.check(JSON.parse(side));
    return checked.kind === 'valid' && checked.text === side;
  };
  return [
    ...when(!isFit(chosen), 'chosen_invalid'),
    ...when(rejected !== null && !isFit(rejected), 'rejected_invalid'),
    ...when(namesIdentifier, 'identifier_named'),
    ...when(chosen === rejected, 'sides_equal'),
  ];
}
