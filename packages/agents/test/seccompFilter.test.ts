import { describe, expect, test } from 'vitest';
import { seccompFilter } from '../src/sandbox/seccompFilter.js';
import { architectures } from '../src/sandbox/systemCalls.js';
import { verdictOf } from './filterInterpreter.js';

/** Calls that must not be there, by the numbers of each architecture. */
const refused: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  x64: {
    socket: 41,
    connect: 42,
    bind: 49,
    listen: 50,
    sendmsg: 46,
    recvmsg: 47,
    sendto: 44,
    kill: 62,
    tkill: 200,
    fork: 57,
    vfork: 58,
    getdents64: 217,
    memfd_create: 319,
    io_uring_setup: 425,
    execveat: 322,
    open: 2,
    chmod: 90,
    setuid: 105,
    prctl: 157,
    pidfd_open: 434,
  },
  arm64: {
    socket: 198,
    connect: 203,
    bind: 200,
    listen: 201,
    sendmsg: 211,
    recvmsg: 212,
    sendto: 206,
    kill: 129,
    tkill: 130,
    getdents64: 61,
    memfd_create: 279,
    io_uring_setup: 425,
    execveat: 281,
    prctl: 167,
    setuid: 146,
    pidfd_open: 434,
  },
};

const EPERM = 'errno 1';
const threadFlags = 0x3d0f00;
const SIGCHLD = 17;

describe.each(Object.entries(architectures))('the filter of %s', (name, table) => {
  const program = seccompFilter(table);
  const verdict = (number: number, args: readonly number[] = []) =>
    verdictOf(program, { architecture: table.audit, number, arguments: args });

  test('allows what its table names', () => {
    expect(Object.entries(table.allowed).filter(([, number]) => verdict(number) !== 'allow')).toEqual([]);
  });

  test('allows nothing else', () => {
    const allowed = new Set(Object.values(table.allowed));
    const numbers = Array.from({ length: 600 }, (_, number) => number).filter((number) => !allowed.has(number));
    expect(numbers.filter((number) => verdict(number) === 'allow')).toEqual([]);
  });

  test('refuses networks, signals, processes and listings', () => {
    expect(Object.entries(refused[name] ?? {}).filter(([, number]) => verdict(number) !== EPERM)).toEqual([]);
  });

  test('lets a thread start, and no process', () => {
    expect(verdict(table.clone, [threadFlags])).toBe('allow');
    expect(verdict(table.clone, [SIGCHLD])).toBe(EPERM);
    expect(verdict(table.clone3, [threadFlags])).toBe('errno 38');
  });

  test('lets four requests to a descriptor pass', () => {
    for (const request of [0x5421, 0x5451, 0x5401, 0x5413]) expect(verdict(table.ioctl, [0, request])).toBe('allow');
    // TIOCSTI writes into the terminal of whoever started us.
    expect(verdict(table.ioctl, [0, 0x5412])).toBe('errno 25');
  });

  test('ends a process that reaches for the kernel', () => {
    expect(Object.entries(table.fatal).filter(([, number]) => verdict(number) !== 'kill')).toEqual([]);
  });

  test('ends a process of another architecture', () => {
    expect(verdictOf(program, { architecture: 0x40000003, number: 0 })).toBe('kill');
  });
});

test('the filter of x64 ends a process that uses the other calling convention', () => {
  const { x64 } = architectures;
  expect(x64 && verdictOf(seccompFilter(x64), { architecture: x64.audit, number: 0x40000000 })).toBe('kill');
});
