import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { root, run, say, seconds, tool } from './step.mjs';

/** Every check that runs no code of ours: what it looks at, and how one repairs what it finds. */
export const checks = [
  { name: 'format', tool: 'biome', args: () => ['format', '--colors=off'], todo: 'npm run format' },
  {
    name: 'lint',
    tool: 'oxlint',
    args: () => [],
    todo: 'correct the code; a rule is switched off by name in .oxlintrc.json, with a reason',
  },
  {
    name: 'imports',
    tool: 'depcruise',
    args: () => ['--config', '.dependency-cruiser.cjs', '--output-type', 'err-long', ...sourceFolders()],
    todo: 'see who may import whom in ARCHITECTURE.md',
  },
  { name: 'dead-code', tool: 'knip', args: () => ['--no-progress', '--no-config-hints'], todo: 'remove it, or export it where it is used' },
  { name: 'test-types', tool: 'tsc', args: () => ['-b', '--pretty', 'false'], todo: 'correct the types' },
];

/** Runs the named checks, or all, and returns the names of those that failed. A failing check does not hide the next. */
export async function runChecks(names = []) {
  const failed = [];
  for (const check of checks.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const started = Date.now();
    const result = await run(tool(check.tool), check.args(), { env: { ...process.env, NO_COLOR: '1' } });
    say(`check ${check.name}: ${result.code === 0 ? 'ok' : 'FAILED'}, ${seconds(started)}`);
    if (result.code === 0) continue;
    say(`${result.output.trimEnd()}\n  what to do: ${check.todo}\n`);
    failed.push(check.name);
  }
  return failed;
}

/** The folders with TypeScript of ours. Build output is left out by naming the sources, never by an exclusion. */
export function sourceFolders() {
  const parts = ['packages', 'services'].flatMap((folder) =>
    readdirSync(path.join(root, folder)).flatMap((name) => [`${folder}/${name}/src`, `${folder}/${name}/test`]),
  );
  return [...parts, 'test', 'demo/src', 'bench/src'].filter((folder) => existsSync(path.join(root, folder)));
}
