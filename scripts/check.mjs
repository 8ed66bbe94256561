import { checks, runChecks } from './checks.mjs';
import { build, checkNode } from './setup.mjs';
import { installDependencies } from './dependencies.mjs';
import { main, say, StepError } from './step.mjs';

// `npm run check` runs every check without the tests; `npm run check -- lint imports` runs two of them.
await main(async () => {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !checks.some((check) => check.name === name));
  if (unknown.length > 0) {
    say(`unknown check ${unknown.join(', ')}; there are: ${checks.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  checkNode();
  await installDependencies();
  const failed = [...(await tryBuild()), ...(await runChecks(names))];
  if (failed.length > 0) say(`failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
});

/** A build that fails must not hide what the checks find. */
async function tryBuild() {
  try {
    await build();
    return [];
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    say(error.message);
    return ['build'];
  }
}
