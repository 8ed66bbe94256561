import { describe, expect, test } from 'vitest';
import { bubblewrapArgs, commandLine, type SandboxPaths } from '../src/sandbox/sandboxCommand.js';

const paths: SandboxPaths = {
  prlimit: '/usr/bin/prlimit',
  bubblewrap: '/usr/bin/bwrap',
  node: '/opt/node/bin/node',
  libraries: [{ from: '/lib/x/libc-2.36.so', at: '/lib/x/libc.so.6' }],
};

const args = (nested: 'disabled' | 'filtered' = 'disabled') => bubblewrapArgs(paths, nested).toString().split('\0').slice(0, -1);
const command = (nodeVersion = '20.20.2', guard: 'permission_model' | 'kernel_only' = 'permission_model') =>
  commandLine(paths, { guard, cpuSeconds: 12, nodeVersion });

describe('what bubblewrap is told', () => {
  test('is exactly this', () => {
    expect(args().join(' ')).toBe(
      [
        '--unshare-all --unshare-user --disable-userns --die-with-parent --new-session --as-pid-1 --clearenv --cap-drop ALL',
        '--uid 65534 --gid 65534 --hostname sandbox --ro-bind /lib/x/libc-2.36.so /lib/x/libc.so.6 --ro-bind /opt/node/bin/node /node',
        '--perms 0444 --ro-bind-data 6 /worker.cjs --remount-ro / --chdir / --seccomp 4',
      ].join(' '),
    );
  });

  test('mounts three kinds of file, all read-only, and then the root', () => {
    const all = args();
    const mounts = all.filter((arg) => /^--(ro-)?bind|^--(proc|dev|tmpfs|dir|symlink|overlay)/.test(arg));
    expect(mounts).toEqual(['--ro-bind', '--ro-bind', '--ro-bind-data']);
    expect(all.indexOf('--remount-ro')).toBeGreaterThan(all.lastIndexOf('--ro-bind-data'));
  });

  test.each([
    '--unshare-all',
    '--unshare-user',
    '--disable-userns',
    '--die-with-parent',
    '--new-session',
    '--as-pid-1',
    '--clearenv',
    '--seccomp',
  ])('has %s', (arg) => {
    expect(args()).toContain(arg);
  });

  test('leaves nested namespaces to the filter where the host says so, and changes nothing else', () => {
    expect(args('filtered')).toEqual(args().filter((arg) => arg !== '--disable-userns'));
  });
});

describe('the command line', () => {
  const limits = [
    '--core=0',
    '--nofile=64',
    '--fsize=1048576',
    '--memlock=0',
    '--msgqueue=0',
    '--nproc=256',
    '--cpu=12:12',
    '--data=268435456',
  ];
  const node = [
    '--jitless',
    '--no-addons',
    '--disable-proto=throw',
    '--disallow-code-generation-from-strings',
    '--unhandled-rejections=strict',
    '--max-old-space-size=64',
  ];

  test('is exactly this: limits, bubblewrap, Node', () => {
    const guard = ['--experimental-permission', '--allow-fs-read=/worker.cjs'];
    const whole = [...limits, '/usr/bin/bwrap', '--args', '5', '--', '/node', ...node, ...guard, '--no-warnings', '/worker.cjs'];
    expect(command()).toEqual(whole);
  });

  test('names no host path but the programs that it starts', () => {
    expect(command().filter((arg) => arg.includes('/'))).toEqual(['/usr/bin/bwrap', '/node', '--allow-fs-read=/worker.cjs', '/worker.cjs']);
  });

  test('leaves Node without a compiler, addons and code from strings', () => {
    expect(command()).toEqual(expect.arrayContaining(['--jitless', '--no-addons', '--disallow-code-generation-from-strings']));
  });

  test('calls the permission model by the name that the running Node has for it', () => {
    expect(command('20.20.2')).toContain('--experimental-permission');
    expect(command('24.1.0')).toContain('--permission');
  });

  test('gives a newer Node the memory that its start takes', () => {
    expect(command('20.20.2')).toContain(`--data=${256 * 1024 * 1024}`);
    expect(command('24.1.0')).toContain(`--data=${768 * 1024 * 1024}`);
  });

  test('lets the canary meet the kernel itself', () => {
    expect(command('20.20.2', 'kernel_only').filter((arg) => arg.includes('permission'))).toEqual([]);
  });
});
