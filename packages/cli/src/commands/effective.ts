import { getRow, listRows, type ViewRow, watchRows } from '@emend/client';
import { exitCodes } from '../exitCodes.js';
import { withBroker } from '../stack/brokerUrl.js';
import type { CommandContext } from './context.js';

/** The views that a person can look at. */
export type ViewName = 'effective-output' | 'review-queue';

export async function getCommand({ env, voice }: CommandContext, bucket: ViewName, run: string): Promise<number> {
  const found = await withBroker(env, async (broker) => getRow(await broker.view(bucket), run));
  voice.result(found, found ? JSON.stringify(found.row, null, 2) : `${run}: no row in ${bucket}`);
  return found ? exitCodes.ok : exitCodes.notFound;
}

export async function listCommand({ env, voice }: CommandContext, bucket: ViewName): Promise<number> {
  const rows = await withBroker(env, async (broker) => listRows(await broker.view(bucket)));
  const open = rows.filter(({ row }) => row['closed'] !== true);
  voice.result(open, open.map(rowText).join('\n') || 'no rows');
  return exitCodes.ok;
}

/** Current rows, then changes until Ctrl-C; one JSON document a line with `--json`. */
export async function watchCommand({ env, voice, signal }: CommandContext, bucket: ViewName): Promise<number> {
  await withBroker(env, async (broker) => {
    for await (const change of watchRows(await broker.view(bucket), signal)) {
      if (change === 'current') voice.say('-- current; now changes');
      else voice.result(change, rowText(change));
    }
  });
  return exitCodes.ok;
}

function rowText({ row, position }: ViewRow): string {
  const state = wordOf(row['status'] ?? row['state'] ?? 'closed');
  return `${row.run}  ${state.padEnd(10)} ${wordOf(row['authority'] ?? '-').padEnd(8)} at ${position}`;
}

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : '?');
