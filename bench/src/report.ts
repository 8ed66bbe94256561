import { type Measured, median, ratiosOf } from './measure.js';

/** A bar is missed below it; in CI only below half of it, since the machine is shared. */
export const ciShare = 0.5;

export interface Verdict {
  readonly line: string;
  readonly missed: boolean;
  readonly failsCi: boolean;
}

export function verdictOf(measured: Measured): Verdict {
  const { comparison, calibration, subject } = measured;
  const ratios = ratiosOf(measured);
  const ratio = median(ratios);
  const rate = (rates: readonly number[]): string => `${Math.round(median(rates)).toLocaleString('en')} ${comparison.unit}/s`;
  const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
  const missed = ratio < comparison.bar;
  const line = `| ${comparison.name} | ${rate(subject)} | ${comparison.calibration.name}: ${rate(calibration)} | ${ratio.toFixed(2)} (${spread}) | ≥ ${comparison.bar} | ${missed ? 'missed' : 'kept'} |`;
  return { line, missed, failsCi: ratio < comparison.bar * ciShare };
}

export const tableHead = ['| what | rate | calibration | ratio (spread) | bar | |', '| --- | --- | --- | --- | --- | --- |'].join('\n');
