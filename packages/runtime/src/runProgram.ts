import { WrongUse } from './errors.js';
import { exitCodes } from './exitCode.js';
import { type CommandVoice, runCommand } from './runCommand.js';

/** A service's program: what its first word does. */
export interface Program extends CommandVoice {
  /** Without a word, or with `serve`: `runProcess`, which ends the process itself. */
  readonly serve: () => Promise<unknown>;
  /** Commands that end by themselves, by their words; each gets the words after it. */
  readonly commands?: Readonly<Record<string, (args: readonly string[]) => Promise<number>>>;
}

/** Runs what the command line asks for, for `main.ts`. Words that the program does not know end with its usage. */
export async function runProgram(
  { serve, commands = {}, ...voice }: Program,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  const [word = 'serve', ...rest] = args;
  const work = async (): Promise<number> => {
    if (word === 'serve' && rest.length === 0) {
      await serve();
      return exitCodes.clean;
    }
    const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
    if (command === undefined) throw new WrongUse();
    return command(rest);
  };
  process.exitCode = await runCommand({ ...voice, work });
}
