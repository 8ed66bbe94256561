/** What the kernel grants one worker. Bytes, seconds and counts as `prlimit` reads them. */
export const resourceLimits = {
  core: '0',
  nofile: '64',
  /** Bubblewrap itself writes the worker file into the sandbox; inside, everything is read-only. */
  fsize: '1048576',
  memlock: '0',
  msgqueue: '0',
  /** Counts every process of the host's user, so a small number would refuse bubblewrap itself. */
  nproc: '256',
} as const;

/** CPU seconds of one worker. As process 1 of its namespace it only meets the hard limit, so there is no softer one. */
export const cpuSecondsDefault = 12;

/** Bytes of private memory. Node from 22 on reserves more before it runs a line. */
const dataBytes = (nodeMajor: number): number => (nodeMajor < 22 ? 256 : 768) * 1024 * 1024;

const oldSpaceMegabytes = 64;

/** A user that no one is; inside the sandbox. */
const nobody = '65534';

/** Descriptors of the child beyond the usual three. */
export const childFds = { channel: 3, filter: 4, args: 5, bundle: 6 } as const;

const bundleInside = '/worker.cjs';
const nodeInside = '/node';

/** Where a mount comes from on the host, and where it is inside. */
export interface Mount {
  readonly from: string;
  readonly at: string;
}

export interface SandboxPaths {
  readonly prlimit: string;
  readonly bubblewrap: string;
  readonly node: string;
  /** And the files that Debian's Node starts from. */
  readonly libraries: readonly Mount[];
}

/**
 * `disabled`: bubblewrap also forbids namespaces within its own, which needs a writable /proc/sys. `filtered`: the filter alone
 * forbids them, for containers whose /proc/sys is read-only.
 */
export type NestedNamespaces = 'disabled' | 'filtered';

/** Whether Node's own permission model stands before the kernel. The canary runs without it, or it would only hear Node's refusal. */
export type NodeGuard = 'permission_model' | 'kernel_only';

export interface CommandChoice {
  readonly guard: NodeGuard;
  readonly cpuSeconds: number;
  /** As in `process.versions.node`: it decides how the permission model is named, and how much memory a start takes. */
  readonly nodeVersion: string;
}

/** What `prlimit` is given: the limits, then bubblewrap, then Node. Host paths of mounts are not in it, and so not in `ps`. */
export function commandLine(paths: SandboxPaths, { guard, cpuSeconds, nodeVersion }: CommandChoice): readonly string[] {
  const major = Number(nodeVersion.split('.')[0]);
  const limits = { ...resourceLimits, cpu: `${cpuSeconds}:${cpuSeconds}`, data: String(dataBytes(major)) };
  return [
    ...Object.entries(limits).map(([name, value]) => `--${name}=${value}`),
    paths.bubblewrap,
    '--args',
    String(childFds.args),
    '--',
    nodeInside,
    // No compiler, no WebAssembly, no native code, no code from strings.
    '--jitless',
    '--no-addons',
    '--disable-proto=throw',
    '--disallow-code-generation-from-strings',
    '--unhandled-rejections=strict',
    `--max-old-space-size=${oldSpaceMegabytes}`,
    ...(guard === 'permission_model' ? [major < 24 ? '--experimental-permission' : '--permission', `--allow-fs-read=${bundleInside}`] : []),
    '--no-warnings',
    bundleInside,
  ];
}

/**
 * What bubblewrap reads from its descriptor. No /proc, /dev, /tmp or /sys is mounted. The root becomes read-only after the last
 * mount, since it is a writable memory file system before.
 */
export function bubblewrapArgs({ node, libraries }: SandboxPaths, nested: NestedNamespaces): Buffer {
  const args = [
    ['--unshare-all', '--unshare-user'],
    nested === 'disabled' ? ['--disable-userns'] : [],
    ['--die-with-parent', '--new-session'],
    // Node is process 1: no second process that could stay, and no environment but its own in /proc/1.
    ['--as-pid-1', '--clearenv'],
    ['--cap-drop', 'ALL'],
    ['--uid', nobody, '--gid', nobody],
    ['--hostname', 'sandbox'],
    ...libraries.map(({ from, at }) => ['--ro-bind', from, at]),
    ['--ro-bind', node, nodeInside],
    // The very bytes that were read at the start: no deployment swaps them between two runs.
    ['--perms', '0444', '--ro-bind-data', String(childFds.bundle), bundleInside],
    ['--remount-ro', '/'],
    ['--chdir', '/'],
    ['--seccomp', String(childFds.filter)],
  ].flat();
  return Buffer.from(args.map((arg) => `${arg}\0`).join(''), 'utf8');
}
