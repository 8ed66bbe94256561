// A Python with a model and what runs it: the one place that installs one.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The model or its runner cannot be had on this machine; the message says why. */
export class NoModel extends Error {}

/** @throws NoModel where there is no Python 3.11 or newer */
export function systemPython() {
  for (const python of ['python3.13', 'python3.12', 'python3.11', 'python3', 'python']) {
    const asked = spawnSync(python, ['-c', 'import sys; print(sys.version_info >= (3, 11))'], { encoding: 'utf8' });
    if (asked.status === 0 && asked.stdout.trim() === 'True') return python;
  }
  throw new NoModel('no Python 3.11 or newer was found; it runs the model');
}

/**
 * The Python of an environment in `folder` that holds what `requirements` (a file of pinned packages) names, and nothing else.
 * Made once for each content of the file; `say` hears a line before that starts.
 * @throws NoModel where it cannot be made; pip has said why on standard error
 */
export function modelPython({ requirements, folder, name, buildFlags = '', say }) {
  const text = readFileSync(requirements, 'utf8');
  const hash = createHash('sha256')
    .update(text + buildFlags)
    .digest('hex');
  const venv = join(folder, `${name}-${hash.slice(0, 12)}`);
  const inside = join(venv, 'bin', 'python');
  if (existsSync(join(venv, 'complete'))) return inside;

  const python = systemPython();
  say('installing the model and its runner, once');
  rmSync(venv, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const env = { ...process.env, ...(buildFlags === '' ? {} : { CMAKE_ARGS: buildFlags }) };
  const steps = [
    [python, ['-m', 'venv', venv]],
    [inside, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', requirements]],
  ];
  for (const [command, options] of steps) {
    const done = spawnSync(command, options, { env, stdio: ['ignore', 'inherit', 'inherit'] });
    if (done.status !== 0) throw new NoModel('the model or its runner could not be installed');
  }
  writeFileSync(join(venv, 'complete'), '');
  return inside;
}
