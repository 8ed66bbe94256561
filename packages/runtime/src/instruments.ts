import type { Counter, Gauge, Histogram } from 'prom-client';

export interface MetricOptions<L extends string> {
  /** Without the prefix, with its unit: `appends_total`, `fold_seconds`. */
  readonly name: string;
  readonly help: string;
  /** Label values are codes from a short list, never ids. */
  readonly labels?: readonly L[];
}

/** What a process counts and measures with. */
export interface Instruments {
  counter<L extends string = never>(options: MetricOptions<L>): Counter<L>;
  gauge<L extends string = never>(options: MetricOptions<L>): Gauge<L>;
  histogram<L extends string = never>(options: MetricOptions<L> & { readonly buckets: readonly number[] }): Histogram<L>;
}
