import { canonicalText, type EditCount, type OutputContract, type Provenance } from '@emend/contracts';
import { publicEvidence } from '@emend/history';
import { editTable } from '@emend/overseer/edits';
import { type Trajectory, trajectories } from './trajectory.js';

export const trainingFiles = ['pairs.jsonl', 'sft.jsonl'] as const;
export type TrainingFile = (typeof trainingFiles)[number];

interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** What every row says beside its texts: flat columns of text, the same in every row, empty where there is nothing to say. */
interface Columns {
  readonly emend_contract: string;
  readonly emend_contract_hash: string;
  readonly emend_trajectory: string;
  readonly emend_order: string;
  readonly emend_source_kind: string;
  readonly emend_source_class: string;
  readonly emend_original_completion: string;
  readonly emend_original_edits: string;
  readonly emend_original_provider: string;
  readonly emend_original_model: string;
  readonly emend_original_execution_adapter: string;
  readonly emend_original_learned_adapter: string;
  readonly emend_original_catalog: string;
  readonly emend_repair_provider: string;
  readonly emend_repair_model: string;
  readonly emend_repair_execution_adapter: string;
  readonly emend_repair_learned_adapter: string;
  readonly emend_repair_catalog: string;
}

/** TRL's conversational preference format. */
export interface PairRow extends Columns {
  readonly prompt: readonly Message[];
  readonly chosen: readonly Message[];
  readonly rejected: readonly Message[];
}

/** TRL's conversational prompt-completion format: the loss is on the completion alone. */
export interface SftRow extends Columns {
  readonly prompt: readonly Message[];
  readonly completion: readonly Message[];
}

/**
 * The rows of an exported trajectory, as lines without their ends. An allow-list constructor: a field is here because
 * somebody wrote its name (T128, T129). Nothing is copied, masked or spread.
 */
export function rowsOf(trajectory: Trajectory, contract: OutputContract): Readonly<Record<TrainingFile, string | null>> {
  const { type, chosen, rejected } = trajectory;
  const prompt = promptOf(trajectory, contract);
  const columns = columnsOf(trajectory);
  const pair: PairRow | null = rejected === null ? null : { prompt, chosen: answer(chosen), rejected: answer(rejected), ...columns };
  // A preference adds a pair; the accepted proposal itself has a row of its own judgment.
  const sft: SftRow | null = type === 'repair.preferred' ? null : { prompt, completion: answer(chosen), ...columns };
  return { 'pairs.jsonl': pair && canonicalText(pair), 'sft.jsonl': sft && canonicalText(sft) };
}

/** The contract's own description with the least that has to be said of the source (design 5.10). The source never enters. */
function promptOf({ sourceKind, participants }: Trajectory, contract: OutputContract): readonly Message[] {
  const sourceClass = sourceClassOf(participants);
  return [
    { role: 'system', content: contract.promptDescription },
    { role: 'user', content: `Source classification: ${sourceKind ?? ''}, ${sourceClass}.\nGive the output that the contract describes.` },
  ];
}

const answer = (content: string): readonly Message[] => [{ role: 'assistant', content }];

function columnsOf({ contract, type, sourceKind, participants, runs, completion }: Trajectory): Columns {
  const original = evidenceOf(runs.find(({ role }) => role === 'original')?.model);
  const repair = evidenceOf(runs.find(({ role }) => role === 'repair')?.model);
  return {
    emend_contract: `${contract.id}@${contract.version}`,
    emend_contract_hash: contract.hash,
    emend_trajectory: type,
    emend_order: trajectories[type].order,
    emend_source_kind: sourceKind ?? '',
    emend_source_class: sourceClassOf(participants),
    emend_original_completion: completion?.way ?? '',
    emend_original_edits: editsText(completion?.edits ?? []),
    emend_original_provider: original.provider,
    emend_original_model: original.model,
    emend_original_execution_adapter: original.executionAdapter,
    emend_original_learned_adapter: original.learnedAdapter,
    emend_original_catalog: original.catalog,
    emend_repair_provider: repair.provider,
    emend_repair_model: repair.model,
    emend_repair_execution_adapter: repair.executionAdapter,
    emend_repair_learned_adapter: repair.learnedAdapter,
    emend_repair_catalog: repair.catalog,
  };
}

const sourceClassOf = (participants: Trajectory['participants']): string =>
  participants.every(({ sourceClass }) => sourceClass === 'public-source') ? 'public-source' : 'restricted-source';

/**
 * `code:count` of each edit, in the order of the codes. A code that is not in the decoder's list may be anybody's text, and such
 * are summed up as `other` (T129).
 */
function editsText(edits: readonly EditCount[]): string {
  const counts = new Map<string, number>();
  for (const { code, count } of edits) {
    const listed = Object.hasOwn(editTable, code) ? code : 'other';
    counts.set(listed, (counts.get(listed) ?? 0) + count);
  }
  return [...counts]
    .map(([code, count]) => `${code}:${count}`)
    .sort()
    .join(' ');
}

/** The public evidence of one model as text; nothing where no such run took part. */
function evidenceOf(model: Provenance | undefined) {
  if (model === undefined) return { provider: '', model: '', executionAdapter: '', learnedAdapter: '', catalog: '' };
  const { provider, model: name, executionAdapter, learnedAdapter, catalog } = publicEvidence(model);
  return {
    provider,
    model: name,
    executionAdapter,
    learnedAdapter: learnedAdapter ?? '',
    catalog: `${catalog.digest}#${catalog.generation}`,
  };
}
