import { lastLines, run, say, StepError } from './step.mjs';

const folder = 'packages/overseer/examples';

/** Installs what the examples of ring 1 use: libraries that people call models with, from a lockfile of their own. */
export async function installExamples() {
  const installed = await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder]);
  if (installed.code === 0) return;
  say(lastLines(installed.output, 20));
  throw new StepError({ step: 'examples', failed: 'npm ci did not succeed', todo: 'see above; it needs the registry of your npm' });
}
