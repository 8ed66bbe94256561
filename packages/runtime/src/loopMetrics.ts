import type { Instruments } from './instruments.js';
import type { OutcomeKind } from './outcome.js';
import { safeCode } from './safeCode.js';

/** Distinct skip reasons one process counts by name; later ones count as `other`. */
export const SKIP_REASONS_MAX = 64;

const HANDLER_SECONDS_BUCKETS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300] as const;

/** What a consumer loop counts. */
export interface LoopMetrics {
  handled(outcome: OutcomeKind, seconds: number): void;
  skipped(reason: string): void;
  setAside(): void;
  /** A message stayed in hand, because what its work needs did not answer. */
  waited(): void;
  /** A handler threw: a bug. */
  handlerThrew(): void;
  /** An acknowledgement did not reach the broker; the message will come again. */
  ackFailed(): void;
}

/** Counts nothing, for tests. */
export const noLoopMetrics: LoopMetrics = { handled() {}, skipped() {}, setAside() {}, waited() {}, handlerThrew() {}, ackFailed() {} };

/** Defines the loop metrics on first use, once per process, and binds them to a loop's name. */
export function createLoopMetrics(metrics: Pick<Instruments, 'counter' | 'histogram'>): (loop: string) => LoopMetrics {
  let defined: ReturnType<typeof define> | undefined;
  const reasonLabel = boundedLabels(SKIP_REASONS_MAX);
  return (loop) => {
    const { handled, seconds, skipped, setAside, waits, threw, acksFailed } = (defined ??= define(metrics));
    return {
      handled(outcome, took) {
        handled.inc({ loop, outcome });
        seconds.observe({ loop }, took);
      },
      skipped: (reason) => skipped.inc({ loop, reason: reasonLabel(reason) }),
      setAside: () => setAside.inc({ loop }),
      waited: () => waits.inc({ loop }),
      handlerThrew: () => threw.inc({ loop }),
      ackFailed: () => acksFailed.inc({ loop }),
    };
  };
}

function define(metrics: Pick<Instruments, 'counter' | 'histogram'>) {
  return {
    handled: metrics.counter({ name: 'handled_total', help: 'Deliveries by outcome.', labels: ['loop', 'outcome'] }),
    seconds: metrics.histogram({
      name: 'handler_seconds',
      help: 'Time in the handler.',
      labels: ['loop'],
      buckets: HANDLER_SECONDS_BUCKETS,
    }),
    skipped: metrics.counter({ name: 'skipped_total', help: 'Skipped messages by reason code.', labels: ['loop', 'reason'] }),
    setAside: metrics.counter({
      name: 'deliveries_set_aside_total',
      help: 'Messages set aside unread after too many deliveries.',
      labels: ['loop'],
    }),
    waits: metrics.counter({
      name: 'handler_waits_total',
      help: 'Waits of a message in hand, because what its work needs did not answer.',
      labels: ['loop'],
    }),
    threw: metrics.counter({ name: 'handler_faults_total', help: 'Handlers that threw.', labels: ['loop'] }),
    acksFailed: metrics.counter({ name: 'acks_failed_total', help: 'Acknowledgements that failed.', labels: ['loop'] }),
  };
}

/** A label that is shaped like a code and takes at most `max` values. */
function boundedLabels(max: number): (value: string) => string {
  const seen = new Set<string>();
  return (value) => {
    const label = safeCode(value, 'other');
    if (seen.has(label) || seen.size < max) {
      seen.add(label);
      return label;
    }
    return 'other';
  };
}
