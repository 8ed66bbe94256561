import { isOnPath, lastLines, run, say } from './step.mjs';

/**
 * Brings Debian packages where this process may, having said so; elsewhere prints the command. It never stops a set-up: whoever
 * needs the packages says what is missing without them. `why` is one clause for the reader.
 */
export async function offerPackages(step, packages, { missing, why }) {
  const install = `apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  if (!isOnPath('apt-get')) {
    say(`${step}: ${missing.join(', ')} not found; ${why}: install with your system's package manager`);
  } else if (process.getuid?.() !== 0) {
    say(`${step}: ${missing.join(', ')} not found; ${why}, run: sudo ${install}`);
  } else {
    say(`${step}: installing the Debian packages ${packages.join(', ')}; ${why}`);
    await aptGetInstall(step, packages);
  }
}

async function aptGetInstall(step, packages) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const args = ['install', '-y', '--no-install-recommends', ...packages];
  let result = await run('apt-get', args, { env });
  if (result.code !== 0) {
    // A fresh system has no package lists yet.
    await run('apt-get', ['update'], { env });
    result = await run('apt-get', args, { env });
  }
  if (result.code !== 0) say(`${step}: apt-get ended with code ${result.code}; going on without\n${lastLines(result.output, 10)}`);
}
