import { describeError, type Health, type Logger, type Metrics } from '@emend/runtime';
import { type StandardRunEvents, standardRunEvents, standardRunLogFields } from '@emend/runs';
import type { TranscriptReport, WorkUnit } from './domain/correctedTranscript.js';

export const transcriptsLogFields = [
  ...standardRunLogFields,
  'places',
  'subject',
  'sequence',
  'reads',
  'writes',
  'server',
  'ringOne',
  'slots',
  'start',
  'stage',
  'section',
  'sections',
  'proposed',
  'applied',
  'calls',
];

/** One function per business event. Ids, codes and counts only. */
export interface TranscriptEvents extends StandardRunEvents {
  /** What the stages came to, before it is stored. */
  corrected(run: string, report: TranscriptReport): void;
  /** Which stage call ended the run. */
  stageFailed(run: string, failed: WorkUnit & { readonly code: string }): void;
  /** What was thrown may quote a prompt: its class and its place are all that is said. */
  workThrew(run: string, error: unknown): void;
  /** The corrected transcript stands on its own place now. */
  derived(run: string): void;
  /** Something else stands there. */
  derivedTaken(run: string): void;
  transcriptSetAside(subject: string, sequence: number): void;
  /** A call proved that nothing was generated, by code. */
  providerAwaited(code: string): void;
  providerAnswered(): void;
}

export function transcriptEvents({
  log,
  metrics,
  health,
}: {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly health: Pick<Health, 'set'>;
}): TranscriptEvents {
  const count = counters(metrics);
  const lost = 'ends that came late, answers, transcripts set aside';
  const runs = standardRunEvents({ log, metrics }, { service: 'transcripts', lost });
  let awaited = false;
  return {
    ...runs.events,
    corrected(run, { sections, proposed, applied, repairOutcomes, calls }) {
      count.corrections.inc({ disposition: 'approved_applied' }, applied);
      for (const { disposition } of repairOutcomes) if (disposition !== 'approved_applied') count.corrections.inc({ disposition });
      for (const [kind, tally] of Object.entries(calls)) count.calls.inc({ kind }, tally.calls);
      const made = Object.values(calls).reduce((sum, tally) => sum + tally.calls, 0);
      log.info('transcript.corrected', { run, sections, proposed, applied, calls: made });
    },
    stageFailed(run, { stage, section, code }) {
      log.warn('transcript.stage_failed', { run, stage, section, code });
    },
    workThrew(run, error) {
      log.error('transcript.work_threw', { run, ...describeError(error) });
    },
    derived(run) {
      count.derived.inc({ outcome: 'stored' });
      log.info('transcript.derived', { run });
    },
    derivedTaken(run) {
      count.derived.inc({ outcome: 'taken' });
      log.error('transcript.derived_taken', { run });
    },
    transcriptSetAside(subject, sequence) {
      runs.lost('transcript');
      log.error('transcript.set_aside', { subject, sequence });
    },
    providerAwaited(code) {
      count.waits.inc({ code });
      if (!awaited) log.warn('transcript.provider_awaited', { code });
      awaited = true;
      health.set('provider', { ok: false, reason: code });
    },
    providerAnswered() {
      if (awaited) log.info('transcript.provider_answered');
      awaited = false;
      health.set('provider', { ok: true });
    },
  };
}

function counters(metrics: Metrics) {
  return {
    corrections: metrics.counter({
      name: 'transcripts_corrections_total',
      help: 'Corrections by what became of them.',
      labels: ['disposition'],
    }),
    calls: metrics.counter({ name: 'transcripts_calls_total', help: 'Calls of finished transcripts by kind.', labels: ['kind'] }),
    derived: metrics.counter({ name: 'transcripts_derived_total', help: 'Corrected transcripts by outcome.', labels: ['outcome'] }),
    waits: metrics.counter({
      name: 'transcripts_provider_waits_total',
      help: 'Calls that proved that nothing was generated.',
      labels: ['code'],
    }),
  };
}
