import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { installDependencies } from './dependencies.mjs';
import { offerSandbox } from './sandbox.mjs';
import { lastLines, root, run, runInForeground, say, seconds, StepError, tool } from './step.mjs';

const oldestNode = [20, 19];
const serverModule = path.join(root, 'packages', 'log', 'dist', 'server', 'index.js');

/**
 * Everything that must stand before a program of ours can run. Returns the environment to run it in.
 * `ownServer`: a binary is needed, since the program starts servers of its own; one that runs elsewhere does not do.
 */
export async function setUp({ ownServer = false } = {}) {
  checkNode();
  await installDependencies();
  await build();
  await offerSandbox();
  return { ...process.env, ...(await findNatsServer({ ownServer })) };
}

/** Sets up, then runs one built program in the foreground. Returns its exit code. */
export async function runBuilt(program, args) {
  const env = await setUp();
  if (!existsSync(path.join(root, program))) {
    throw new StepError({
      step: 'build',
      failed: `${program} was not produced`,
      todo: 'see that its folder is referenced in tsconfig.json and has a src/main.ts',
    });
  }
  return runInForeground(process.execPath, [path.join(root, program), ...args], { env });
}

export function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return;
  throw new StepError({
    step: 'node',
    failed: `this is Node ${process.versions.node}, Emend needs ${oldestNode.join('.')} or newer`,
    todo: 'install a newer Node (20 LTS or later) and run the same command again',
  });
}

/** Compiles what changed of everything that runs; the tests are type-checked elsewhere, so that they cannot keep a demo from starting. One line before, since a first build takes a while; a line after. */
export async function build() {
  const started = Date.now();
  let compiled = 0;
  const onLine = (line) => {
    if (!line.includes('Building project')) return;
    if (compiled === 0) say('build: compiling TypeScript (tsc -b)');
    compiled += 1;
  };
  const result = await run(tool('tsc'), ['-b', ...projects(), '--verbose', '--pretty', 'false'], { onLine });
  if (result.code !== 0) {
    const errors = result.output.split('\n').filter((line) => line.includes('error TS'));
    say(lastLines(errors.length > 0 ? errors.join('\n') : result.output, 40));
    throw new StepError({
      step: 'build',
      failed: `TypeScript found ${errors.length} errors, see above`,
      todo: 'correct them, or go back to a commit that builds',
    });
  }
  const bundled = await bundleWorker(compiled > 0);
  say(compiled === 0 && !bundled ? 'build: up to date' : `build: ${compiled} projects in ${seconds(started)}`);
}

/** Bundles what runs inside the sandbox. Where nothing was compiled, only after a new lockfile or bundler script. Returns whether it did. */
async function bundleWorker(changed) {
  const folder = path.join(root, 'packages', 'agents');
  const script = path.join(folder, 'scripts', 'bundle-worker.mjs');
  const outputs = ['worker.cjs', 'canary.cjs'].map((name) => modified(path.join(folder, 'dist', name)));
  const inputs = [script, path.join(root, 'pnpm-lock.yaml')].map(modified);
  if (!changed && Math.min(...outputs) >= Math.max(...inputs)) return false;
  const result = await run(process.execPath, [script]);
  if (result.code === 0) return true;
  say(lastLines(result.output, 20));
  throw new StepError({
    step: 'build',
    failed: 'the sandboxed worker was not bundled, see above',
    todo: 'see packages/agents/scripts/bundle-worker.mjs: it refuses a worker that grew or that could reach a network',
  });
}

/** Milliseconds, or 0 where the file is not there. */
const modified = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * Finds a nats-server, or brings one, by the function that also serves the command line and the tests.
 * Returns the variables that let every process below use the same server without looking again.
 */
export async function findNatsServer({ ownServer = false } = {}) {
  const { said, flush } = quietUntilNeeded();
  try {
    const { findServer, resolveServer } = await import(pathToFileURL(serverModule).href);
    const options = { env: process.env, folder: path.join(root, '.emend'), allowInstall: true, say: said };
    if (ownServer) return { EMEND_NATS_SERVER: (await findServer(options)).binary };
    const found = await resolveServer(options);
    return found.kind === 'url' ? { EMEND_NATS_URL: found.url } : { EMEND_NATS_SERVER: found.binary };
  } catch (cause) {
    flush();
    const failed = cause instanceof Error ? cause.message : String(cause);
    throw new StepError({
      step: 'nats-server',
      failed,
      todo: 'set EMEND_NATS_SERVER to a binary, or EMEND_NATS_URL to a running server',
      cause,
    });
  }
}

/** That a server is not in the first places looked at is said only once something has to be fetched. */
function quietUntilNeeded() {
  const misses = [];
  const flush = () => misses.splice(0).forEach((line) => say(line));
  const said = (line) => {
    if (line.startsWith('no nats-server from')) return misses.push(line);
    if (!line.startsWith('nats-server ')) flush();
    return say(line);
  };
  return { said, flush };
}

function projects() {
  const workspaces = ['packages', 'services'].flatMap((folder) =>
    readdirSync(path.join(root, folder)).map((name) => path.join(folder, name)),
  );
  return [...workspaces, 'demo', 'bench'].filter((folder) => existsSync(path.join(root, folder, 'tsconfig.json')));
}
