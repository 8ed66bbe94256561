import type { Logger, Metrics } from '@emend/runtime';
import type { Reason } from './domain/eligibility.js';
import type { AppendOutcome } from './ports.js';

export const coordinatorLogFields = [
  'run',
  'request',
  'reasons',
  'reads',
  'writes',
  'policy',
  'server',
  'subject',
  'sequence',
  'read',
  'requested',
];

/** One function per business event. Ids and codes only. */
export interface CoordinatorEvents {
  ineligible(run: string, reasons: readonly Reason[]): void;
  requested(run: string, request: string, outcome: AppendOutcome): void;
}

export function coordinatorEvents(log: Logger, metrics: Metrics): CoordinatorEvents {
  const ineligible = metrics.counter({ name: 'runs_ineligible_total', help: 'Failed runs that got no request.', labels: ['rule'] });
  const requests = metrics.counter({
    name: 'repair_requests_total',
    help: 'Repair requests by outcome of the append.',
    labels: ['outcome'],
  });
  return {
    ineligible(run, reasons) {
      for (const rule of new Set(reasons.map((reason) => reason.rule))) ineligible.inc({ rule });
      log.info('run.ineligible', { run, reasons: reasons.map((reason) => reason.code).join(' ') });
    },
    requested(run, request, outcome) {
      requests.inc({ outcome });
      log.info('repair.requested', { run, request, outcome });
    },
  };
}
