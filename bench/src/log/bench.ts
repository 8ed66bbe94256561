import type { EncodedEvent } from '@emend/contracts';
import { measure } from '../measure.js';
import { type BenchOptions, type Verdict, verdictOf } from '../report.js';
import { appendComparisons } from './append.js';
import { consumeComparison } from './consume.js';
import { foldComparison } from './fold.js';
import { memoryName, memoryTo, memoryVerdict } from './memory.js';
import { readComparison } from './read.js';
import { contractEvent, encodeRun } from './runs.js';
import { inFlight, openStage, type Stage } from './stage.js';

const rounds = 5;
/** Enough runs for every read of one round. */
const firstRuns = 35_000;
const fillWidth = 256;

/** The speed of the log's own paths. Prints one row a figure, as it comes. */
export async function benchLog({ root, only, say }: BenchOptions): Promise<readonly Verdict[]> {
  const stage = await openStage(root);
  try {
    await stage.broker.log.append(contractEvent());
    await fill(stage, 'first', firstRuns);
    const verdicts: Verdict[] = [];
    const add = (verdict: Verdict): void => {
      verdicts.push(verdict);
      say(verdict.line);
    };
    const comparisons = [...appendComparisons(stage), consumeComparison(stage), readComparison(stage), foldComparison(stage)];
    for (const comparison of comparisons.filter(({ name }) => name.includes(only))) {
      add(verdictOf(await measure(comparison, rounds)));
    }
    if (!memoryName.includes(only)) return verdicts;
    const missing = memoryTo - (await stage.broker.log.lastSequence());
    if (missing > 0) await fill(stage, 'more', Math.ceil(missing / 3));
    add(await memoryVerdict(stage.url));
    return verdicts;
  } finally {
    await stage.close();
  }
}

/** Fills in slices, so that the events of all runs are never in memory at once. */
async function fill({ broker }: Stage, series: string, runs: number): Promise<void> {
  const slice = 1_000;
  for (let from = 0; from < runs; from += slice) {
    const events: EncodedEvent[] = [];
    for (let number = from; number < Math.min(runs, from + slice); number += 1) events.push(...encodeRun(series, number));
    await inFlight(events, fillWidth, (event) => broker.log.append(event));
  }
}
