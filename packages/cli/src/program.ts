import { Command, Option } from 'commander';
import { privacyLevels, runNamed, sourceClasses } from '@emend/contracts';
import { plainId } from './argumentIds.js';
import { bootstrapCommand } from './commands/bootstrap.js';
import type { CommandContext } from './commands/context.js';
import { declareCommand } from './commands/declare.js';
import { getCommand, listCommand, type ViewName, watchCommand } from './commands/effective.js';
import { ingestCommand, type IngestFlags } from './commands/ingest.js';
import { judgeCommand, type JudgeFlags } from './commands/judge.js';
import { quarantineShowCommand, type QuarantineFlags } from './commands/quarantine.js';
import { showCommand } from './commands/show.js';
import { statusCommand } from './commands/status.js';
import { upCommand } from './commands/up.js';
import { CliError } from './errors.js';
import { brokerUrl, dataDirOf } from './stack/brokerUrl.js';
import { findHome, type ServiceName } from './stack/home.js';
import { runServiceCommand } from './stack/serviceProcess.js';
import { processOf } from './stack/stack.js';

/** Runs one command and sets the exit code. The program only says which words call what. */
export interface Run {
  /** Ends at a signal as any program does. */
  readonly once: (work: (context: CommandContext) => Promise<number>) => Promise<void>;
  /** Stays until it is told to stop; a second signal ends it at once. */
  readonly untilStopped: (work: (context: CommandContext) => Promise<number>) => Promise<void>;
}

interface OfService {
  readonly name: string;
  readonly service: ServiceName;
  readonly description: string;
  /** The program has commands of its own below this word, and never sees it. */
  readonly isGroup?: true;
}

/** A command that belongs to a service: its own program does the work, with the same words after it. */
const ofServices: readonly OfService[] = [
  { name: 'explain', service: 'coordinator', description: 'why a run got a repair request, or none (emend explain <run>)' },
  { name: 'scan', service: 'coordinator', description: 'decide over all of history (emend scan --policy ID@V [--dry-run])' },
  { name: 'rebuild', service: 'projector', description: 'fold the views anew and compare them' },
  { name: 'export', service: 'exporter', description: 'write the gated training files (emend export --out DIR)' },
  {
    name: 'transcript',
    service: 'transcripts',
    isGroup: true,
    description: 'submit FILE, diff SOURCE|RUN, correct FILE, settings: transcripts of speech, corrected with reasons',
  },
  { name: 'prompts', service: 'transcripts', description: 'list, show NAME, diff: the prompts in force for transcripts' },
];

