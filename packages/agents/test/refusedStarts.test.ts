import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { builtinFiles } from '../src/sandbox/builtinFiles.js';
import { faultName } from '../src/sandbox/faultName.js';
import { openSandbox } from '../src/sandbox/openSandbox.js';
import { selfTest } from '../src/sandbox/selfTest.js';
import { withoutSandbox } from './sandboxHere.js';
import { WorkerScripts } from './workerScripts.js';

const scripts = new WorkerScripts();
afterAll(() => scripts.remove());

const linux = { platform: 'linux', architecture: 'x64' } as const;

/** Opens a sandbox in a process of its own, behind a program that may take something away, and returns what its last line says. */
function inProcess(last: string, ...before: readonly string[]): unknown {
  const script = `const { openSandbox } = await import(${JSON.stringify(path.resolve(import.meta.dirname, '../dist/index.js'))});
    const { openSync } = await import('node:fs');
    const opened = await openSandbox();
    ${last}`;
  const command = [...before, process.execPath, '--input-type=module', '-e', script];
  return JSON.parse(execFileSync('/usr/bin/env', command, { encoding: 'utf8' }));
}

describe('what the system refuses is an answer and no crash', () => {
  test('a spawn that throws', async () => {
    const throwing = (): never => {
      throw Object.assign(new Error('spawn /usr/bin/prlimit EPERM'), { code: 'EPERM', syscall: 'spawn /usr/bin/prlimit' });
    };
    expect(await selfTest(throwing, '/x')).toEqual({ ok: false, code: 'spawn_refused', misses: [], said: 'spawn EPERM' });
  });

  // skipped: only where the test is not root, who alone can lose the right to change its user, or has no bubblewrap
  test.skipIf(process.getuid?.() !== 0 || !existsSync('/usr/bin/bwrap'))('root that may not change its user', () => {
    const say = 'const { kind, code, said } = opened; console.log(JSON.stringify({ kind, code, said }));';
    expect(inProcess(say, 'setpriv', '--bounding-set=-setuid,-setgid')).toEqual({
      kind: 'unavailable',
      code: 'spawn_refused',
      said: 'spawn EPERM',
    });
  });

  // skipped: only where there is no sandbox to start a second worker in
  test.skipIf(withoutSandbox)('a launch without a descriptor left throws, and no error is left unheard', () => {
    const launchFull = `const full = [];
      try { for (;;) full.push(openSync('/dev/null')); } catch {}
      let code = 'launched';
      try { opened.sandbox.launch(); } catch (error) { code = error.code; }
      await new Promise((resolve) => setImmediate(resolve));
      console.log(JSON.stringify(code));`;
    expect(inProcess(launchFull, 'prlimit', '--nofile=256')).toBe('EMFILE');
  });

  // skipped: only where there is no bubblewrap to get as far
  test.skipIf(!existsSync('/usr/bin/bwrap'))('a Node that was taken away under its process', async () => {
    const { execPath } = process;
    process.execPath = '/nonexistent/node';
    const opened = await openSandbox(linux).finally(() => (process.execPath = execPath));
    expect(opened).toMatchObject({ kind: 'unavailable', code: 'node_unreadable', said: 'realpath ENOENT' });
  });

  test('a library of Node that cannot be read', async () => {
    const gone = builtinFiles([{ from: '/nonexistent/libnode.so.115', at: '/lib/libnode.so.115' }]);
    expect(faultName(await gone.catch((error: unknown) => error))).toBe('open ENOENT');
  });

  test('a fault is named without its message', () => {
    expect(faultName(Object.assign(new Error('/secret/path'), { code: 'EACCES' }))).toBe('EACCES');
    expect(faultName(new Error('/secret/path'))).toBe('unknown fault');
  });
});

test('a bubblewrap that is setuid is refused before anything is started', async () => {
  const trace = path.join(scripts.program('nothing', ''), 'started');
  const folder = scripts.program('bwrap', `#!/bin/sh\necho > ${trace}\n`);
  scripts.program('prlimit', `#!/bin/sh\necho > ${trace}\n`);
  chmodSync(path.join(folder, 'bwrap'), 0o4755);
  expect(await openSandbox({ ...linux, programFolders: [folder] })).toMatchObject({ kind: 'unavailable', code: 'bubblewrap_setuid' });
  expect(existsSync(trace)).toBe(false);
});
