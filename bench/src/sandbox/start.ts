import { join } from 'node:path';
import type { Launcher } from '@emend/agents';
import { median } from '../measure.js';
import { ciShare, type Verdict } from '../report.js';
import { bareWorker } from './bareWorker.js';
import { oneRun, sandboxHere } from './oneRun.js';

export const startName = 'start to result in the sandbox';

/** The most that the sandbox may cost: its time against that of the bare worker. */
const bar = 1.6;
const rounds = 5;
const runsPerRound = 20;
/** Rounds that are not counted: files come into the cache, and our side is compiled. */
const warmUp = 1;

interface Round {
  /** Medians, in milliseconds. */
  readonly bare: number;
  readonly sandboxed: number;
}

/** Medians of 20 runs of both in turn, the order changing from run to run; the median round counts. */
export async function startVerdict(root: string): Promise<Verdict> {
  const bare = bareWorker(join(root, 'packages', 'agents', 'dist', 'worker.cjs'));
  const sandbox = await sandboxHere();
  const measured: Round[] = [];
  for (let round = 0; round < warmUp + rounds; round += 1) {
    const one = await roundOf(bare, sandbox);
    if (round >= warmUp) measured.push(one);
  }
  const ratios = measured.map(({ bare: least, sandboxed }) => sandboxed / least);
  const ratio = median(ratios);
  const ms = (side: keyof Round): string => `${Math.round(median(measured.map((round) => round[side])))} ms`;
  const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
  const missed = ratio > bar;
  return {
    line: `| ${startName} | ${ms('sandboxed')} | the same worker as a plain process: ${ms('bare')} | ${ratio.toFixed(2)} (${spread}) | | ≤ ${bar} | ${missed ? 'missed' : 'kept'} |`,
    missed,
    failsCi: ratio > bar / ciShare,
  };
}

async function roundOf(bare: Launcher, sandbox: Launcher): Promise<Round> {
  const times = { bare: [] as number[], sandboxed: [] as number[] };
  for (let run = 0; run < runsPerRound; run += 1) {
    const order = run % 2 === 0 ? (['bare', 'sandboxed'] as const) : (['sandboxed', 'bare'] as const);
    for (const side of order) times[side].push(await oneRun(side === 'bare' ? bare : sandbox));
  }
  return { bare: median(times.bare), sandboxed: median(times.sandboxed) };
}
