import type { ContractRef } from '@emend/contracts';
import { type TrainingFile, trainingFiles } from './trainingRow.js';
import type { Trajectory, TrajectoryType } from './trajectory.js';

export const manifestFormat = 'emend.export@1';

/** What no row holds, whatever was in the log (T129). Said in every manifest, held by a canary test. */
export const excludedFields = [
  'malformed candidate text',
  'source bodies',
  'prompts of agents',
  'provider bodies',
  'reasoning',
  'tool arguments',
  'image bytes',
  'free-form diagnostics',
  'actor, route, external, correlation and idempotency identifiers',
  'internal provenance ids',
  'source hashes',
  'trace-content hashes',
  'private checkpoints',
  'quarantine material',
] as const;

/** A row that an earlier export held and that no longer holds. */
export interface WithdrawnRow {
  readonly file: TrainingFile;
  /** The row's content id: SHA-256 of its line. */
  readonly row: string;
  /** The position of the last export that held it. */
  readonly lastExported: number;
}

export interface FileFacts {
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  /** The longest line in characters, because a trainer drops what is longer than its window without a word. */
  readonly longestLine: number;
}

/** The record of one export, and the base of the next one's list of withdrawn rows (F43). It holds no clock and no id of the log. */
export interface Manifest {
  readonly format: typeof manifestFormat;
  /** The last event that was folded. */
  readonly position: number;
  readonly prompt: 'contract';
  readonly identifiersReplacedBy: string;
  /** Over the table of gates and the host's own settings: another hash may mean other rows at the same position. */
  readonly gatesHash: string;
  readonly contracts: readonly ContractRef[];
  readonly trajectories: Readonly<Partial<Record<TrajectoryType, number>>>;
  readonly runs: number;
  readonly considered: number;
  readonly exported: number;
  /** By code. A trajectory with several refusals counts under each. */
  readonly withheld: Readonly<Record<string, number>>;
  readonly files: Readonly<Record<TrainingFile, FileFacts>>;
  /** Content ids in the order of the lines. */
  readonly rows: Readonly<Record<TrainingFile, readonly string[]>>;
  /** The directory of the export that this one was compared with. */
  readonly base: string | null;
  readonly withdrawn: readonly WithdrawnRow[];
  readonly excluded: readonly string[];
}

/** What a base has to say of its rows. */
export type ManifestBase = Pick<Manifest, 'position' | 'rows' | 'withdrawn'>;

/** Earlier rows that no longer hold: those of the base and those it already listed, unless they hold again. */
export function withdrawnRows(base: ManifestBase | null, rows: Manifest['rows']): readonly WithdrawnRow[] {
  if (base === null) return [];
  return trainingFiles.flatMap((file) => {
    const holding = new Set(rows[file]);
    const listed = base.withdrawn.filter((one) => one.file === file);
    const dropped = base.rows[file].map((row) => ({ file, row, lastExported: base.position }));
    const gone = new Map([...listed, ...dropped].map((one) => [one.row, one]));
    return [...gone.values()].filter(({ row }) => !holding.has(row)).sort((a, b) => (a.row < b.row ? -1 : 1));
  });
}

/** Whether two exports hold the same rows, whatever their order. */
export const sameRows = (a: Manifest['rows'], b: Manifest['rows']): boolean =>
  trainingFiles.every((file) => [...a[file]].sort().join() === [...b[file]].sort().join());

/** The manifest's bytes: fixed order of members, one member a line, so that a person can read and compare it. */
export const manifestText = (manifest: Manifest): string => `${JSON.stringify(manifest, null, 2)}\n`;

/** The contracts of the rows, each once, in order. */
export function contractsOf(exported: readonly Pick<Trajectory, 'contract'>[]): readonly ContractRef[] {
  const byKey = new Map(exported.map(({ contract: { id, version, hash } }) => [`${id}@${version}`, { id, version, hash }]));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, contract]) => contract);
}
