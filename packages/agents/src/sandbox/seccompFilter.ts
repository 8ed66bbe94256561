import type { ArchitectureTable } from './systemCalls.js';

/** Operations of classic BPF (linux/bpf_common.h), as far as a filter of ours needs them. */
const load = 0x20;
const jumpEqual = 0x15;
const jumpGreaterOrEqual = 0x35;
const jumpAnyBit = 0x45;
const give = 0x06;

/** Verdicts (linux/seccomp.h). */
const allow = 0x7fff0000;
const killProcess = 0x80000000;
const errno = (code: number): number => 0x00050000 | code;

const EPERM = 1;
const ENOTTY = 25;
const ENOSYS = 38;

/** Offsets in `struct seccomp_data`. */
const numberAt = 0;
const architectureAt = 4;
const firstArgumentAt = 16;
const secondArgumentAt = 24;

const CLONE_THREAD = 0x10000;

/** What Node asks of a descriptor at its start; every other request hears that it is no terminal. */
const ioctlRequests = { FIONBIO: 0x5421, FIOCLEX: 0x5451, TCGETS: 0x5401, TIOCGWINSZ: 0x5413 } as const;

const instructionBytes = 8;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];

/** An allow-list as the program that bubblewrap installs: `struct sock_filter[]`, little-endian. */
export function seccompFilter(table: ArchitectureTable): Buffer {
  const program: Instruction[] = [
    [load, 0, 0, architectureAt],
    [jumpEqual, 1, 0, table.audit],
    [give, 0, 0, killProcess],
    [load, 0, 0, numberAt],
  ];
  if (table.foreignFrom !== null) program.push([jumpGreaterOrEqual, 0, 1, table.foreignFrom], [give, 0, 0, killProcess]);
  for (const number of Object.values(table.allowed)) program.push(...onNumber(number, allow));
  // The C library then falls back to `clone`, whose flags a filter can see.
  program.push(...onNumber(table.clone3, errno(ENOSYS)));
  program.push(...threadsOnly(table.clone), ...listedRequests(table.ioctl));
  for (const number of Object.values(table.fatal)) program.push(...onNumber(number, killProcess));
  program.push([give, 0, 0, errno(EPERM)]);
  return encoded(program);
}

const onNumber = (number: number, verdict: number): readonly Instruction[] => [
  [jumpEqual, 0, 1, number],
  [give, 0, 0, verdict],
];

/** A thread, never a process. */
const threadsOnly = (clone: number): readonly Instruction[] => [
  [jumpEqual, 0, 4, clone],
  [load, 0, 0, firstArgumentAt],
  [jumpAnyBit, 0, 1, CLONE_THREAD],
  [give, 0, 0, allow],
  [give, 0, 0, errno(EPERM)],
];

function listedRequests(ioctl: number): readonly Instruction[] {
  const listed = Object.values(ioctlRequests).flatMap((request) => onNumber(request, allow));
  return [[jumpEqual, 0, listed.length + 2, ioctl], [load, 0, 0, secondArgumentAt], ...listed, [give, 0, 0, errno(ENOTTY)]];
}

function encoded(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * instructionBytes);
  program.forEach(([code, ifTrue, ifFalse, operand], index) => {
    const at = index * instructionBytes;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(ifTrue, at + 2);
    bytes.writeUInt8(ifFalse, at + 3);
    bytes.writeUInt32LE(operand >>> 0, at + 4);
  });
  return bytes;
}
