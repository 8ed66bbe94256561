import { measure } from '../measure.js';
import { type BenchOptions, type Verdict, verdictOf } from '../report.js';
import { sandboxHere, sandboxedRuns } from '../sandbox/oneRun.js';
import { openRunner, slots } from './runningRunner.js';

const name = 'runner with a provider that answers at once';
const rounds = 5;
/** Runs of each side in a round. */
const runs = 80;

/** How many answers a second the runner gives, against the workers that the sandbox alone runs in the same time. */
export async function benchRunner({ root, only, say }: BenchOptions): Promise<readonly Verdict[]> {
  if (!name.includes(only)) return [];
  const sandbox = await sandboxHere();
  const runner = await openRunner(root);
  try {
    const measured = await measure(
      {
        name,
        unit: 'runs',
        bar: 0.7,
        workIsElsewhere: true,
        calibration: { name: `workers of packages/agents alone, ${slots} at once`, work: () => sandboxedRuns(sandbox, runs, slots) },
        subject: { name: 'runner', work: () => runner.answer(runs) },
      },
      rounds,
    );
    const verdict = verdictOf(measured);
    say(verdict.line);
    return [verdict];
  } finally {
    await runner.close();
  }
}
