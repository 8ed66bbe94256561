import { parseArgs } from 'node:util';
import { rebuildCommand } from './rebuildCommand.js';
import { progressWriter } from './rebuildLines.js';

/** `rebuild` of this process: its environment, its signals, its two outputs. */
export async function rebuildHere(args: readonly string[]): Promise<number> {
  const { json } = parseArgs({ args: [...args], options: { json: { type: 'boolean', default: false } } }).values;
  const stopping = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort());
  return rebuildCommand({
    env: process.env,
    json,
    signal: stopping.signal,
    say: (line) => process.stdout.write(`${line}\n`),
    // Beside the result, so that `--json` leaves one line on standard output.
    progress: progressWriter({ isTTY: process.stderr.isTTY === true, write: (text) => process.stderr.write(text) }),
  });
}
