import { createHash } from 'node:crypto';
import type { ExportPolicy } from './domain/exportPolicy.js';
import { exportRun } from './domain/exportRun.js';
import type { FileFacts } from './domain/manifest.js';
import type { TrainingFile } from './domain/trainingRow.js';
import { columnsOfLine, lineFaults } from './domain/trlLine.js';
import { ExporterError } from './errors.js';
import type { PlannedRow } from './planExport.js';
import type { FoldedRuns } from './ports.js';

export interface LinesOptions {
  readonly file: TrainingFile;
  readonly rows: readonly PlannedRow[];
  readonly folded: FoldedRuns;
  readonly policy: ExportPolicy;
}

/** The lines of one file, made anew from the folded runs and counted on the way: an export need not fit into memory. */
export class RowLines {
  #bytes = 0;
  #rows = 0;
  #longest = 0;
  readonly #hash = createHash('sha256');

  constructor(private readonly options: LinesOptions) {}

  /**
   * Each line as a loader would read it, before anybody can load it.
   * @throws ExporterError `row_not_loadable` with the file and line number
   */
  *lines(): Generator<string> {
    const { file, rows } = this.options;
    let columns: readonly string[] | undefined;
    for (const planned of rows) {
      const line = this.#lineOf(planned);
      if (line === null || lineFaults(file, line, columns).length > 0)
        throw new ExporterError('row_not_loadable', `${file}:${this.#rows + 1}`);
      columns ??= columnsOfLine(line);
      const ended = `${line}\n`;
      this.#rows += 1;
      this.#bytes += Buffer.byteLength(ended);
      this.#longest = Math.max(this.#longest, line.length);
      this.#hash.update(ended);
      yield ended;
    }
  }

  /** Once all lines were taken. */
  facts(): FileFacts {
    return { rows: this.#rows, bytes: this.#bytes, sha256: this.#hash.copy().digest('hex'), longestLine: this.#longest };
  }

  #lineOf({ run }: PlannedRow): string | null {
    const dossier = this.options.folded.dossier(run);
    return dossier === null ? null : (exportRun(dossier, this.options.policy).rows[this.options.file]?.line ?? null);
  }
}
