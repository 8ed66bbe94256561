/** One thing that is timed against a bare calibration in the same run: this machine is shared, so only ratios say anything. */
export interface Comparison {
  readonly name: string;
  /** The least ratio of the subject's rate to the calibration's. */
  readonly bar: number;
  readonly unit: string;
  readonly calibration: Timed;
  readonly subject: Timed;
}

export interface Timed {
  readonly name: string;
  /** Does the work of one round and says how many units it did. Only `work` is timed. */
  readonly prepare?: (round: number) => Promise<void>;
  readonly work: (round: number) => Promise<number>;
}

export interface Measured {
  readonly comparison: Comparison;
  /** Units per second, by round. */
  readonly calibration: readonly number[];
  readonly subject: readonly number[];
}

/** Runs calibration and subject in turn, the order changing from round to round, after one round that is not counted. */
export async function measure(comparison: Comparison, rounds: number): Promise<Measured> {
  const rates = { calibration: [] as number[], subject: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    const order = round % 2 === 0 ? (['calibration', 'subject'] as const) : (['subject', 'calibration'] as const);
    for (const side of order) {
      const rate = await rateOf(comparison[side], round);
      if (round > 0) rates[side].push(rate);
    }
  }
  return { comparison, ...rates };
}

async function rateOf(timed: Timed, round: number): Promise<number> {
  await timed.prepare?.(round);
  const start = performance.now();
  const units = await timed.work(round);
  return units / ((performance.now() - start) / 1_000);
}

/** The ratio of each round, calibration and subject of the same round. */
export const ratiosOf = ({ calibration, subject }: Measured): readonly number[] =>
  subject.map((rate, round) => rate / (calibration[round] ?? Number.NaN));

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}
