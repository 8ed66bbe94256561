import { isOnPath, lastLines, run, say } from './step.mjs';

/** What node-gyp calls when better-sqlite3's prebuilt file cannot be fetched; each comes from the Debian package of that name. */
const compilers = ['g++', 'make', 'python3'];

/**
 * Sees that an addon can be compiled. It never stops the set-up: where a prebuilt file can be fetched no compiler is needed,
 * and where not, the installation says so.
 */
export async function ensureCompilers() {
  const missing = compilers.filter((command) => !isOnPath(command));
  if (missing.length === 0) return;
  const install = `apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  if (!isOnPath('apt-get')) {
    say(`compilers: ${missing.join(', ')} not found; if the next step fails, install them with your system's package manager`);
  } else if (process.getuid?.() !== 0) {
    say(`compilers: ${missing.join(', ')} not found; if the next step fails, run: sudo ${install}`);
  } else {
    say(`compilers: installing the Debian packages ${missing.join(', ')}, which better-sqlite3 may need`);
    await aptGetInstall(missing);
  }
}

async function aptGetInstall(packages) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const args = ['install', '-y', '--no-install-recommends', ...packages];
  let result = await run('apt-get', args, { env });
  if (result.code !== 0) {
    // A fresh system has no package lists yet.
    await run('apt-get', ['update'], { env });
    result = await run('apt-get', args, { env });
  }
  if (result.code !== 0) say(`compilers: apt-get ended with code ${result.code}; going on without\n${lastLines(result.output, 10)}`);
}
