import { defineConfig } from 'vitest/config';

const everywhere = ['**/node_modules/**', '**/dist/**'];
/** They need libraries from a lockfile of their own. */
const sdkExamples = 'packages/overseer/test/sdkExamples.test.ts';

export default defineConfig({
  // Tests run from source: the workspace packages resolve to src/, so no build stands between a change and its test.
  ssr: { resolve: { conditions: ['emend:source', 'module', 'node', 'development|production'] } },
  test: {
    passWithNoTests: false,
    allowOnly: false,
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One project per suite. `npm test` runs `main`; the others need Docker, a model or minutes and have commands of their own.
    projects: [
      {
        extends: true,
        test: {
          name: 'main',
          include: [
            'packages/*/{src,test}/**/*.test.ts',
            'services/*/{src,test}/**/*.test.ts',
            'test/**/*.test.ts',
            'demo/**/*.test.ts',
            'bench/**/*.test.ts',
          ],
          exclude: [...everywhere, 'test/faults/**', 'test/docker/**', 'test/model/**', 'test/decoder/**', sdkExamples],
        },
      },
      {
        extends: true,
        // One file after the other: each starts a handful of processes, and counts what happens within an ack wait.
        test: { name: 'faults', include: ['test/faults/**/*.test.ts'], exclude: everywhere, testTimeout: 300_000, fileParallelism: false },
      },
      { extends: true, test: { name: 'decoder', include: ['test/decoder/**/*.test.ts'], exclude: everywhere, testTimeout: 800_000 } },
      { extends: true, test: { name: 'examples', include: [sdkExamples], exclude: everywhere } },
      {
        extends: true,
        test: { name: 'docker', include: ['test/docker/**/*.test.ts'], exclude: everywhere, testTimeout: 600_000, hookTimeout: 600_000 },
      },
      // Answers come at the pace of the machine: a test of this project ends by what it sees, or by this bound.
      {
        extends: true,
        test: { name: 'model', include: ['test/model/**/*.test.ts'], exclude: everywhere, fileParallelism: false, testTimeout: 900_000 },
      },
    ],
  },
});
