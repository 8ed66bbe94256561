import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceName } from '@emend/cli';
import { type Tally, tally } from './counts.js';

interface LogLine {
  readonly event?: string;
  readonly outcome?: string;
  readonly code?: string;
  readonly misses?: string;
  readonly said?: string;
}

/** What a service of the demo's stack logged so far. */
async function logLines(dataDir: string, service: ServiceName): Promise<readonly LogLine[]> {
  const log = await readFile(join(dataDir, 'logs', `${service}.log`), 'utf8').catch(() => '');
  return log.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as LogLine] : []));
}

/** Why the runner takes no source on this machine, from its own log; null where it does. The repair agent says the same. */
export async function sandboxReason(dataDir: string): Promise<string | null> {
  const lines = await logLines(dataDir, 'runner');
  const line = lines.find(({ event }) => event === 'runner.sandbox_unavailable');
  if (line === undefined) return null;
  return [line.code, line.misses, line.said].filter((part) => part !== undefined && part !== '').join(': ');
}

/** What a service's player of recordings was asked, by outcome. */
export async function playedBy(dataDir: string, service: 'runner' | 'repair-agent'): Promise<Tally> {
  const event = service === 'runner' ? 'run.recording_asked' : 'repair.recording_asked';
  return tally((await logLines(dataDir, service)).flatMap((line) => (line.event === event ? [line.outcome ?? ''] : [])));
}
