#!/usr/bin/env node
import { LedgerError } from '@emend/ledger';
import { LogError } from '@emend/log';
import { ConfigError, describeError, RefusedToStart, runProcess } from '@emend/runtime';
import { commandExitCodes, exportCommand, usageLine } from './commands.js';
import { ExporterError } from './errors.js';
import { exporterLife } from './service.js';

const [command = 'serve', ...args] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const remark = (line: string): void => void process.stderr.write(`${line}\n`);

try {
  if (command === 'serve') await runProcess(exporterLife(process.env));
  else if (command === 'export') process.exitCode = await exportCommand(args, { env: process.env, say, remark });
  else {
    remark(usageLine);
    process.exitCode = commandExitCodes.usage;
  }
} catch (error) {
  const problems = error instanceof ConfigError ? error.problems.map((one) => `  ${one.name}: expected ${one.expected}`) : [];
  for (const line of [`emend-exporter: ${whatHappened(error)}`, ...problems]) remark(line);
  process.exitCode = exitCodeOf(error);
}

/** Our own messages hold codes and paths and nothing else; of any other error only the code is told. */
function whatHappened(error: unknown): string {
  if (error instanceof ExporterError || error instanceof LedgerError || error instanceof LogError) return error.message;
  const { error: name, code } = describeError(error);
  return code ?? name;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof ConfigError) return commandExitCodes.usage;
  return error instanceof RefusedToStart ? commandExitCodes.refused : commandExitCodes.failed;
}
