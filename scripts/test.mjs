import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { runChecks } from './checks.mjs';
import { installExamples } from './examples.mjs';
import { bringModel } from './model.mjs';
import { setUp } from './setup.mjs';
import { main, root, runInForeground, say } from './step.mjs';

// `npm test` sets up, checks and tests everything. `npm test -- ARGS` hands ARGS to vitest and leaves the checks out.
// `--suite NAME` runs another project of vitest.config.ts instead, without the checks; the suite `model` needs a model as well,
// and `examples` the libraries that the examples use.
await main(async () => {
  const { suite, vitestArgs } = parse(process.argv.slice(2));
  const report = path.join(root, '.emend', 'reports', `${suite}.json`);
  // A report of an earlier run must never be taken for this one's.
  rmSync(report, { force: true });
  mkdirSync(path.dirname(report), { recursive: true });

  const env = { ...testEnv(await setUp({ ownServer: true })), ...(suite === 'model' ? await bringModel() : {}) };
  if (suite === 'examples') await installExamples();
  const whole = suite === 'main' && vitestArgs.length === 0;
  const failed = whole ? await runChecks() : [];
  say(`tests: vitest, suite ${suite}${vitestArgs.length > 0 ? ' (arguments given: checks left out)' : ''}`);
  const code = await runInForeground(process.execPath, [vitest(), ...reporting(suite, report), ...vitestArgs], { env });
  if (code !== 0) failed.push('tests');
  if (failed.length > 0) say(`failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
});

function parse(args) {
  const at = args.indexOf('--suite');
  if (at === -1) return { suite: 'main', vitestArgs: args };
  return { suite: args[at + 1] ?? 'main', vitestArgs: args.filter((_, index) => index !== at && index !== at + 1) };
}

function testEnv(env) {
  // Without colours, since scripts read the output; and without a running server: each test file starts one of its own.
  const { FORCE_COLOR: _colour, EMEND_NATS_URL: _url, ...rest } = env;
  return { ...rest, NO_COLOR: '1' };
}

function vitest() {
  return path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
}

function reporting(suite, report) {
  return ['run', '--project', suite, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
}
