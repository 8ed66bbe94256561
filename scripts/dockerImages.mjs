import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { installDependencies, pnpm } from './dependencies.mjs';
import { build, checkNode, findNatsServer } from './setup.mjs';
import { lastLines, main, root, run, say, seconds, StepError } from './step.mjs';

// `node scripts/dockerImages.mjs [--base IMAGE] [--tag TAG] [--prefix NAME] [--built] [IMAGE …]` builds the images, all where none is
// named, with the `docker` of the search path (or EMEND_DOCKER) and whatever engine DOCKER_HOST names. `--built` takes the
// code as it was built last.

const services = ['coordinator', 'repair-agent', 'runner', 'transcripts', 'judgments', 'projector', 'exporter'];
const images = [...services, 'cli', 'nats'];
/** Start workers behind bubblewrap, and so have another base, which the engine makes once. */
const sandboxed = ['repair-agent', 'runner'];
const docker = process.env.EMEND_DOCKER ?? 'docker';
const usage = 'usage: node scripts/dockerImages.mjs [--base IMAGE] [--tag TAG] [--prefix NAME] [--built] [IMAGE …]';

await main(async () => {
  const options = readOptions();
  if (options === null) {
    say(`${usage}\n  images: ${images.join(', ')}`);
    return 2;
  }
  if (!options.built) {
    checkNode();
    await installDependencies();
    await build();
  }
  const work = mkdtempSync(path.join(tmpdir(), 'emend-images-'));
  try {
    await buildAll(options, work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return 0;
});

/** One after the other, and the folder of the next is gathered while the engine builds. */
async function buildAll({ images: [first, ...others], ...options }, work) {
  const builder = (await run(docker, ['buildx', 'version'])).code === 0 ? '1' : '0';
  let gathered = gather(first, work);
  for (const [at, image] of [first, ...others].entries()) {
    const context = await gathered;
    const next = others[at];
    gathered = next === undefined ? undefined : gather(next, work);
    // Whoever awaits it hears of it; until then it must not count as unhandled.
    gathered?.catch(() => {});
    await buildImage(image, context, { ...options, builder });
    rmSync(context, { recursive: true, force: true });
  }
}

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        // The public image by name only: which registry that is, the engine knows.
        base: { type: 'string', default: `node:${process.versions.node.split('.')[0]}-slim` },
        tag: { type: 'string', default: 'local' },
        prefix: { type: 'string', default: 'emend' },
        built: { type: 'boolean', default: false },
      },
    });
    if (positionals.some((name) => !images.includes(name))) return null;
    return { ...values, images: positionals.length === 0 ? images : positionals };
  } catch {
    return null;
  }
}

/** The context of one image: its own folder, and deploy/. */
async function gather(image, work) {
  const context = path.join(work, image);
  const folder = path.join(context, image);
  cpSync(path.join(root, 'deploy'), path.join(context, 'deploy'), { recursive: true });
  if (image === 'nats') await gatherServer(folder);
  else await deploy(image, folder);
  return context;
}

async function buildImage(image, context, options) {
  const base = sandboxed.includes(image) ? await buildSandboxBase(context, options) : options.base;
  const target = services.includes(image) ? 'service' : image;
  const args = ['--network', 'none', '--target', target, '--build-arg', `SERVICE=${image}`];
  await dockerBuild({ ...options, image, base, file: 'Dockerfile', args, context });
}

/** The one build with a network: the programs of the sandbox come from Debian's archive where the base has none. */
async function buildSandboxBase(context, options) {
  const folder = path.join(context, 'deploy');
  const todo = `see the lines above; without a network ${options.base} must bring bwrap and prlimit`;
  return dockerBuild({ ...options, image: 'sandbox-base', file: 'sandbox.Dockerfile', args: [], context: folder, todo });
}

/** Builds one image and gives its name. The file is one of deploy/. */
async function dockerBuild({ image, base, tag, prefix, builder, file, args, context, todo }) {
  const started = Date.now();
  const name = `${prefix}/${image}:${tag}`;
  const words = ['build', '--file', path.join(root, 'deploy', file), '--tag', name, '--build-arg', `BASE=${base}`, ...args, context];
  // Where buildx is missing the old builder does; neither file asks for anything newer.
  const result = await run(docker, words, { env: { DOCKER_BUILDKIT: builder, ...process.env } });
  if (result.code !== 0) {
    say(lastLines(result.output, 20));
    throw new StepError({
      step: `image ${name}`,
      failed: `${docker} build ended with code ${result.code}`,
      todo: todo ?? `see the lines above; ${base} must be an image that this engine has or can pull`,
    });
  }
  say(`image ${name}: built in ${seconds(started)}`);
  return name;
}

/** A folder that runs on its own, with production dependencies only. */
async function deploy(image, folder) {
  const args = ['--yes', pnpm, '--filter', `@emend/${image}`, '--prod', 'deploy', folder];
  const result = await run('npx', args, { env: { ...process.env, CI: 'true', NO_COLOR: '1' } });
  if (result.code !== 0 || !existsSync(path.join(folder, 'dist', 'main.js'))) {
    say(lastLines(result.output, 20));
    throw new StepError({ step: `image ${image}`, failed: 'pnpm deploy left no dist/main.js', todo: 'see the lines above' });
  }
  // Notes of pnpm to itself, with paths of this machine.
  for (const note of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'node_modules/.modules.yaml', 'node_modules/.pnpm-workspace-state-v1.json'])
    rmSync(path.join(folder, note), { force: true });
}

/** The nats-server that set-up found or brought; it needs glibc alone. */
async function gatherServer(folder) {
  const { EMEND_NATS_SERVER: binary } = await findNatsServer({ ownServer: true });
  mkdirSync(folder, { recursive: true });
  copyFileSync(binary, path.join(folder, 'nats-server'));
}
