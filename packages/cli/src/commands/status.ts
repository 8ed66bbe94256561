import { listRows } from '@emend/client';
import type { Broker } from '@emend/log';
import { exitCodes } from '../exitCodes.js';
import { withBroker } from '../stack/brokerUrl.js';
import type { CommandContext } from './context.js';

/** Where the log and the views stand. */
export async function statusCommand({ env, voice }: CommandContext): Promise<number> {
  const status = await withBroker(env, readStatus);
  const counts = Object.entries(status.effective).map(([state, count]) => `${state} ${count}`);
  voice.result(
    status,
    [
      `server ${status.server}, ${status.lastSequence} events in the log`,
      `effective outputs: ${counts.join(', ') || 'none'} (the newest rests on event ${status.foldedUpTo})`,
      `review queue: ${status.awaiting} awaiting, ${status.contested} contested`,
    ].join('\n'),
  );
  return exitCodes.ok;
}

async function readStatus(broker: Broker) {
  const effective = await listRows(await broker.view('effective-output'));
  const review = await listRows(await broker.view('review-queue'));
  const counts: Record<string, number> = {};
  for (const { row } of effective) counts[String(row['status'])] = (counts[String(row['status'])] ?? 0) + 1;
  return {
    server: broker.serverVersion,
    lastSequence: await broker.log.lastSequence(),
    foldedUpTo: Math.max(0, ...effective.map(({ position }) => position)),
    effective: counts,
    awaiting: review.filter(({ row }) => row['state'] === 'awaiting').length,
    contested: review.filter(({ row }) => row['state'] === 'contested').length,
  };
}
