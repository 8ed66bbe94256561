import type { GenerateEvents, Played, RunRecord } from '@emend/agents';
import { describeError, type Health, type Logger, type Metrics } from '@emend/runtime';

export const runnerLogFields = [
  'run',
  'source',
  'agent',
  'agents',
  'place',
  'expected',
  'subject',
  'sequence',
  'reads',
  'writes',
  'server',
  'ringOne',
  'slots',
  'start',
  'sandboxCommand',
  'sandboxFilter',
  'sandboxNode',
  'sandboxWorker',
  'misses',
  'said',
  'upstreamCalls',
  'refused',
  'frames',
  'exitCode',
  'exitSignal',
];

/** One function per business event. Ids and codes only. */
export interface RunnerEvents extends GenerateEvents {
  claimed(run: string, source: string): void;
  /** Another delivery claimed between the look and the append. */
  claimLost(run: string): void;
  /** By code: how an output came to be valid, or why there is none. */
  ended(run: string, code: string): void;
  /** Somebody ended the run before: what this delivery had, by code, is dropped. */
  endLost(run: string, code: string): void;
  /** Every attempt was given up: the source stays without an answer of this declaration. */
  attemptsUsedUp(source: string, agent: { readonly id: string; readonly version: number }): void;
  triggerSetAside(subject: string, sequence: number): void;
  /** An answer names another model than the one asked for. */
  modelDiffers(): void;
  /** A player of recordings was asked in place of a model, for the run's answer or for its repair. */
  recordingAsked(run: string, played: Played): void;
  /** An event of the run trace that could not be stored. */
  traceLost(): void;
  /** A text that is nowhere: the bucket did not take it, or it passes its bound. */
  quarantineLost(run: string, code: string): void;
  /** A worker ended: counts and an exit, never a word of it. */
  workerEnded(run: string, record: RunRecord): void;
}

export function runnerEvents({ log, metrics, health }: { log: Logger; metrics: Metrics; health: Pick<Health, 'set'> }): RunnerEvents {
  const count = counters(metrics);
  /** Runs whose holders wait now: while there are any, the process is not ready. */
  const awaiting = new Set<string>();
  return {
    claimed(run, source) {
      count.claims.inc({ outcome: 'claimed' });
      log.info('run.claimed', { run, source });
    },
    claimLost(run) {
      count.claims.inc({ outcome: 'lost' });
      log.info('run.claim_lost', { run });
    },
    ended(run, code) {
      count.ends.inc({ code });
      log.info('run.ended', { run, code });
    },
    endLost(run, code) {
      count.lost.inc({ what: 'end' });
      log.warn('run.end_lost', { run, code });
    },
    attemptsUsedUp(source, { id, version }) {
      count.lost.inc({ what: 'answer' });
      log.error('run.attempts_used_up', { source, agent: `${id}@${version}` });
    },
    triggerSetAside(subject, sequence) {
      count.lost.inc({ what: 'trigger' });
      log.error('run.trigger_set_aside', { subject, sequence });
    },
    providerAwaited(run, code, delayMs) {
      count.waits.inc({ code });
      awaiting.add(run);
      health.set('provider', { ok: false, reason: code });
      log.warn('run.provider_awaited', { run, code, delayMs });
    },
    providerWaitEnded(run) {
      awaiting.delete(run);
      if (awaiting.size === 0) health.set('provider', { ok: true });
      log.info('run.provider_wait_ended', { run });
    },
    generatorThrew(run, error) {
      log.error('run.generator_threw', { run, ...describeError(error) });
    },
    modelDiffers() {
      log.warn('run.model_differs');
    },
    recordingAsked(run, played) {
      count.recordings.inc({ outcome: played });
      log.info('run.recording_asked', { run, outcome: played });
    },
    traceLost() {
      count.lost.inc({ what: 'trace' });
      log.warn('run.trace_lost');
    },
    quarantineLost(run, code) {
      count.lost.inc({ what: 'quarantine' });
      log.warn('run.quarantine_lost', { run, code });
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

function counters(metrics: Metrics) {
  return {
    claims: metrics.counter({ name: 'runner_claims_total', help: 'Claims by outcome.', labels: ['outcome'] }),
    ends: metrics.counter({ name: 'runner_ends_total', help: 'Ends of runs by code.', labels: ['code'] }),
    lost: metrics.counter({
      name: 'runner_lost_total',
      help: 'What was dropped: ends that came late, answers, triggers, trace events, quarantined texts.',
      labels: ['what'],
    }),
    recordings: metrics.counter({
      name: 'runner_recordings_total',
      help: 'Questions to a player of recordings, by outcome.',
      labels: ['outcome'],
    }),
    waits: metrics.counter({
      name: 'runner_provider_waits_total',
      help: 'Pauses of a holder whose provider did not generate.',
      labels: ['code'],
    }),
  };
}
