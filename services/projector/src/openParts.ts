import { type Ledger, openLedger } from '@emend/ledger';
import { type Broker, connect, type ConnectOptions, LogError } from '@emend/log';
import { type Config, RefusedToStart } from '@emend/runtime';
import type { ProjectorCode } from './codes.js';
import type { ProjectorConfig } from './config.js';
import { PROJECTION_VERSION } from './domain/generation.js';
import { viewNames } from './domain/rows.js';
import type { Views } from './ports.js';

type Settings = Config<ProjectorConfig>;

export const openBroker = (
  { natsUrl, natsCredentials, stream }: Settings,
  how: Pick<ConnectOptions, 'connectBoundMs' | 'signal' | 'onStatus'>,
): Promise<Broker> =>
  connect({
    servers: natsUrl,
    credentialsFile: natsCredentials,
    name: 'projector',
    stream,
    ...how,
  });

/** Binds to both views. @throws RefusedToStart `views_missing` where one does not exist: bootstrap makes them. */
export async function bindViews(broker: Pick<Broker, 'view'>): Promise<Views> {
  try {
    const bound = await Promise.all(viewNames.map(async (name) => [name, await broker.view(name)] as const));
    // One entry for each name of the list.
    return Object.fromEntries(bound) as unknown as Views;
  } catch (error) {
    if (error instanceof LogError && error.code === 'view_missing') throw new RefusedToStart('views_missing' satisfies ProjectorCode);
    throw error;
  }
}

/** The fold under a path, for this process alone. */
export const openFold = (file: string, bytesMax: number): Ledger =>
  openLedger({ file, bytesMax, version: `projection ${PROJECTION_VERSION}`, views: viewNames });
