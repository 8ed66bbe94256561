import type { EncodedEvent } from '@emend/contracts';
import { measure } from '../measure.js';
import { type Verdict, verdictOf } from '../report.js';
import { appendComparisons } from './append.js';
import { consumeComparison } from './consume.js';
import { foldComparison } from './fold.js';
import { memoryTo, memoryVerdict } from './memory.js';
import { readComparison } from './read.js';
import { contractEvent, encodeRun } from './runs.js';
import { inFlight, openStage, type Stage } from './stage.js';

const rounds = 5;
/** Enough runs for every read of one round. */
const firstRuns = 35_000;
const fillWidth = 256;

/** The speed of the log's own paths. Prints one row a figure, as it comes. */
export async function benchLog(root: string, say: (line: string) => void): Promise<readonly Verdict[]> {
  const stage = await openStage(root);
  try {
    await stage.broker.log.append(contractEvent());
    await fill(stage, 'first', firstRuns);
    const verdicts: Verdict[] = [];
    const add = (verdict: Verdict): void => {
      verdicts.push(verdict);
      say(verdict.line);
    };
    for (const comparison of [...appendComparisons(stage), consumeComparison(stage), readComparison(stage), foldComparison(stage)]) {
      add(verdictOf(await measure(comparison, rounds)));
    }
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
