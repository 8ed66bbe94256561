import { canonicalBytes, type JsonValue, type JudgedOutput, outputBytesMax, type Refusal } from '@emend/contracts';
import { type Dossier, repairOf } from '@emend/history';
import { contentOf, type Link } from './link.js';
import { idFitsPlace, type JudgmentCommand } from './command.js';
import type { JudgedRun } from './judgedRun.js';
import { namedStates, stateOfNamed } from './namedJudgment.js';

/** One command beside all that was read of its run. */
export interface Question {
  readonly command: JudgmentCommand;
  readonly run: JudgedRun;
  readonly link: Link;
}

/** One rule of the door. `test` returns every reason it finds; none means that the rule is kept. */
export interface JudgmentRule {
  readonly id: string;
  /** When a command is refused, in one sentence. */
  readonly sentence: string;
  readonly codes: readonly string[];
  readonly covers: string;
  readonly test: (question: Question) => readonly Refusal[];
}

/** The table of the door; `docs/decision-tables/judgments.md` is compared with it. */
export const rules: readonly JudgmentRule[] = [
  {
    id: 'J1',
    sentence: 'The action id was used before, in the same chain, for an act with other content.',
    codes: ['action_conflict'],
    covers: 'F25',
    test: actionConflict,
  },
  {
    id: 'J2',
    sentence: 'The run has not started, has not ended, or what stands there is void or erased.',
    codes: ['run_unknown', 'run_not_ended', 'run_void', 'run_erased'],
    covers: 'T97',
    test: ({ run }) => standing(run.dossier),
  },
  {
    id: 'J3',
    sentence: "The target is not the run's exact output event, or not a valid proposal of this run.",
    codes: ['target_mismatch', 'run_has_no_output', 'target_unknown', 'target_not_valid'],
    covers: 'T113, T115, F34',
    test: wrongTarget,
  },
  {
    id: 'J4',
    sentence: 'A `prefer` has another target than the run, or another verdict has the run as its target.',
    codes: ['verdict_target_mismatch'],
    covers: 'T117, F36',
    test: ({ command }) =>
      when(command.operation === 'record' && (command.verdict === 'prefer') !== (command.target.kind === 'run'), 'verdict_target_mismatch'),
  },
  {
    id: 'J5',
    sentence: 'A part that the verdict needs is missing, or one is there that it has no use for.',
    codes: ['replacement_missing', 'replacement_unexpected', 'prefer_missing', 'prefer_unexpected'],
    covers: 'T115',
    test: wrongParts,
  },
  {
    id: 'J6',
    sentence: "The replacement is too large, or the run's own contract is unknown or refuses it.",
    codes: ['replacement_too_large', 'contract_unknown', 'contract_hash_differs', 'replacement_invalid'],
    covers: 'T102, T114, T115, F35',
    test: unfitReplacement,
  },
  {
    id: 'J7',
    sentence: 'A `prefer` names one output twice, or one that is no contract-valid output of this run.',
    codes: ['prefer_same', 'prefer_unknown'],
    covers: 'T117',
    test: unfitPreference,
  },
  {
    id: 'J8',
    sentence: "A judgment of this authority on this target is active and not named, or what is named is not the chain's active one.",
    codes: ['supersedes_required', ...namedStates.filter((state) => state !== 'active').map((state) => `supersedes_${state}`)],
    covers: 'T105, F27, F28',
    test: wrongSupersession,
  },
  {
    id: 'J9',
    sentence: "What is to be retracted is not the chain's active judgment.",
    codes: ['retracts_mismatch'],
    covers: 'T101, F27',
    test: ({ command, link }) =>
      command.operation === 'retract' && command.retracts !== link.chain.active?.eventId ? [named('retracts_mismatch', link)] : [],
  },
];

const when = (broken: boolean, code: string): readonly Refusal[] => (broken ? [{ code }] : []);

/** A refusal that says which judgment is active now, where one is. */
function named(code: string, { chain }: Link): Refusal {
  return chain.active === null ? { code } : { code, names: chain.active.eventId };
}

