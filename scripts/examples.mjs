import { build, checkNode } from './setup.mjs';
import { installDependencies } from './dependencies.mjs';
import { lastLines, main, run, runInForeground, say, StepError, tool } from './step.mjs';

const examples = 'packages/overseer/examples';

// `npm run examples` installs what the examples of ring 1 use, and runs each against a server of its own.
await main(async () => {
  checkNode();
  await installDependencies();
  await build();
  const installed = await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', examples]);
  if (installed.code !== 0) {
    say(lastLines(installed.output, 20));
    throw new StepError({ step: 'examples', failed: 'npm ci did not succeed', todo: 'see above; it needs the registry of your npm' });
  }
  const env = { ...process.env, EMEND_EXAMPLES: '1' };
  return runInForeground(tool('vitest'), ['run', '--project', 'main', 'packages/overseer/test/examples.test.ts'], { env });
});
