import { measure } from '../measure.js';
import { type BenchOptions, type Verdict, verdictOf } from '../report.js';
import { liveMemoryName, liveMemoryVerdict } from './liveMemory.js';
import { residentName, residentVerdict } from './resident.js';
import { admission, correct, fakeModel, segmentCount } from './work.js';

const callMs = 20;
const rounds = 5;
/** The work may take 1.3 times as long as the same calls alone. */
const bar = 0.77;

const throughputName = 'two hours of transcript through all stages';

/** What a transcript costs beside its model. Prints one row a figure, as it comes. */
export async function benchTranscripts({ only, say }: BenchOptions): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  const add = (verdict: Verdict): void => {
    verdicts.push(verdict);
    say(verdict.line);
  };
  if (throughputName.includes(only)) add(verdictOf(await measure(await throughput(), rounds)));
  if (liveMemoryName.includes(only)) add(await liveMemoryVerdict());
  if (residentName.includes(only)) add(await residentVerdict());
  return verdicts;
}

async function throughput() {
  let calls = 0;
  await correct(segmentCount, 0, () => (calls += 1));
  const counted = calls;
  const work = async (): Promise<number> => {
    await correct(segmentCount, callMs, () => {});
    return counted;
  };
  return {
    name: throughputName,
    bar,
    unit: 'calls',
    calibration: { name: `the same ${counted} calls alone`, work: () => callsAlone(counted) },
    subject: { name: 'correctTranscript', work },
  };
}

async function callsAlone(calls: number): Promise<number> {
  const model = fakeModel(callMs, () => {});
  const request = {
    messages: [],
    contract: { name: 'none', schema: {} },
    limits: { outputTokensMax: 1, generationMs: 1 },
    signal: new AbortController().signal,
  };
  let left = calls;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await model.generate(request);
    }
  };
  await Promise.all(Array.from({ length: admission }, lane));
  return calls;
}