function actionConflict({ command, link }: Question): readonly Refusal[] {
  const first = link.chain.links.find(({ action }) => action === command.action);
  return first === undefined || first.content === contentOf(command, link) ? [] : [{ code: 'action_conflict', names: first.eventId }];
}

function standing({ started, ended }: Dossier): readonly Refusal[] {
  if (started?.kind === 'erased' || ended?.kind === 'erased') return [{ code: 'run_erased' }];
  if (started?.kind === 'void' || ended?.kind === 'void') return [{ code: 'run_void' }];
  if (started === null) return [{ code: 'run_unknown' }];
  return when(ended === null, 'run_not_ended');
}

const stands = ({ run }: Question): boolean => standing(run.dossier).length === 0;

function wrongTarget(question: Question): readonly Refusal[] {
  const { command, run } = question;
  const { target } = command;
  if (target.kind === 'run') return [];
  if (!idFitsPlace(command, target)) return [{ code: 'target_mismatch' }];
  if (!stands(question)) return [];
  if (target.kind === 'output') return when(run.dossier.ended?.kind !== 'produced', 'run_has_no_output');
  const settlement = repairOf(run.dossier, target.policy).settlement;
  if (settlement === null) return [{ code: 'target_unknown' }];
  return when(settlement.kind !== 'proposed', 'target_not_valid');
}

function wrongParts({ command }: Question): readonly Refusal[] {
  if (command.operation === 'retract') return [];
  const { verdict, replacementOutput, prefer } = command;
  const part = (name: string, isThere: boolean, isNeeded: boolean): readonly Refusal[] =>
    when(isThere !== isNeeded, `${name}_${isNeeded ? 'missing' : 'unexpected'}`);
  return [
    ...part('replacement', replacementOutput !== undefined, verdict === 'correct'),
    ...part('prefer', prefer !== undefined, verdict === 'prefer'),
  ];
}

/** What history will check again (T115), checked before anything is stored. */
function unfitReplacement({ command, run }: Question): readonly Refusal[] {
  if (command.operation === 'retract' || command.replacementOutput === undefined) return [];
  if (bytesOf(command.replacementOutput) > outputBytesMax) return [{ code: 'replacement_too_large' }];
  const { started } = run.dossier;
  if (started?.kind !== 'started') return [];
  const resolved = run.facts.contract(started.contract);
  if (resolved.kind !== 'found') return [{ code: resolved.kind === 'unknown' ? 'contract_unknown' : 'contract_hash_differs' }];
  const checked = resolved.contract.check(command.replacementOutput);
  return checked.kind === 'valid' ? [] : [{ code: 'replacement_invalid', issues: [...checked.issues] }];
}

const bytesOf = (output: JsonValue): number => canonicalBytes(output).byteLength;

function unfitPreference(question: Question): readonly Refusal[] {
  const { command, run } = question;
  if (command.operation === 'retract' || command.prefer === undefined) return [];
  const { preferred, over } = command.prefer;
  if (preferred.id === over.id) return [{ code: 'prefer_same' }];
  if (!stands(question)) return [];
  return [preferred, over]
    .filter((output) => !isValidOutput(command, run.dossier, output))
    .map(({ id }) => ({ code: 'prefer_unknown', names: id }));
}

function isValidOutput(command: JudgmentCommand, dossier: Dossier, output: JudgedOutput): boolean {
  if (!idFitsPlace(command, output)) return false;
  return output.kind === 'output' ? dossier.ended?.kind === 'produced' : repairOf(dossier, output.policy).settlement?.kind === 'proposed';
}

function wrongSupersession({ command, run, link }: Question): readonly Refusal[] {
  if (command.operation === 'retract') return [];
  if (command.supersedes === null) return link.chain.active === null ? [] : [named('supersedes_required', link)];
  const state = stateOfNamed({ run, link, authority: command.authority }, command.supersedes);
  return state === 'active' ? [] : [named(`supersedes_${state}`, link)];
}
