import { join } from 'node:path';
import { type Stack, startShippedStack } from '@emend/cli';
import type { DemoOptions } from './demoOptions.js';
import { observersOf } from './observers.js';
import { type RunnerFiles, writeRunnerFiles } from './runnerFiles.js';
import type { Samples } from './samples.js';

/** The recordings stand in for whatever model the environment names: beside one they are refused. */
const noModel = {
  EMEND_MODEL_CATALOGUE_FILE: '',
  EMEND_RUNNER_OUTPUT_REPAIR_MODEL: '',
  EMEND_REPAIR_ENDPOINT: '',
  EMEND_REPAIR_PROVIDER: '',
  EMEND_REPAIR_API_KEY_FILE: '',
  EMEND_REPAIR_STRUCTURED_OUTPUT: '',
};

/** Everything of Emend on this machine, with runner and repair agent in front of players. */
export async function startDemoStack({ root, dataDir, env, samples, say }: DemoOptions): Promise<Stack> {
  const files = await writeRunnerFiles(dataDir, { root, samples });
  return startShippedStack({
    env,
    dataDir,
    declarations: [join(root, 'demo', 'declarations'), files.declarations],
    settings: {
      runner: runnerSettings(samples, files),
      'repair-agent': {
        ...noModel,
        EMEND_REPAIR_ENABLED: 'true',
        THOUGHTSTREAM_TINKER_ESCALATION_MODEL: 'recorded/SmolLM2-135M-Instruct-Q4_1',
        EMEND_REPAIR_PLAYER_FILE: join(root, 'samples', 'escalation.jsonl'),
      },
    },
    say,
  });
}

const runnerSettings = ({ answers }: Samples, { recordings }: RunnerFiles): NodeJS.ProcessEnv => ({
  ...noModel,
  EMEND_RUNNER_AGENTS: observersOf(answers)
    .map(({ id }) => `${id}@1`)
    .join(','),
  EMEND_RUNNER_PLAYER_FILE: recordings,
  // A recording answers the very prompt it was made from, and no answer to a second question was recorded.
  EMEND_RUNNER_RETRIES: '0',
  EMEND_RUNNER_SLOTS: '4',
});
