import type { Invocation, InvocationRequest } from '@emend/overseer';
import { median } from '../measure.js';
import { ciShare, type Verdict } from '../report.js';

export interface CallComparison {
  readonly name: string;
  /** Calls of either side in a round. */
  readonly calls: number;
  readonly obtained: 'exact' | 'overseen';
  readonly without: Invocation;
  readonly withTrace: Invocation;
}

/** The most that the trace may cost: the median call with it against the median call without. */
const bar = 1.05;
const rounds = 5;
/** Rounds that are not counted, in which the code of both sides is compiled. */
const warmUp = 2;

type Side = 'without' | 'withTrace';

/** Each call is timed alone, both sides in turn and the order changing from call to call; the median round counts. */
export async function medianCallVerdict(comparison: CallComparison): Promise<Verdict> {
  const measured: Readonly<Record<Side, number>>[] = [];
  for (let round = 0; round < warmUp + rounds; round += 1) {
    const one = await roundOf(comparison);
    if (round >= warmUp) measured.push(one);
  }
  const ratios = measured.map(({ without, withTrace }) => withTrace / without);
  const ratio = median(ratios);
  const microseconds = (side: Side): string => `${(median(measured.map((round) => round[side])) * 1_000).toFixed(1)} µs`;
  const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
  const missed = ratio > bar;
  return {
    line: `| ${comparison.name} | ${microseconds('withTrace')} | without: ${microseconds('without')} | ${ratio.toFixed(2)} (${spread}) | | ≤ ${bar} | ${missed ? 'missed' : 'kept'} |`,
    missed,
    failsCi: ratio > bar / ciShare,
  };
}

/** Medians in milliseconds. */
async function roundOf(comparison: CallComparison): Promise<Readonly<Record<Side, number>>> {
  const times = { without: [] as number[], withTrace: [] as number[] };
  for (let call = 0; call < comparison.calls; call += 1) {
    const order = call % 2 === 0 ? (['without', 'withTrace'] as const) : (['withTrace', 'without'] as const);
    for (const side of order) times[side].push(await timed(comparison[side], comparison.obtained));
  }
  return { without: median(times.without), withTrace: median(times.withTrace) };
}

export const request: InvocationRequest = {
  invocation: 'i1',
  messages: [],
  limits: { outputTokensMax: 1, generationMs: 1 },
  signal: new AbortController().signal,
};

async function timed(invocation: Invocation, obtained: string): Promise<number> {
  const start = performance.now();
  const { turn } = await invocation.invoke(request);
  const ms = performance.now() - start;
  if (turn.kind !== 'completed' || turn.obtained !== obtained) throw new Error(`every answer is ${obtained}`);
  return ms;
}
