import type { FoldedBatch, Halt } from '@emend/ledger';
import type { Logger, Metrics } from '@emend/runtime';
import { type ViewName, viewNames } from './domain/rows.js';

export const projectorLogFields = [
  'dropped',
  'events',
  'file',
  'generation',
  'how',
  'incarnation',
  'last',
  'opened',
  'position',
  'projection',
  'reads',
  'run',
  'runs',
  'sequence',
  'server',
  'subject',
  'view',
  'voids',
  'writes',
] as const;

/** A row that could not be put to its view. */
export interface RowLeftOut {
  readonly view: ViewName;
  readonly code: 'row_unstorable' | 'row_too_large';
  readonly run: string;
  readonly position: number;
}

export type PutOutcome = 'put' | 'same' | 'ahead' | 'removed' | 'conflict';

/** One function per business event. Ids, codes and numbers only. */
export interface ProjectorEvents {
  folded(batch: FoldedBatch): void;
  rowPut(view: ViewName, outcome: PutOutcome): void;
  rowLeftOut(row: RowLeftOut): void;
  waiting(view: ViewName, rows: number): void;
  generationSettled(settled: { readonly how: 'adopted' | 'taken'; readonly generation: number; readonly incarnation: string }): void;
  progress(at: { readonly position: number; readonly last: number }): void;
  caughtUp(at: { readonly position: number; readonly runs: number; readonly voids: number }): void;
  live(generation: number): void;
  halted(halt: Halt): void;
  ledgerCleared(cause: 'checkpoint_differs' | 'view_diverged' | 'ledger_corrupt'): void;
  lag(events: number): void;
}

export function projectorEvents(log: Logger, metrics: Metrics): ProjectorEvents {
  const counts = define(metrics);
  for (const view of viewNames) counts.waiting.set({ view }, 0);
  return {
    folded({ events, voids, checkpoint }) {
      counts.folded.inc(events);
      for (const { code } of voids) counts.voids.inc({ code });
      if (checkpoint !== null) counts.position.set(checkpoint.sequence);
      log.debug('batch.folded', { events, voids: voids.length, position: checkpoint?.sequence });
    },
    rowPut: (view, outcome) => counts.rows.inc({ view, outcome }),
    rowLeftOut({ view, code, run, position }) {
      counts.rows.inc({ view, outcome: code });
      log.error('row.left_out', { view, code, run, position });
    },
    waiting: (view, rows) => counts.waiting.set({ view }, rows),
    generationSettled({ how, generation, incarnation }) {
      counts.generation.set(generation);
      log.info('generation.settled', { how, generation, incarnation });
    },
    progress: (at) => log.info('fold.progress', { ...at }),
    caughtUp: (at) => log.info('fold.caught_up', { ...at }),
    live: (generation) => log.info('projection.live', { generation }),
    halted: ({ subject, sequence }) => log.error('fold.halted', { code: 'unknown_version', subject, sequence }),
    ledgerCleared: (cause) => log.warn('ledger.cleared', { cause }),
    lag: (events) => counts.lag.set(events),
  };
}

function define(metrics: Metrics) {
  return {
    folded: metrics.counter({ name: 'events_folded_total', help: 'Events folded.' }),
    voids: metrics.counter({ name: 'void_events_total', help: 'Events folded that have no effect, by code.', labels: ['code'] }),
    position: metrics.gauge({ name: 'fold_position', help: 'The last sequence folded.' }),
    lag: metrics.gauge({ name: 'projector_lag_events', help: 'Events in the log that are not folded yet.' }),
    generation: metrics.gauge({ name: 'view_generation', help: 'The generation that rows are written under.' }),
    rows: metrics.counter({ name: 'rows_total', help: 'Rows by view and outcome.', labels: ['view', 'outcome'] }),
    waiting: metrics.gauge({ name: 'rows_waiting', help: 'Changed runs whose row is not confirmed yet.', labels: ['view'] }),
  };
}
