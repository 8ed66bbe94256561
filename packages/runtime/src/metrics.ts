import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { Instruments, MetricOptions } from './instruments.js';
import { type LoopMetrics, createLoopMetrics } from './loopMetrics.js';

/** What every metric name of a process begins with. */
const PREFIX = 'emend_';

/** The metrics of one process. */
export interface Metrics extends Instruments {
  /** The metrics of one consumer loop; the name becomes a label. */
  loop(name: string): LoopMetrics;
  /** The exposition text of /metrics. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** A fresh registry per process; `processMetrics` adds memory, event loop and garbage collection. */
export function createMetrics(options: { readonly service: string; readonly processMetrics?: boolean }): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service: options.service });
  if (options.processMetrics) collectDefaultMetrics({ register: registry });
  const base = <L extends string>({ name, help, labels = [] }: MetricOptions<L>) => ({
    name: `${PREFIX}${name}`,
    help,
    labelNames: [...labels],
    registers: [registry],
  });
  const metrics: Metrics = {
    counter: (of) => new Counter(base(of)),
    gauge: (of) => new Gauge(base(of)),
    histogram: (of) => new Histogram({ ...base(of), buckets: [...of.buckets] }),
    loop: (name) => loop(name),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
  const loop = createLoopMetrics(metrics);
  return metrics;
}
