/** One thing that is timed against a bare calibration in the same run: this machine is shared, so only ratios say anything. */
export interface Comparison {
  readonly name: string;
  /** The least ratio of the subject's rate to the calibration's. */
  readonly bar: number;
  readonly unit: string;
  /** Where other processes do the work, so that the processor time of this one says nothing. */
  readonly workIsElsewhere?: boolean;
  readonly calibration: Timed;
  readonly subject: Timed;
}

export interface Timed {
  readonly name: string;
  /** Does the work of one round and says how many units it did. Only `work` is timed. */
  readonly prepare?: (round: number) => Promise<void>;
  readonly work: (round: number) => Promise<number>;
}

/** Units per second of the clock, and per second of this process's own processor time, which a busy machine hardly disturbs. */
export interface Rate {
  readonly wall: number;
  readonly cpu: number;
}

export interface Measured {
  readonly comparison: Comparison;
  /** By round. */
  readonly calibration: readonly Rate[];
  readonly subject: readonly Rate[];
}

/** Rounds before the first that counts, in which the code of both sides is compiled: what is measured lives for days. */
const warmUp = 2;

/** Runs calibration and subject in turn, the order changing from round to round. */
export async function measure(comparison: Comparison, rounds: number): Promise<Measured> {
  const rates = { calibration: [] as Rate[], subject: [] as Rate[] };
  for (let round = 0; round < warmUp + rounds; round += 1) {
    const order = round % 2 === 0 ? (['calibration', 'subject'] as const) : (['subject', 'calibration'] as const);
    for (const side of order) {
      const rate = await rateOf(comparison[side], round);
      if (round >= warmUp) rates[side].push(rate);
    }
  }
  return { comparison, ...rates };
}

async function rateOf(timed: Timed, round: number): Promise<Rate> {
  await timed.prepare?.(round);
  const startMs = performance.now();
  const startCpu = process.cpuUsage();
  const units = await timed.work(round);
  const { user, system } = process.cpuUsage(startCpu);
  return { wall: units / ((performance.now() - startMs) / 1_000), cpu: units / ((user + system) / 1_000_000) };
}

/** The ratio of each round, calibration and subject of the same round. */
export const ratiosOf = ({ calibration, subject }: Measured, by: keyof Rate): readonly number[] =>
  subject.map((rate, round) => rate[by] / (calibration[round]?.[by] ?? Number.NaN));

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}