export function buildProgram({ once: run, untilStopped }: Run): Command {
  const program = new Command('emend').description('Repairs what language models get wrong, without ever rewriting history.');
  program.option('--json', 'one JSON document instead of text').exitOverride().showHelpAfterError();

  program
    .command('up')
    .description('start a broker and all services on this machine')
    .option('--data <dir>', 'where everything is kept (default .emend)')
    .option('--declarations <dir...>', 'folders of declarations beside the shipped one')
    .action((options: { data?: string; declarations?: string[] }) => untilStopped((context) => upCommand(context, options)));
  program
    .command('bootstrap')
    .description('create streams, buckets and durables, and compare them')
    .option('--definitions <file>')
    .action((options: { definitions?: string }) => run((context) => bootstrapCommand(context, options)));
  program
    .command('declare [folders...]')
    .description('write contracts, agents and policies from folders of files')
    .option('--dry-run', 'show the plan only')
    .option('--producer <name>', 'who declares', 'emend-declare')
    .action((folders: string[], options: { dryRun?: boolean; producer: string }) =>
      run((context) => declareCommand(context, folders, options)),
    );
  program
    .command('ingest <file>')
    .description('turn recorded answers (JSON Lines) into runs')
    .requiredOption('--agent <id@version>', 'the declared agent of lines that name none')
    .option('--producer <name>', 'whose runs these are', 'ingest')
    .addOption(new Option('--privacy <level>').choices([...privacyLevels]).default('private'))
    .addOption(new Option('--source-class <class>').choices([...sourceClasses]).default('restricted-source'))
    .option('--quarantine', 'keep the text of failed answers in the quarantine bucket')
    .action((file: string, flags: IngestFlags) => run((context) => ingestCommand(context, file, flags)));
  program
    .command('show <run>')
    .description('the whole history of one run')
    .action((name: string) => run((context) => showCommand(context, runOf(name))));
  program
    .command('status')
    .description('where the log and the views stand')
    .action(() => run(statusCommand));

  program
    .command('quarantine')
    .description('the text of a failed answer, for an operator')
    .command('show <run>')
    .description('print it, once an incident says who and why')
    .requiredOption('--as <name>', 'who you are; an account is held to its name')
    .requiredOption('--reason <text>', 'why, in plain words; it is recorded')
    .action((name: string, flags: QuarantineFlags) => run((context) => quarantineShowCommand(context, runOf(name), flags)));
  addJudge(program, run);
  addView(program, { once: run, untilStopped }, { name: 'effective', bucket: 'effective-output', description: 'effective outputs' });
  addView(program, { once: run, untilStopped }, { name: 'review', bucket: 'review-queue', description: 'items that wait for a judgment' });
  for (const { name, service, description, isGroup } of ofServices) {
    const forward = (args: string[]): Promise<void> =>
      run(({ env, json }) => {
        // Without a word of its own a program would start to serve.
        const first = isGroup ? (args.length > 0 ? [] : ['help']) : [name];
        const words = [...first, ...args.map(plainId), ...(json ? ['--json'] : [])];
        return runServiceCommand(findHome(env), service, words, processOf({ dataDir: dataDirOf(env), env }, service, brokerUrl(env)).env);
      });
    program.command(`${name} [args...]`).description(description).allowUnknownOption().helpOption(false).action(forward);
  }
  return program;
}

function addJudge(program: Command, run: Run['once']): void {
  const judge = program.command('judge').description('record or retract a judgment');
  for (const verdict of ['accept', 'correct', 'reject', 'prefer', 'retract'] as const) {
    const command = judge
      .command(`${verdict} <run>`)
      .requiredOption('--authority <name>', 'who judges')
      .requiredOption('--action <id>', 'your id of this act; sent again it gives the first result');
    if (verdict === 'retract') command.requiredOption('--judgment <id>', 'the exact judgment to retract');
    else {
      command
        .option('--supersedes <id>', 'the exact judgment that this one replaces')
        .option('--quality', 'good enough to learn from')
        .option('--export', 'may leave the house')
        .option('--public', 'the judgment itself is public');
    }
    if (verdict === 'correct') command.requiredOption('--replacement <file>', 'the right output, as JSON');
    if (verdict === 'prefer') command.requiredOption('--preferred <id>').requiredOption('--over <id>');
    if (verdict !== 'prefer' && verdict !== 'retract') command.option('--proposal <id>', 'which proposal, where there are several');
    command.action((name: string, { judgment, ...flags }: JudgeFlags & { judgment?: string }) =>
      run((context) =>
        judgeCommand(context, verdict, runOf(name), plainFlags(judgment === undefined ? flags : { ...flags, supersedes: judgment })),
      ),
    );
  }
}

function addView(
  program: Command,
  { once: run, untilStopped }: Run,
  view: { readonly name: string; readonly bucket: ViewName; readonly description: string },
): void {
  const command = program.command(view.name).description(view.description);
  command.command('get <run>').action((name: string) => run((context) => getCommand(context, view.bucket, runOf(name))));
  command.command('list').action(() => run((context) => listCommand(context, view.bucket)));
  command.command('watch').action(() => untilStopped((context) => watchCommand(context, view.bucket)));
}

/** The id of a run, however it was named. @throws CliError `run_name_invalid` */
function runOf(name: string): string {
  const run = runNamed(plainId(name));
  if (run === null) throw new CliError('run_name_invalid', name, 'a run id, or producer/reference');
  return run;
}

/** The ids among the flags as they are. */
function plainFlags(flags: JudgeFlags): JudgeFlags {
  const ids = (['supersedes', 'proposal', 'preferred', 'over'] as const).flatMap((key) => {
    const id = flags[key];
    return id === undefined ? [] : [[key, plainId(id)] as const];
  });
  return { ...flags, ...Object.fromEntries(ids) };
}
