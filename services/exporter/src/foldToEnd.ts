import { foldLog, type Ledger } from '@emend/ledger';
import type { EventLog } from '@emend/log';
import { ExporterError } from './errors.js';

export interface FoldToEndOptions {
  readonly ledger: Ledger;
  readonly log: EventLog;
  readonly signal?: AbortSignal;
  readonly onBatch?: (position: number, of: number) => void;
  /** Told where the ledger did not belong to the log and is folded anew. */
  readonly onCleared?: () => void;
}

/**
 * Folds everything that the log holds now, and no further: while an export is made, the ledger stands still.
 * @throws ExporterError `event_from_newer_version`, `log_replaced`
 */
export async function foldToEnd(options: FoldToEndOptions): Promise<number> {
  const { ledger, log, signal, onBatch, onCleared } = options;
  const to = await log.lastSequence();
  if (to === ledger.position() && to === 0) return 0;
  const fold = () => foldLog({ ledger, log, to, ...(signal ? { signal } : {}), onBatch: () => onBatch?.(ledger.position(), to) });
  // A log that ends before what was folded is another one; the fold itself sees every other difference.
  let end = to < ledger.position() ? ({ kind: 'checkpoint_differs', position: ledger.position() } as const) : await fold();
  if (end.kind === 'checkpoint_differs') {
    onCleared?.();
    ledger.clear();
    end = await fold();
  }
  switch (end.kind) {
    case 'folded':
      return end.position;
    case 'unknown_version':
      throw new ExporterError('event_from_newer_version', String(end.halt.sequence));
    case 'checkpoint_differs':
      throw new ExporterError('log_replaced', String(end.position));
    default:
      return end satisfies never;
  }
}
