import { usageUnsaid } from '@emend/model';
import { afterAll, describe, expect, test } from 'vitest';
import type { Launcher } from '../src/sandbox/launcher.js';
import { adversaries, type Adversary } from './adversaries.js';
import { bareLauncher } from './bareLauncher.js';
import { answer, oneRun } from './oneRun.js';
import { sandboxHere, withoutSandbox } from './sandboxHere.js';
import { WorkerScripts } from './workerScripts.js';

const scripts = new WorkerScripts();
afterAll(() => scripts.remove());

/** Counted where the request would leave this process: the only convincing proof. */
async function expectEnd(launcher: Launcher, { ends, upstreamCalls, refused, limits }: Adversary) {
  let counted = 0;
  const run = await oneRun(launcher, {
    ...(limits === undefined ? {} : { limits }),
    callProvider: async () => {
      counted += 1;
      // Long enough for whatever was sent beside the request to be read first.
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { kind: 'generated', text: answer, finishReason: 'stop', usage: usageUnsaid };
    },
  });
  expect(run.kind === 'generated' ? 'generated' : run.code).toBe(ends);
  expect(counted).toBe(upstreamCalls);
  expect(run.record.upstreamCalls).toBe(upstreamCalls);
  if (refused !== undefined) expect(run.record.refused).toBe(refused);
  if (run.kind === 'generated') expect(run.text).toBe(answer);
}

describe('a worker without a sandbox that', () => {
  test.each(adversaries)('$does ends as $ends, with $upstreamCalls calls upstream', async (adversary) => {
    await expectEnd(bareLauncher(scripts.write(adversary.body)), adversary);
  });
});

// skipped: where bubblewrap cannot run; with CI set that is a failure
describe.skipIf(withoutSandbox)('a worker in the sandbox that', () => {
  test.each(adversaries)('$does ends as $ends, with $upstreamCalls calls upstream', async (adversary) => {
    await expectEnd(await sandboxHere({ workerFile: scripts.write(adversary.body) }), adversary);
  });
});
