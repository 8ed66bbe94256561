/** One system call as a filter sees it. */
export interface SystemCall {
  readonly architecture: number;
  readonly number: number;
  readonly arguments?: readonly number[];
}

export type Verdict = 'allow' | 'kill' | `errno ${number}`;

/** Runs a classic BPF program of ours the way the kernel would: the loads, jumps and returns that it uses. */
export function verdictOf(program: Buffer, call: SystemCall): Verdict {
  let accumulator = 0;
  for (let at = 0; at < program.length / 8; at += 1) {
    const code = program.readUInt16LE(at * 8);
    const ifTrue = program.readUInt8(at * 8 + 2);
    const ifFalse = program.readUInt8(at * 8 + 3);
    const operand = program.readUInt32LE(at * 8 + 4);
    if (code === 0x20) accumulator = loaded(call, operand);
    else if (code === 0x06) return named(operand);
    else at += holds(code, accumulator, operand) ? ifTrue : ifFalse;
  }
  throw new Error('the program ends without a verdict');
}

function loaded({ number, architecture, arguments: given = [] }: SystemCall, offset: number): number {
  if (offset === 0) return number;
  return offset === 4 ? architecture : (given[(offset - 16) / 8] ?? 0);
}

function holds(code: number, accumulator: number, operand: number): boolean {
  if (code === 0x15) return accumulator === operand;
  if (code === 0x35) return accumulator >= operand;
  if (code === 0x45) return (accumulator & operand) !== 0;
  throw new Error(`no such operation: ${code}`);
}

function named(verdict: number): Verdict {
  if (verdict === 0x7fff0000) return 'allow';
  return verdict === 0x80000000 ? 'kill' : `errno ${verdict & 0xffff}`;
}
