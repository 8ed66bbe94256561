#!/usr/bin/env node
import { ContractsError } from '@emend/contracts';
import { ClientError } from '@emend/client';
import { LogError } from '@emend/log';
import { describeError } from '@emend/runtime';
import { CommanderError } from 'commander';
import { disguiseIds } from './argumentIds.js';
import { CliError } from './errors.js';
import { exitCodeOf, exitCodes } from './exitCodes.js';
import { buildProgram, type Run } from './program.js';
import { createVoice } from './terminal/voice.js';

const signals = ['SIGINT', 'SIGTERM'] as const;
/** What a shell reports of a program that a signal ended. */
const endedBySignal = 130;

const run: Run = {
  once: (work) => carryOut(work, new AbortController().signal),
  untilStopped(work) {
    const aborter = new AbortController();
    for (const name of signals) process.on(name, () => (aborter.signal.aborted ? process.exit(endedBySignal) : aborter.abort()));
    return carryOut(work, aborter.signal);
  },
};

async function carryOut(work: Parameters<Run['once']>[0], signal: AbortSignal): Promise<void> {
  const json = process.argv.includes('--json');
  const voice = createVoice({ json, out: process.stdout, err: process.stderr });
  process.exitCode = await work({ env: process.env, voice, json, signal });
}

// A reader that has seen enough, such as `head`, is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? exitCodes.ok : exitCodes.failed));

try {
  await buildProgram(run).parseAsync(disguiseIds(process.argv));
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  else {
    process.stderr.write(`emend: ${wordsOf(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}

/** Our own errors name codes and places, never payload text; of any other only its name is safe to print. */
function wordsOf(error: unknown): string {
  if (error instanceof CliError || error instanceof ClientError || error instanceof ContractsError) return error.message;
  if (error instanceof LogError) return `${error.code}: ${error.message}`;
  const { error: name, code, at } = describeError(error);
  return `${code ?? name}${at ? ` at ${at}` : ''}`;
}
