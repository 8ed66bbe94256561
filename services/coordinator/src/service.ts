import { encodeIncident, places, subjects } from '@emend/contracts';
import { type Broker, connect, type StoredEvent } from '@emend/log';
import { type Config, done, type LifeOptions, RefusedToStart, runConsumerLoop, type StartContext, systemClock } from '@emend/runtime';
import { livePatienceMs, logEventReader } from './adapters/logEventReader.js';
import { logRequestAppender } from './adapters/logRequestAppender.js';
import { loadPolicies } from './adapters/policyFile.js';
import { coordinatorConfig } from './config.js';
import { coordinatorEvents, coordinatorLogFields } from './events.js';
import { handleRunEnded } from './handleRunEnded.js';
import { differingPolicies } from './policyInForce.js';

/** Half of the shortest ack wait that bootstrap gives a durable. */
const heartbeatMs = 15_000;

/** A key that no run has: the probe must be refused before anything is stored. */
const probe = subjects.repairRequested({ run: 'probe', policy: 'probe' });

/** The coordinator as a process: the only place that wires. */
export function coordinatorLife(env: NodeJS.ProcessEnv): LifeOptions<typeof coordinatorConfig> {
  return { name: 'coordinator', env, config: coordinatorConfig, logFields: coordinatorLogFields, start };
}

/** Opens a connection as the settings say. */
export async function openBroker(config: Config<typeof coordinatorConfig>, name: string): Promise<Broker> {
  return connect({ servers: config.natsUrl, credentialsFile: config.natsCredentials, name, stream: config.stream });
}

async function start({ config, log, metrics, health, signal, defer }: StartContext<typeof coordinatorConfig>) {
  const definitions = await loadPolicies(config.policyFile);
  const broker = await openBroker(config, 'coordinator');
  defer(() => broker.close());

  const reader = logEventReader({ log: broker.log, patienceMs: livePatienceMs, signal });
  const differing = await differingPolicies(reader, definitions);
  if (differing.length > 0) throw new RefusedToStart('policy_definition_changed');
  await broker.proveWrite([probe]);

  const events = coordinatorEvents(log, metrics);
  const requests = logRequestAppender(broker, systemClock);
  log.info('coordinator.wired', {
    reads: places.runEnded.stem,
    writes: places.repairRequested.stem,
    policy: definitions.map((policy) => `${policy.id}@${policy.version}`).join(' '),
    server: broker.serverVersion,
  });
  health.set('log', { ok: true });

  const running = runConsumerLoop<StoredEvent>({
    deliveries: broker.log.consume({ durable: config.durable, signal, prefetch: config.slots }),
    handle: (stored) => handleRunEnded({ reader, requests, definitions, events }, stored),
    setAside: async (stored, { code, deliveries }) => {
      const incident = encodeIncident({
        service: 'coordinator',
        code,
        subject: stored.subject,
        sequence: stored.sequence,
        deliveries,
        time: new Date(systemClock.now()).toISOString(),
      });
      await broker.store(incident.subject, incident.bytes);
      return done;
    },
    slots: config.slots,
    heartbeatMs,
    signal,
    log,
    metrics: metrics.loop('run_ended'),
    describe: ({ subject, sequence }) => ({ subject, sequence }),
  });
  return { running };
}
