import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Launcher } from '../src/sandbox/launcher.js';
import { cpuSecondsDefault } from '../src/sandbox/sandboxCommand.js';
import { seccompFilter } from '../src/sandbox/seccompFilter.js';
import { sharedLibraries } from '../src/sandbox/sharedLibraries.js';
import { spawnWorker } from '../src/sandbox/spawnWorker.js';
import { architectures } from '../src/sandbox/systemCalls.js';

/**
 * The sandbox without Node's permission model, for workers that want to hear the kernel itself. The permission model is the second
 * wall: what is claimed of the sandbox has to hold without it.
 */
export async function kernelOnly(workerFile: string): Promise<Launcher> {
  const table = architectures[process.arch];
  const node = realpathSync(process.execPath);
  const libraries = await sharedLibraries(node);
  if (table === undefined || libraries === null) throw new Error('no sandbox on this machine');
  const bytes = await readFile(workerFile);
  return {
    launch: () =>
      spawnWorker({
        paths: { prlimit: '/usr/bin/prlimit', bubblewrap: '/usr/bin/bwrap', node, libraries },
        filter: seccompFilter(table),
        bundle: { bytes, digest: '' },
        guard: 'kernel_only',
        nested: 'disabled',
        cpuSeconds: cpuSecondsDefault,
      }),
  };
}
