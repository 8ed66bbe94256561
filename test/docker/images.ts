import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Engine } from './engine.js';
import { run } from './shell.js';

const baseLimitMs = 400_000;
const importLimitMs = 120_000;
const imagesLimitMs = 500_000;
const base = 'emend-base:local';

/** A base image made of Debian packages (kept as an archive between runs) and all images of Emend on it. Nothing is pulled. */
export async function buildImages(engine: Engine, root: string, cache: string): Promise<void> {
  const maker = path.join(root, 'scripts', 'docker-base.sh');
  // By what makes it: a base of an earlier script is not taken for one of this.
  const archive = path.join(cache, `base-${createHash('sha256').update(readFileSync(maker)).digest('hex').slice(0, 12)}.tar`);
  if (!existsSync(archive)) {
    console.log('docker suite: making a base image of Debian packages (a minute the first time)');
    for (const name of readdirSync(cache)) if (/^base-.*\.tar$/.test(name)) rmSync(path.join(cache, name));
    await run(maker, [archive], { limitMs: baseLimitMs });
  }
  await engine.docker(['import', archive, base], importLimitMs);
  // `npm run test:docker` has set up and built already.
  const script = path.join(root, 'scripts', 'dockerImages.mjs');
  const built = await run(process.execPath, [script, '--built', '--base', base], { cwd: root, env: engine.env, limitMs: imagesLimitMs });
  console.log(built.output.trimEnd());
}
