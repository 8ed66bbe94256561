import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Why the repair agent takes no request on this machine, from its own log; null where it does. */
export async function sandboxReason(dataDir: string): Promise<string | null> {
  const log = await readFile(join(dataDir, 'logs', 'repair-agent.log'), 'utf8').catch(() => '');
  const line = log.split('\n').find((one) => one.includes('"repair_agent.sandbox_unavailable"'));
  if (line === undefined) return null;
  const { code, misses, said } = JSON.parse(line) as Readonly<Record<string, string>>;
  return [code, misses, said].filter((part) => part !== undefined && part !== '').join(': ');
}
