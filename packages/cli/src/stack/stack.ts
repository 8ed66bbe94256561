import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bootstrap, type Definitions } from '@emend/log';
import { type RunningServer, resolveServer, startServer } from '@emend/log/server';
import { CliError } from '../errors.js';
import { connectBoundMs, credentialsFileOf, urlFile, withoutPassword } from './brokerUrl.js';
import { readDefinitions, type ServiceName, serviceNames } from './home.js';
import { type ServiceProcess, startService } from './serviceProcess.js';

export interface StackOptions {
  readonly home: string;
  /** Everything the stack writes. */
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Settings beside the ones below, by service. */
  readonly settings?: Partial<Record<ServiceName, NodeJS.ProcessEnv>>;
  readonly services?: readonly ServiceName[];
  /** What bootstrap asks for; the shipped definitions, when absent. */
  readonly definitions?: Definitions;
  /** Runs after bootstrap and before the services start: declarations. */
  readonly beforeServices?: (url: string) => Promise<void>;
  readonly say: (line: string) => void;
  /** Ends the wait for a broker. */
  readonly signal?: AbortSignal;
}

export interface Stack {
  readonly url: string;
  readonly services: readonly ServiceProcess[];
  /** Ends the services, then the broker if it is ours, in reverse order. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Starts everything on this machine: a broker (unless EMEND_NATS_URL names one), bootstrap, and the services.
 * For development: one account, so a service's credential is trusted with the whole log.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { home, dataDir, say } = options;
  await mkdir(join(dataDir, 'logs'), { recursive: true }).catch(() => {
    throw new CliError('data_unusable', dataDir, 'a folder that can be written');
  });
  const server = await openServer(options);
  const url = server.url;
  const started: ServiceProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const service of started.splice(0).reverse()) await service.stop();
    await rm(urlFile(dataDir), { force: true });
    await server.stop();
  };
  try {
    const report = await bootstrap({
      servers: url,
      credentialsFile: credentialsFileOf(options.env),
      connectBoundMs,
      ...(options.signal ? { signal: options.signal } : {}),
      definitions: options.definitions ?? (await definitionsFor(options)),
    });
    say(`bootstrap: ${report.created.length} made, ${report.present.length} present, all as asked (server ${report.serverVersion})`);
    await options.beforeServices?.(url);
    for (const service of options.services ?? serviceNames)
      started.push(startService({ home, service, ...processOf(options, service, url) }));
    await Promise.all(started.map(({ ready }) => ready));
    say(`services ready: ${started.map(({ service }) => service).join(', ')}`);
    await writeFile(urlFile(dataDir), url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, services: [...started], stop };
}

async function openServer({ home, dataDir, env, say }: StackOptions): Promise<Pick<RunningServer, 'url' | 'stop'>> {
  const resolved = await resolveServer({ env, folder: join(home, '.emend'), allowInstall: false, say });
  if (resolved.kind === 'url') {
    say(`nats-server: the one at ${withoutPassword(resolved.url)}`);
    return { url: withoutPassword(resolved.url), stop: async () => {} };
  }
  return startServer({ binary: resolved.binary, storeDir: join(dataDir, 'jetstream'), ownGroup: true, say });
}

/** What an embedded server reserves of the disk for one stream or bucket, at most, in bytes. Production reserves what it needs. */
const embeddedBytesMax = 268_435_456;

async function definitionsFor({ home, env }: StackOptions): Promise<Definitions> {
  const shipped = await readDefinitions(home);
  if (env['EMEND_NATS_URL']) return shipped;
  const modest = <Part extends { readonly maxBytes: number }>(part: Part): Part => ({
    ...part,
    maxBytes: Math.min(part.maxBytes, embeddedBytesMax),
  });
  return {
    ...shipped,
    streams: shipped.streams.map(modest),
    buckets: shipped.buckets.map(modest),
    objects: (shipped.objects ?? []).map(modest),
  };
}

/** The settings of one service in this stack: what the environment says, else files in the data folder. */
export function processOf(
  { dataDir, env, settings }: Pick<StackOptions, 'dataDir' | 'env' | 'settings'>,
  service: ServiceName,
  url: string,
): { readonly env: NodeJS.ProcessEnv; readonly logFile: string } {
  return {
    logFile: join(dataDir, 'logs', `${service}.log`),
    env: {
      EMEND_PROJECTOR_FILE: join(dataDir, 'projector.sqlite'),
      EMEND_EXPORTER_FILE: join(dataDir, 'exporter.sqlite'),
      EMEND_EXPORT_DIR: join(dataDir, 'export'),
      ...env,
      EMEND_NATS_URL: url,
      ...settings?.[service],
    },
  };
}
