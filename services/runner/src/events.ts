import type { GenerateEvents, RunRecord } from '@emend/agents';
import {
  type CountLost,
  providerWaits,
  type StandardRunEvents,
  standardRunEvents,
  standardRunLogFields,
  startLogFields,
} from '@emend/runs';
import { describeError, type Health, type Logger, type Metrics } from '@emend/runtime';

export const runnerLogFields = [
  ...standardRunLogFields,
  ...startLogFields,
  'agents',
  'subject',
  'sequence',
  'reads',
  'writes',
  'server',
  'ringOne',
  'retries',
  'slots',
  'start',
  'upstreamCalls',
  'refused',
  'frames',
  'exitCode',
  'exitSignal',
];

/** One function per business event. Ids and codes only. */
export interface RunnerEvents extends StandardRunEvents, GenerateEvents, Invoking, Keeping {}

/** What is said of the invocations of a run. */
interface Invoking {
  /** An output was refused, by class, and is asked for again under the same claim. */
  retried(run: string, refused: string): void;
  /** A stop word that the table does not know, or none: what is open in such a text is never closed. */
  finishReasonUnknown(run: string): void;
  /** An answer names another model than the one asked for. */
  modelDiffers(): void;
  /** A worker ended: counts and an exit, never a word of it. */
  workerEnded(run: string, record: RunRecord): void;
}

/** What is said of that which is kept nowhere. */
interface Keeping {
  triggerSetAside(subject: string, sequence: number): void;
  /** An event of the run trace that could not be stored. */
  traceLost(): void;
  /** A text that is nowhere: the bucket did not take it, or it passes its bound. */
  quarantineLost(run: string, code: string): void;
}

export function runnerEvents(parts: { log: Logger; metrics: Metrics; health: Pick<Health, 'set'> }): RunnerEvents {
  const { log } = parts;
  const runs = standardRunEvents(parts, {
    service: 'runner',
    lost: 'ends that came late, answers, triggers, trace events, quarantined texts',
  });
  return {
    ...runs.events,
    ...providerWaits(parts, { lines: 'run', metrics: 'runner', id: 'run' }),
    generatorThrew(run, error) {
      log.error('run.generator_threw', { run, ...describeError(error) });
    },
    ...invoking(parts),
    ...keeping(log, runs.lost),
  };
}

function invoking({ log, metrics }: { log: Logger; metrics: Metrics }): Invoking {
  const retries = metrics.counter({
    name: 'runner_retries_total',
    help: 'Further invocations under one claim, by the class of the output that was refused.',
    labels: ['class'],
  });
  const unknownFinish = metrics.counter({
    name: 'runner_finish_reasons_unknown_total',
    help: 'Stop words that the table does not know, or none.',
  });
  return {
    retried(run, refused) {
      retries.inc({ class: refused });
      log.info('run.retried', { run, code: refused });
    },
    finishReasonUnknown(run) {
      unknownFinish.inc();
      log.warn('run.finish_reason_unknown', { run });
    },
    modelDiffers() {
      log.warn('run.model_differs');
    },
    workerEnded(run, { upstreamCalls, refused, frames, exit }) {
      log.info('run.worker_ended', {
        run,
        upstreamCalls,
        refused,
        frames,
        exitCode: exit.code ?? undefined,
        exitSignal: exit.signal ?? undefined,
      });
    },
  };
}

const keeping = (log: Logger, lost: CountLost): Keeping => ({
  triggerSetAside(subject, sequence) {
    lost('trigger');
    log.error('run.trigger_set_aside', { subject, sequence });
  },
  traceLost() {
    lost('trace');
    log.warn('run.trace_lost');
  },
  quarantineLost(run, code) {
    lost('quarantine');
    log.warn('run.quarantine_lost', { run, code });
  },
});
