import { type Measured, median, type Rate, ratiosOf } from './measure.js';

/** A bar is missed below it; in CI only below half of it, since the machine is shared. */
export const ciShare = 0.5;

export interface BenchOptions {
  readonly root: string;
  /** Only figures whose name contains this. */
  readonly only: string;
  readonly say: (line: string) => void;
}

export interface Verdict {
  readonly line: string;
  readonly missed: boolean;
  readonly failsCi: boolean;
}

export function verdictOf(measured: Measured): Verdict {
  const { comparison, calibration, subject } = measured;
  const ratios = ratiosOf(measured, 'wall');
  const ratio = median(ratios);
  const rate = (rates: readonly Rate[]): string =>
    `${Math.round(median(rates.map(({ wall }) => wall))).toLocaleString('en')} ${comparison.unit}/s`;
  const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
  const missed = ratio < comparison.bar;
  const byProcessor = comparison.workIsElsewhere ? '' : median(ratiosOf(measured, 'cpu')).toFixed(2);
  const line = `| ${comparison.name} | ${rate(subject)} | ${comparison.calibration.name}: ${rate(calibration)} | ${ratio.toFixed(2)} (${spread}) | ${byProcessor} | ≥ ${comparison.bar} | ${missed ? 'missed' : 'kept'} |`;
  return { line, missed, failsCi: ratio < comparison.bar * ciShare };
}

export const tableHead = [
  '| what | rate | calibration | ratio (spread) | by processor time | bar | |',
  '| --- | --- | --- | --- | --- | --- | --- |',
].join('\n');
