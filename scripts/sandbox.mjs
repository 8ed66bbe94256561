import { offerPackages } from './aptGet.mjs';
import { isOnPath, say } from './step.mjs';

/** What starts a sandboxed worker, and the Debian package it comes from. */
const programs = { bwrap: 'bubblewrap', prlimit: 'util-linux' };

/** Sees that an agent's worker can be sandboxed. Without it everything else runs: repairs alone are left undone, and say why. */
export async function offerSandbox() {
  if (process.platform !== 'linux') {
    say('sandbox: needs Linux; repairs stay undone on this system');
    return;
  }
  const missing = Object.keys(programs).filter((command) => !isOnPath(command));
  const packages = missing.map((command) => programs[command]);
  if (missing.length > 0) await offerPackages('sandbox', packages, { missing, why: 'repairs stay undone without (docs/sandbox.md)' });
}
