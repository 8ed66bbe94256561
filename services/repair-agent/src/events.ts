import type { GenerateEvents, RunRecord } from '@emend/agents';
import { providerWaits, startLogFields } from '@emend/runs';
import { describeError, type Health, type Logger, type Metrics } from '@emend/runtime';

export const repairAgentLogFields = [
  ...startLogFields,
  'request',
  'run',
  'reasons',
  'subject',
  'sequence',
  'reads',
  'writes',
  'server',
  'agent',
  'adapter',
  'catalog',
  'slots',
  'start',
  'abandonBefore',
  'capture',
  'recordings',
  'upstreamCalls',
  'refused',
  'frames',
  'exitCode',
  'exitSignal',
];

/** One function per business event. Ids and codes only. */
export interface RepairEvents extends GenerateEvents {
  claimed(request: string, run: string): void;
  /** Another delivery claimed while this one read the evidence. */
  claimLost(request: string): void;
  settled(request: string, code: string): void;
  /** Somebody settled before: what this delivery had, by code, is dropped. */
  settlementLost(request: string, code: string): void;
  evidenceRefused(request: string, code: string, reasons: readonly string[]): void;
  finishReasonUnknown(request: string): void;
  /** A recording was made from another prompt than the one rendered now. */
  playerPromptDiffers(capture: string): void;
  /** An answer names another model than the one asked for: an alias, or a server that is not what it was taken for. */
  modelDiffers(): void;
  incidentLost(code: string): void;
  /** A worker ended: counts and an exit, never a word of it. */
  workerEnded(request: string, record: RunRecord): void;
}

export function repairEvents({ log, metrics, health }: { log: Logger; metrics: Metrics; health: Pick<Health, 'set'> }): RepairEvents {
  const count = counters(metrics);
  return {
    ...providerWaits({ log, metrics, health }, { lines: 'repair', metrics: 'repair', id: 'request' }),
    claimed(request, run) {
      count.claims.inc({ outcome: 'claimed' });
      log.info('repair.claimed', { request, run });
    },
    claimLost(request) {
      count.claims.inc({ outcome: 'lost' });
      log.info('repair.claim_lost', { request });
    },
    settled(request, code) {
      count.settlements.inc({ code });
      log.info('repair.settled', { request, code });
    },
    settlementLost(request, code) {
      count.lost.inc({ code });
      log.warn('repair.settlement_lost', { request, code });
    },
    evidenceRefused(request, code, reasons) {
      log.warn('repair.evidence_refused', { request, code, reasons: reasons.join(' ') });
    },
    generatorThrew(request, error) {
      count.faults.inc();
      log.error('repair.generator_threw', { request, ...describeError(error) });
    },
    finishReasonUnknown(request) {
      count.unknownFinish.inc();
      log.warn('repair.finish_reason_unknown', { request });
    },
    playerPromptDiffers(capture) {
      count.promptDiffers.inc();
      log.warn('player_prompt_differs', { capture });
    },
    modelDiffers() {
      count.modelDiffers.inc();
      log.warn('repair.model_differs');
    },
    incidentLost(code) {
      count.incidentsLost.inc({ code });
      log.error('incident.lost', { code });
    },
    workerEnded(request, { upstreamCalls, refused, frames, exit }) {
      if (refused > 0) count.refusedGenerations.inc();
      log.info('repair.worker_ended', {
        request,
        upstreamCalls,
        refused,
        frames,
        exitCode: exit.code ?? undefined,
        exitSignal: exit.signal ?? undefined,
      });
    },
  };
}

function counters(metrics: Metrics) {
  return {
    claims: metrics.counter({ name: 'repair_claims_total', help: 'Claims by outcome.', labels: ['outcome'] }),
    settlements: metrics.counter({ name: 'repair_settlements_total', help: 'Settlements of repair requests by code.', labels: ['code'] }),
    lost: metrics.counter({
      name: 'repair_settlements_lost_total',
      help: 'Settlements that found their place taken, by code.',
      labels: ['code'],
    }),
    faults: metrics.counter({ name: 'repair_generator_faults_total', help: 'Generators that threw.' }),
    unknownFinish: metrics.counter({
      name: 'repair_finish_reasons_unknown_total',
      help: 'Stop words that the table does not know, or none.',
    }),
    modelDiffers: metrics.counter({ name: 'repair_models_differ_total', help: 'Answers that name another model than the one asked for.' }),
    promptDiffers: metrics.counter({ name: 'player_prompt_differs_total', help: 'Recordings made from another prompt.' }),
    refusedGenerations: metrics.counter({
      name: 'repair_workers_refused_total',
      help: 'Workers that asked for more than one generation, and were refused.',
    }),
    incidentsLost: metrics.counter({ name: 'incidents_lost_total', help: 'Incidents that could not be stored.', labels: ['code'] }),
  };
}
