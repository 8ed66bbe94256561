#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { ConfigError, describeError, RefusedToStart, runProcess } from '@emend/runtime';
import { rebuildCommand, rebuildExitCodes } from './rebuildCommand.js';
import { progressWriter } from './rebuildLines.js';
import { projectorLife } from './service.js';

const USAGE = 'usage: emend-projector [serve | rebuild [--json]]\n';

const [command = 'serve', ...args] = process.argv.slice(2);
if (command === 'serve' && args.length === 0) await runProcess(projectorLife(process.env));
else if (command === 'rebuild') await rebuild();
else wrongUse();

async function rebuild(): Promise<void> {
  const options = readOptions();
  if (options === null) return wrongUse();
  const stopping = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort());
  try {
    process.exitCode = await rebuildCommand({
      env: process.env,
      json: options.json,
      signal: stopping.signal,
      say: (line) => process.stdout.write(`${line}\n`),
      // Beside the result, so that `--json` leaves one line on standard output.
      progress: progressWriter({ isTTY: process.stderr.isTTY === true, write: (text) => process.stderr.write(text) }),
    });
  } catch (error) {
    process.exitCode = tell(error);
  }
}

function readOptions(): { readonly json: boolean } | null {
  try {
    return { json: parseArgs({ args, options: { json: { type: 'boolean', default: false } } }).values.json };
  } catch {
    return null;
  }
}

/** What the caller can do about it. Codes only: a message may quote what it met. */
function tell(error: unknown): number {
  const { error: name, code } = describeError(error);
  if (error instanceof ConfigError)
    for (const { name: setting, expected } of error.problems) process.stderr.write(`${setting}: expected ${expected}\n`);
  const advice = code === 'views_missing' || code === 'stream_missing' ? ': run `emend bootstrap`' : '';
  process.stderr.write(`emend-projector: ${code ?? name}${advice}\n`);
  if (error instanceof ConfigError) return rebuildExitCodes.badConfig;
  return error instanceof RefusedToStart ? rebuildExitCodes.refused : rebuildExitCodes.failed;
}

function wrongUse(): void {
  process.stderr.write(USAGE);
  process.exitCode = rebuildExitCodes.badConfig;
}
