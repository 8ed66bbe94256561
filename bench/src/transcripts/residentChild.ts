import type { ResidentReport } from './resident.js';
import { correct, segmentCount } from './work.js';

/** Calls between two looks at the resident size: a section takes about eight. */
const lookEvery = 10;

/**
 * Long transcripts before the first that counts. Until then the collector has not yet settled how much garbage it leaves between two
 * full collections, of which there is about one for each such transcript.
 */
const warmUp = 2;
const counted = 5;

const residentBytes: number[] = [];
let calls = 0;
for (let one = 0; one < warmUp; one += 1) await correct(10 * segmentCount, 0, () => {});
for (let one = 0; one < counted; one += 1) {
  await correct(10 * segmentCount, 0, () => {
    if ((calls += 1) % lookEvery === 0) residentBytes.push(process.memoryUsage.rss());
  });
}
const report: ResidentReport = { residentBytes };
process.send?.(report, () => process.disconnect());
