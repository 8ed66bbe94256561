import { describeError } from './describeError.js';
import { ConfigError, RefusedToStart, WrongUse } from './errors.js';
import { exitCodes } from './exitCode.js';

/** How the errors of a program are told to whoever called it. */
export interface CommandVoice {
  /** As it is called, say `emend-exporter`. */
  readonly program: string;
  /** The words that it takes, without its name. */
  readonly usage: string;
  /** Errors whose messages hold codes, names and paths and nothing else, so that they may be printed. */
  readonly ownErrors?: readonly (abstract new (
    ...args: never
  ) => Error)[];
  /** What the codes of this program mean. */
  readonly codes?: Readonly<Record<string, string>>;
  /** Where a line goes; standard error where it is absent, because results are read from the other one. */
  readonly tell?: (line: string) => void;
}

export interface Command extends CommandVoice {
  /** Does the work and gives the exit code: 0, or one of the command's own. */
  readonly work: () => Promise<number>;
}

/** Runs one piece of work to its exit code. The same mistake has the same code and the same words in every program. */
export async function runCommand({ work, ...voice }: Command): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const { exitCode, lines } = endOf(error, voice);
    for (const line of lines) (voice.tell ?? toStandardError)(line);
    return exitCode;
  }
}

const toStandardError = (line: string): void => void process.stderr.write(`${line}\n`);

function endOf(error: unknown, voice: CommandVoice): { readonly exitCode: number; readonly lines: readonly string[] } {
  const said = `${voice.program}: ${whatHappened(error, voice)}`;
  if (error instanceof ConfigError) {
    const problems = error.problems.map(({ name, expected }) => `  ${name}: expected ${expected}`);
    return { exitCode: exitCodes.badConfig, lines: [said, ...problems] };
  }
  if (isWrongUse(error)) {
    const usage = error instanceof WrongUse && error.usage !== undefined ? error.usage : voice.usage;
    return { exitCode: exitCodes.badConfig, lines: [`usage: ${voice.program} ${usage}`] };
  }
  return { exitCode: error instanceof RefusedToStart ? exitCodes.refused : exitCodes.fault, lines: [said] };
}

/** Of an error that is not ours only the code is told: its message may quote what it met. */
function whatHappened(error: unknown, { ownErrors = [], codes = {} }: CommandVoice): string {
  const { code, error: name } = describeError(error);
  if (code === undefined) return name;
  const isOurs = ownErrors.some((one) => error instanceof one);
  const says = isOurs && error instanceof Error ? error.message : Object.hasOwn(codes, code) ? codes[code] : undefined;
  if (says === undefined) return code;
  return says.startsWith(`${code}: `) ? says : `${code}: ${says}`;
}

/** Ours, or what `parseArgs` of `node:util` throws about options. */
function isWrongUse(error: unknown): boolean {
  return error instanceof WrongUse || (describeError(error).code?.startsWith('ERR_PARSE_ARGS_') ?? false);
}
