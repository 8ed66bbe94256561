import { existsSync } from 'node:fs';
import path from 'node:path';
import { lastLines, root, run, say, seconds, StepError } from './step.mjs';

/** Installs the libraries that the decoder is compared with, from their own lockfile and outside the workspace. Once. */
export async function installPeers() {
  const folder = path.join(root, 'bench', 'peers');
  if (existsSync(path.join(folder, 'node_modules'))) return;
  say('peers: installing what the decoder is compared with into bench/peers');
  const started = Date.now();
  const result = await run('npm', ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']);
  if (result.code !== 0) {
    say(lastLines(result.output, 20));
    throw new StepError({
      step: 'peers',
      failed: 'npm ci in bench/peers did not end well',
      todo: 'check that the package registry can be reached',
    });
  }
  say(`peers: installed in ${seconds(started)}`);
}
