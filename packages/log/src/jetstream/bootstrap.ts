import {
  type ConsumerConfig,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { compareEcho } from '../definitions/compareEcho.js';
import type { BootstrapReport, Definitions, DurableDefinition } from '../definitions/definitions.js';
import { bucketConfig, durableConfig, objectsConfig, streamConfig, type WireConfig } from '../definitions/wireConfig.js';
import { LogError } from '../errors.js';
import { CALL_TIMEOUT_MS } from '../limits.js';
import { checkServerVersion } from '../serverVersion.js';
import { type DialOptions, dial } from './dial.js';
import { isConsumerNotFound, isStreamNotFound, toLogError } from './faults.js';

export interface BootstrapOptions extends Omit<DialOptions, 'name'> {
  readonly name?: string;
  readonly definitions: Definitions;
}

const NOT_ENOUGH_STORAGE = 10047;

/**
 * Makes what is absent, changes nothing that stands, and compares all of it with what was asked. Throws
 * `definition_differs` with every difference: a service must not start on a log that keeps other promises.
 */
export async function bootstrap(options: BootstrapOptions): Promise<BootstrapReport> {
  const nc = await dial({ ...options, name: options.name ?? 'bootstrap' });
  try {
    const serverVersion = nc.info?.version ?? 'unknown';
    checkServerVersion(serverVersion, mostReplicas(options.definitions));
    const api = { timeout: CALL_TIMEOUT_MS, ...(options.apiPrefix === undefined ? {} : { apiPrefix: options.apiPrefix }) };
    const jsm = await jetstreamManager(nc, { ...api, checkAPI: false });
    return { serverVersion, ...(await settle(jsm, options.definitions)) };
  } finally {
    await nc.close();
  }
}

interface Settled {
  readonly name: string;
  readonly wasAbsent: boolean;
  readonly differences: readonly string[];
}

/** Streams before durables, and the durables of a stream only where the stream is right. */
async function settle(jsm: JetStreamManager, definitions: Definitions): Promise<Pick<BootstrapReport, 'created' | 'present'>> {
  const settled: Settled[] = [];
  const configs = [
    ...definitions.streams.map(streamConfig),
    ...definitions.buckets.map(bucketConfig),
    ...(definitions.objects ?? []).map(objectsConfig),
  ];
  for (const config of configs) settled.push(await settleStream(jsm, config));
  refuseDifferences(settled);
  for (const durable of definitions.durables) settled.push(await settleDurable(jsm, durable));
  refuseDifferences(settled);
  const named = (wasAbsent: boolean): string[] => settled.filter((s) => s.wasAbsent === wasAbsent).map((s) => s.name);
  return { created: named(true), present: named(false) };
}

function refuseDifferences(settled: readonly Settled[]): void {
  const differences = settled.flatMap((s) => s.differences);
  if (differences.length === 0) return;
  throw new LogError('definition_differs', `the broker holds something else: ${differences.join('; ')}`, differences);
}

async function settleStream(jsm: JetStreamManager, asked: WireConfig): Promise<Settled> {
  const name = String(asked['name']);
  const title = `stream ${name}`;
  const found = await orNull(() => jsm.streams.info(name), isStreamNotFound, title);
  const info = found ?? (await addStream(jsm, asked, title));
  return { name: title, wasAbsent: found === null, differences: compareEcho(title, asked, { ...info.config }) };
}

async function addStream(jsm: JetStreamManager, asked: WireConfig, title: string): Promise<StreamInfo> {
  try {
    // The cast is sound: `asked` is this package's own spelling of a stream configuration.
    return await jsm.streams.add(asked as Partial<StreamConfig> & { name: string });
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.code !== NOT_ENOUGH_STORAGE) throw toLogError(error, title);
    const needed = `needs ${Number(asked['max_bytes']) * Number(asked['num_replicas'])} bytes`;
    const there = await storageThere(jsm);
    const details = [title, needed, ...there];
    throw new LogError(
      'broker_refused',
      `${title}: the server has less storage than maxBytes reserves (${details.slice(1).join(', ')})`,
      details,
    );
  }
}

/** What the account may store and what is taken, as far as the broker tells: its own limit it keeps to itself. */
async function storageThere(jsm: JetStreamManager): Promise<string[]> {
  try {
    const { limits, storage, ...info } = await jsm.getAccountInfo();
    const limit = limits.max_storage > 0 ? [`the account may store ${limits.max_storage}`] : [];
    // Old servers do not tell what is reserved.
    const reserved = info.reserved_storage as number | undefined;
    return [...limit, reserved === undefined ? `stored are ${storage}` : `reserved are ${reserved}`];
  } catch {
    return [];
  }
}

/** Looked for first, because a create request for a durable that stands changes it silently on old servers. */
async function settleDurable(jsm: JetStreamManager, durable: DurableDefinition): Promise<Settled> {
  const asked = durableConfig(durable);
  const title = `durable ${durable.name}`;
  const found = await orNull(() => jsm.consumers.info(durable.stream, durable.name), isConsumerNotFound, title);
  const info = found ?? (await orThrow(() => jsm.consumers.add(durable.stream, asked as Partial<ConsumerConfig>), title));
  return { name: title, wasAbsent: found === null, differences: compareEcho(title, asked, { ...info.config }) };
}

async function orNull<T>(ask: () => Promise<T>, isAbsent: (error: unknown) => boolean, title: string): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (isAbsent(error)) return null;
    throw toLogError(error, title);
  }
}

async function orThrow<T>(ask: () => Promise<T>, title: string): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw toLogError(error, title);
  }
}

function mostReplicas(definitions: Definitions): number {
  return Math.max(1, ...[...definitions.streams, ...definitions.buckets, ...(definitions.objects ?? [])].map((d) => d.replicas));
}
