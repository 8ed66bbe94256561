import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { lastLines, root, run, say, seconds, StepError } from './step.mjs';
import { ensureCompilers } from './compilers.mjs';

export const pnpm = 'pnpm@12.4.2';

const step = 'dependencies';
const stampFile = path.join(root, 'node_modules', '.emend-installed');

/** Installs what the lockfile names, once per change of the lockfile, of a manifest, or of Node. */
export async function installDependencies() {
  const stamp = inputsHash();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) {
    say(`${step}: up to date`);
    return;
  }
  await ensureCompilers();
  say(`${step}: installing with ${pnpm} from the lockfile (a minute the first time, silent while better-sqlite3 compiles)`);
  const started = Date.now();
  const result = await run('npx', ['--yes', pnpm, 'install', '--frozen-lockfile'], { env: installEnv() });
  if (result.code !== 0) {
    say(lastLines(result.output, 40));
    throw new StepError({ step, failed: `the installation ended with code ${result.code}, see above`, todo: advice(result.output) });
  }
  mkdirSync(path.dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, stamp);
  say(`${step}: installed in ${seconds(started)}`);
}

function installEnv() {
  // Without a terminal pnpm asks nothing when CI is set, and stops where it would have asked otherwise.
  const env = { ...process.env, CI: 'true', NO_COLOR: '1' };
  const prefix = path.resolve(path.dirname(process.execPath), '..');
  // node-gyp looks for Node's headers on the network, unless it is told that they lie beside the running Node.
  if (existsSync(path.join(prefix, 'include', 'node', 'node.h'))) env.npm_config_nodedir = prefix;
  return env;
}

/** Everything an installation depends on: the lockfile, the settings, each manifest, and the Node that addons are compiled for. */
function inputsHash() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${process.versions.modules} ${pnpm}`);
  for (const file of inputFiles()) hash.update(`\n${file}\n`).update(readFileSync(path.join(root, file)));
  return hash.digest('hex');
}

function inputFiles() {
  const manifests = ['packages', 'services'].flatMap((folder) =>
    readdirSync(path.join(root, folder)).map((name) => path.join(folder, name, 'package.json')),
  );
  const all = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc', ...manifests];
  return all.filter((file) => existsSync(path.join(root, file))).sort();
}

const knownCauses = [
  [/ERR_PNPM_OUTDATED_LOCKFILE/, `a manifest changed without its lockfile: run \`npx --yes ${pnpm} install\` and commit pnpm-lock.yaml`],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ERR_PNPM_META_FETCH_FAIL/,
    'the package registry was not reached: check the network, a proxy, and `npm config get registry`',
  ],
  [
    /gyp ERR|node-gyp/,
    "better-sqlite3 did not compile: it needs g++, make, python3 and Node's headers (Debian: apt-get install g++ make python3)",
  ],
  [/ENOSPC/, 'the disk is full: about 700 MB are needed'],
  [/not found|ENOENT/, 'npx was not found or could not start: install npm, which comes with Node'],
];

function advice(output) {
  return knownCauses.find(([pattern]) => pattern.test(output))?.[1] ?? 'read the lines above, then run the same command again';
}
