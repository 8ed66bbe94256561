import { offerPackages } from './aptGet.mjs';
import { isOnPath } from './step.mjs';

/** What node-gyp calls when better-sqlite3's prebuilt file cannot be fetched; each comes from the Debian package of that name. */
const compilers = ['g++', 'make', 'python3'];

/**
 * Sees that an addon can be compiled. It never stops the set-up: where a prebuilt file can be fetched no compiler is needed,
 * and where not, the installation says so.
 */
export async function ensureCompilers() {
  const missing = compilers.filter((command) => !isOnPath(command));
  if (missing.length > 0) await offerPackages('compilers', missing, { missing, why: 'better-sqlite3 may need them' });
}
