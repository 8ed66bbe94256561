import { places, type PolicyDefinition, subjects } from '@emend/contracts';
import { type Broker, connect, type ConnectOptions, type StoredEvent } from '@emend/log';
import {
  type Config,
  connectionStatus,
  type LifeOptions,
  type Logger,
  type LoopEnd,
  type Metrics,
  RefusedToStart,
  runConsumerLoop,
  type StartContext,
  systemClock,
  type Timers,
} from '@emend/runtime';
import { brokerIncidents } from './adapters/brokerIncidents.js';
import { livePatienceMs, logEventReader } from './adapters/logEventReader.js';
import { logRequestAppender } from './adapters/logRequestAppender.js';
import { loadPolicies } from './adapters/policyFile.js';
import { coordinatorConfig } from './config.js';
import { coordinatorEvents, coordinatorLogFields } from './events.js';
import { handleRunEnded } from './handleRunEnded.js';
import { setAsideRunEnded } from './setAsideRunEnded.js';
import { differingPolicies } from './policyInForce.js';
import type { EventReader } from './ports.js';

/** Half of the shortest ack wait that bootstrap gives a durable. */
const heartbeatMs = 15_000;

/** A key that no run has: the probe must be refused before anything is stored. */
const probe = subjects.repairRequested({ run: 'probe', policy: 'probe' });
/** What a run refers to, all but its source: which kinds of sources may be read is the host's to say. */
const readProbes = [
  subjects.runStarted({ producer: 'probe', run: 'probe' }),
  subjects.agent({ id: 'probe', version: 1 }),
  subjects.contract({ id: 'probe', version: 1 }),
];

/** The coordinator as a process: the only place that wires. */
export function coordinatorLife(env: NodeJS.ProcessEnv): LifeOptions<typeof coordinatorConfig> {
  return { name: 'coordinator', env, config: coordinatorConfig, logFields: coordinatorLogFields, start };
}

/** Opens a connection as the settings say; without a bound it waits for a broker as long as it takes. */
export async function openBroker(
  config: Config<typeof coordinatorConfig>,
  as: Pick<ConnectOptions, 'name' | 'connectBoundMs' | 'signal' | 'onStatus'>,
): Promise<Broker> {
  return connect({ servers: config.natsUrl, credentialsFile: config.natsCredentials, stream: config.stream, ...as });
}

async function start({ config, log, metrics, health, signal, defer }: StartContext<typeof coordinatorConfig>) {
  const definitions = await loadPolicies(config.policyFile);
  const { onStatus, connected } = connectionStatus({ log, health });
  const broker = await openBroker(config, { name: 'coordinator', signal, onStatus });
  defer(() => broker.close());

  const reader = logEventReader({ log: broker.log, patienceMs: livePatienceMs, signal });
  const differing = await differingPolicies(reader, definitions);
  if (differing.length > 0) throw new RefusedToStart('policy_definition_changed');
  // Found here, a missing permission costs no delivery of any message.
  await Promise.all(readProbes.map((place) => reader.get(place)));
  await broker.proveWrite([probe]);

  log.info('coordinator.wired', {
    reads: places.runEnded.stem,
    writes: places.repairRequested.stem,
    policy: definitions.map((policy) => `${policy.id}@${policy.version}`).join(' '),
    server: broker.serverVersion,
  });
  connected();
  return { running: coordinateRuns({ broker, reader, definitions, config, log, metrics, signal }) };
}

export interface Coordinating {
  readonly broker: Pick<Broker, 'log' | 'store'>;
  readonly reader: EventReader;
  readonly definitions: readonly PolicyDefinition[];
  readonly config: Pick<Config<typeof coordinatorConfig>, 'durable' | 'slots'>;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
  readonly timers?: Timers;
}

/** Handles ended runs as they come, until the signal or the first reason to stop. */
export function coordinateRuns({ broker, reader, definitions, config, log, metrics, signal, timers }: Coordinating): Promise<LoopEnd> {
  const incidents = brokerIncidents(broker, systemClock);
  const requests = logRequestAppender(broker.log, incidents);
  const events = coordinatorEvents(log, metrics);
  return runConsumerLoop<StoredEvent>({
    deliveries: broker.log.consume({ durable: config.durable, signal, prefetch: config.slots }),
    handle: (stored) => handleRunEnded({ reader, requests, definitions, events }, stored),
    setAside: (stored, why) => setAsideRunEnded({ reader, definitions, incidents }, stored, why),
    slots: config.slots,
    heartbeatMs,
    signal,
    log,
    metrics: metrics.loop('run_ended'),
    describe: ({ subject, sequence }) => ({ subject, sequence }),
    ...(timers && { timers }),
  });
}
