import type { RunningWorker } from '@emend/agents';
import { oneRun, sandboxHere } from './oneRun.js';
import { countedRuns, type RunsReport, warmUpRuns } from './runs.js';
import { openDescriptors, ProcessesSeen } from './processes.js';

/** Milliseconds that the last streams may take to close. */
const settleMs = 5_000;

/** Starts workers one after the other, as the repair agent does, and reports what they cost this process. */
const sandbox = await sandboxHere();
for (let run = 0; run < warmUpRuns; run += 1) await oneRun(sandbox);
const descriptorsBefore = openDescriptors();
const seen = new ProcessesSeen();
const note = ({ pid }: RunningWorker): void => {
  if (pid !== undefined) seen.note(pid);
};
const residentBytes: number[] = [];
for (let run = 0; run < countedRuns; run += 1) {
  await oneRun(sandbox, note);
  residentBytes.push(process.memoryUsage.rss());
}
const until = performance.now() + settleMs;
while ((openDescriptors() > descriptorsBefore || seen.left() > 0) && performance.now() < until) {
  await new Promise((resolve) => setTimeout(resolve, 50));
}
const report: RunsReport = {
  residentBytes,
  processesSeen: seen.count,
  processesLeft: seen.left(),
  descriptorsBefore,
  descriptorsAfter: openDescriptors(),
};
process.send?.(report, () => process.disconnect());
