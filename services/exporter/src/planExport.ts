import { setImmediate as nextTurn } from 'node:timers/promises';
import { canonicalHash, type ContractRef, sha256 } from '@emend/contracts';
import type { ExportDecision } from './domain/decideExport.js';
import type { ExportPolicy } from './domain/exportPolicy.js';
import { exportRun, type RunExport } from './domain/exportRun.js';
import { gates } from './domain/gates.js';
import { contractsOf, type Manifest } from './domain/manifest.js';
import { type TrainingFile, trainingFiles } from './domain/trainingRow.js';
import { type Trajectory, trajectories } from './domain/trajectory.js';
import type { FoldedRuns } from './ports.js';

/** Runs that are decided before the process looks at anything else. */
const RUNS_PER_TURN = 256;

/** A row to be written: by which run, and the content id of its line. The line itself is made again when it is written. */
export interface PlannedRow {
  readonly run: string;
  readonly position: number;
  readonly id: string;
}

/** Everything of an export but its bytes. */
export interface ExportPlan {
  readonly position: number;
  readonly runs: number;
  readonly considered: number;
  readonly exported: number;
  readonly withheld: Readonly<Record<string, number>>;
  readonly trajectories: Manifest['trajectories'];
  readonly contracts: readonly ContractRef[];
  readonly gatesHash: string;
  /** In the order of the lines. */
  readonly rows: Readonly<Record<TrainingFile, readonly PlannedRow[]>>;
}

/** Decides every run. The folded runs must not move meanwhile, nor before the rows are written. */
export async function planExport(folded: FoldedRuns, policy: ExportPolicy, signal?: AbortSignal): Promise<ExportPlan> {
  const tally = new Tally();
  for (const run of folded.runs()) {
    const dossier = folded.dossier(run);
    if (dossier === null) continue;
    tally.add(exportRun(dossier, policy));
    if (tally.runs % RUNS_PER_TURN === 0) {
      await nextTurn();
      signal?.throwIfAborted();
    }
  }
  return { position: folded.position(), gatesHash: gatesHashOf(policy), ...tally.result() };
}

/** The content ids of a plan's rows. */
export const rowIds = (plan: Pick<ExportPlan, 'rows'>): Manifest['rows'] => ({
  'pairs.jsonl': plan.rows['pairs.jsonl'].map(({ id }) => id),
  'sft.jsonl': plan.rows['sft.jsonl'].map(({ id }) => id),
});

/** What one run brings, as one text: two runs of this service compare by it. Empty for a run that brings nothing. */
export const rowsMark = ({ rows }: Pick<RunExport, 'rows'>): string =>
  trainingFiles.flatMap((file) => (rows[file] === null ? [] : [`${file} ${sha256(rows[file].line)}`])).join(' ');

/** The identity of what decided: the table of gates, the allow-list and what the host allows. */
function gatesHashOf({ sourceKinds, completions, declassification, destination }: ExportPolicy): string {
  return canonicalHash({
    gates: gates.map(({ id, sentence, codes }) => ({ id, sentence, codes })),
    trajectories,
    sourceKinds: [...sourceKinds].sort(),
    completions: [...completions].sort(),
    declassification: declassification && [...declassification.events].sort(),
    destination: destination && { upTo: destination.upTo, contracts: [...destination.contracts].sort() },
  });
}

class Tally {
  runs = 0;
  #considered = 0;
  #exported: Pick<Trajectory, 'type' | 'contract'>[] = [];
  readonly #withheld = new Map<string, number>();
  readonly #rows: Record<TrainingFile, PlannedRow[]> = { 'pairs.jsonl': [], 'sft.jsonl': [] };

  add({ decided, rows }: RunExport): void {
    this.runs += 1;
    for (const { decision } of decided) this.#count(decision);
    for (const file of trainingFiles) {
      const row = rows[file];
      if (row === null) continue;
      this.#rows[file].push({ run: row.trajectory.run, position: row.trajectory.position, id: sha256(row.line) });
    }
  }

  result(): Omit<ExportPlan, 'position' | 'gatesHash'> {
    const types = new Map<string, number>();
    for (const { type } of this.#exported) types.set(type, (types.get(type) ?? 0) + 1);
    for (const file of trainingFiles) this.#rows[file].sort((a, b) => a.position - b.position);
    return {
      runs: this.runs,
      considered: this.#considered,
      exported: this.#exported.length,
      withheld: sorted(this.#withheld),
      trajectories: sorted(types),
      contracts: contractsOf(this.#exported),
      rows: this.#rows,
    };
  }

  #count(decision: ExportDecision): void {
    this.#considered += 1;
    // Two fields, because a plan of a million runs must not keep a million outputs.
    if (decision.kind === 'export') this.#exported.push({ type: decision.trajectory.type, contract: decision.trajectory.contract });
    else
      for (const code of new Set(decision.refusals.map((one) => one.code))) this.#withheld.set(code, (this.#withheld.get(code) ?? 0) + 1);
  }
}

const sorted = (counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> =>
  Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
