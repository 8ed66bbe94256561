import type { ErrorFacts, Logger, Metrics } from '@emend/runtime';
import type { Written } from './writeExport.js';

export const exporterLogFields = [
  'reads',
  'writes',
  'file',
  'opened',
  'position',
  'directory',
  'pairs',
  'sft',
  'withdrawn',
  'withheld',
  'sourceKinds',
  'declassification',
  'destination',
  'server',
];

/** One function per business event. Positions, counts and codes only. */
export interface ExporterEvents {
  folded(position: number): void;
  exported(written: Written): void;
  /** The ledger belonged to another log, and is folded anew. */
  ledgerCleared(): void;
  /** A round failed and will be tried again. Told once for each code in a row. */
  roundFailed(error: ErrorFacts): void;
  roundSucceeded(): void;
}

export function exporterEvents(log: Logger, metrics: Metrics): ExporterEvents {
  const position = metrics.gauge({ name: 'export_folded_position', help: 'Sequence of the last folded event.' });
  const exports = metrics.counter({ name: 'exports_total', help: 'Exports by outcome.', labels: ['outcome'] });
  const rows = metrics.gauge({ name: 'export_rows', help: 'Rows of the newest export.', labels: ['file'] });
  const withheld = metrics.gauge({
    name: 'export_withheld',
    help: 'Trajectories withheld by the newest export, by code.',
    labels: ['code'],
  });
  const withdrawn = metrics.gauge({ name: 'export_withdrawn_rows', help: 'Earlier rows that no longer hold.' });
  const failures = metrics.counter({ name: 'export_failures_total', help: 'Rounds that failed, by code.', labels: ['code'] });
  let failing: string | null = null;
  return {
    folded: (at) => position.set(at),
    exported(written) {
      exports.inc({ outcome: written.kind });
      if (written.kind === 'unchanged') return;
      const { manifest, directory } = written;
      for (const [file, facts] of Object.entries(manifest.files)) rows.set({ file }, facts.rows);
      withheld.reset();
      for (const [code, count] of Object.entries(manifest.withheld)) withheld.set({ code }, count);
      withdrawn.set(manifest.withdrawn.length);
      log.info(`export.${written.kind}`, {
        position: manifest.position,
        directory,
        pairs: manifest.files['pairs.jsonl'].rows,
        sft: manifest.files['sft.jsonl'].rows,
        withdrawn: manifest.withdrawn.length,
        withheld: manifest.considered - manifest.exported,
      });
    },
    ledgerCleared: () => log.warn('ledger.cleared'),
    roundFailed(error) {
      const code = error.code ?? error.error;
      failures.inc({ code });
      if (failing !== code) log.error('export.failed', { ...error });
      failing = code;
    },
    roundSucceeded() {
      if (failing !== null) log.info('export.recovered');
      failing = null;
    },
  };
}
