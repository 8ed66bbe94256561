import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { architectures } from '../src/sandbox/systemCalls.js';

interface Group {
  readonly names: readonly string[];
  readonly action: string;
  readonly args?: readonly { readonly value: number; readonly valueTwo?: number }[];
}

/** What an engine puts before the container, and the worker's own filter on top of it. */
const file = fileURLToPath(new URL('../../../deploy/sandbox.seccomp.json', import.meta.url));
const profile = JSON.parse(readFileSync(file, 'utf8')) as { readonly defaultAction: string; readonly syscalls: readonly Group[] };
const allowed = profile.syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW');
const unconditional = allowed.filter(({ args }) => args === undefined).flatMap(({ names }) => names);
const argumentsOf = (name: string) => allowed.filter(({ names }) => names.includes(name)).map(({ args }) => args?.[0]);

describe("the container's profile", () => {
  test('is an allow-list, and names each call once', () => {
    expect(profile.defaultAction).toBe('SCMP_ACT_ERRNO');
    expect(unconditional.toSorted()).toEqual([...new Set(unconditional)].toSorted());
  });

  test.each(Object.entries(architectures))("allows what the worker's filter allows on %s", (_, table) => {
    expect(Object.keys(table.allowed).filter((name) => !unconditional.includes(name))).toEqual([]);
  });

  test('allows, of what ends a worker, what bubblewrap alone needs', () => {
    const fatal = new Set(Object.values(architectures).flatMap((table) => Object.keys(table.fatal)));
    expect(unconditional.filter((name) => fatal.has(name)).toSorted()).toEqual(['mount', 'pivot_root', 'umount2']);
  });

  test('lets a process have all namespaces new, or none', () => {
    const all = 0x7e02_0000;
    expect(argumentsOf('clone')).toMatchObject([
      { value: all, valueTwo: 0 },
      { value: all, valueTwo: all },
    ]);
    expect(unconditional).not.toContain('clone');
    // Its flags are no argument, and could not be told apart.
    expect(allowed.flatMap(({ names }) => names)).not.toContain('clone3');
  });

  test('knows four families of sockets', () => {
    const [unix, inet, inet6, netlink] = [1, 2, 10, 16];
    expect(argumentsOf('socket')).toMatchObject([unix, inet, inet6, netlink].map((value) => ({ value })));
    expect(unconditional).not.toContain('socket');
  });
});
