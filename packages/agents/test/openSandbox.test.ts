import { describe, expect, test } from 'vitest';
import { openSandbox, type SandboxOptions } from '../src/sandbox/openSandbox.js';
import { libraryPaths } from '../src/sandbox/sharedLibraries.js';
import { WorkerScripts } from './workerScripts.js';

const refused: readonly (readonly [string, SandboxOptions, string])[] = [
  ['another system', { platform: 'darwin' }, 'platform_unsupported'],
  ['an architecture without a filter', { architecture: 'riscv64' }, 'architecture_unsupported'],
  ['a machine without bubblewrap', { programFolders: ['/nonexistent'] }, 'bubblewrap_missing'],
];

describe('there is no sandbox', () => {
  test.each(refused)('on %s', async (_, options, code) => {
    expect(await openSandbox({ platform: 'linux', architecture: 'x64', ...options })).toMatchObject({ kind: 'unavailable', code });
  });

  test('for a worker that was not built, or grew', async () => {
    expect(await unavailableOf('/nonexistent.cjs')).toMatch(/^bundle_missing|^bubblewrap_missing|^prlimit_missing/);
    const scripts = new WorkerScripts();
    expect(await unavailableOf(scripts.write(`// ${'x'.repeat(40_000)}`))).toMatch(/^bundle_unfit|^bubblewrap_missing|^prlimit_missing/);
    scripts.remove();
  });
});

async function unavailableOf(workerFile: string): Promise<string> {
  const opened = await openSandbox({ workerFile });
  return opened.kind === 'unavailable' ? opened.code : 'ready';
}

describe('the libraries of a program', () => {
  const printed = [
    '\tlinux-vdso.so.1 (0x00007fc85a399000)',
    '\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007fc859e1e000)',
    '\t/lib64/ld-linux-x86-64.so.2 (0x00007fc85a39b000)',
  ];

  test('are those with a path, and the loader', () => {
    expect(libraryPaths(printed.join('\n'))).toEqual(['/lib/x86_64-linux-gnu/libc.so.6', '/lib64/ld-linux-x86-64.so.2']);
  });

  test('are unknown where one is missing', () => {
    expect(libraryPaths([...printed, '\tlibx.so => not found'].join('\n'))).toBeNull();
  });

  test('are unknown without a loader', () => {
    expect(libraryPaths('\tnot a dynamic executable')).toBeNull();
  });
});
