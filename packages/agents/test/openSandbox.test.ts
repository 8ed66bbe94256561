import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { builtinFiles, builtinPaths } from '../src/sandbox/builtinFiles.js';
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

  test('in a thread beside the main one, with which its workers would die', async () => {
    const program = pathToFileURL(path.resolve(import.meta.dirname, '../dist/index.js')).href;
    const script = `import(${JSON.stringify(program)})
      .then(({ openSandbox }) => openSandbox({ platform: 'linux', architecture: 'x64' }))
      .then(({ code }) => require('node:worker_threads').parentPort.postMessage(code));`;
    const thread = new Worker(script, { eval: true, execArgv: [] });
    const [code] = (await once(thread, 'message')) as [unknown];
    await thread.terminate();
    expect(code).toBe('thread_unsupported');
  });

  test('for a worker that was not built, or grew', async () => {
    expect(await unavailableOf('/nonexistent.cjs')).toMatch(/^bundle_missing|^bubblewrap_missing|^prlimit_missing/);
    const scripts = new WorkerScripts();
    expect(await unavailableOf(scripts.write(`// ${'x'.repeat(40_000)}`))).toMatch(/^bundle_unfit|^bubblewrap_missing|^prlimit_missing/);
    scripts.remove();
  });
});

// skipped: only where there is no prlimit to start it with
test.skipIf(!existsSync('/usr/bin/prlimit'))('what bubblewrap says before it ends is kept, in however many pieces it comes', async () => {
  const scripts = new WorkerScripts();
  const folder = scripts.program('bwrap', "#!/bin/sh\nprintf 'bwrap: ' >&2\n/bin/sleep 0.2\nprintf 'not today\\n' >&2\nexit 1\n");
  expect(await openSandbox({ programFolders: [folder, '/usr/bin'] })).toMatchObject({ code: 'canary_silent', said: 'bwrap: not today' });
  scripts.remove();
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

describe('the files that a Node in two parts starts from', () => {
  const library = Buffer.from(
    '\x7fELF\0/usr/share/nodejs/b/lexer.js\0id:/usr/share/nodejs/a/c.js\0/usr/share/nodejs/b/lexer.js\0',
    'latin1',
  );

  test('are those whose paths stand in its library, each once', () => {
    expect(builtinPaths(library)).toEqual(['/usr/share/nodejs/a/c.js', '/usr/share/nodejs/b/lexer.js']);
  });

  test('are none where a path goes on, is no module, or has no end', () => {
    const odd = '/usr/share/nodejs/\0/usr/share/nodejs/a b.js\0/usr/share/nodejs/a.node\0/usr/share/nodejs/';
    expect(builtinPaths(Buffer.from(odd, 'latin1'))).toEqual([]);
  });

  test('are not looked for in a Node in one piece', async () => {
    expect(await builtinFiles([{ from: '/nonexistent', at: '/lib/x86_64-linux-gnu/libc.so.6' }])).toEqual([]);
  });
});
