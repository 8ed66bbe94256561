import { type OpenedSandbox, openSandbox, type Sandbox, sandboxedModel, type SandboxOptions } from '@emend/agents';
import { type EventRead, places, subjects } from '@emend/contracts';
import { type Broker, connect, type ConnectOptions, type StoredEvent } from '@emend/log';
import { goesOn, logAppender, logReader, type PlaceReader, randomClaimant, type StartEvents, startEvents } from '@emend/runs';
import {
  type Config,
  connectionStatus,
  type LifeOptions,
  runConsumerLoop,
  sleep,
  type StartContext,
  systemClock,
  systemTimers,
} from '@emend/runtime';
import { brokerIncidents } from './adapters/brokerIncidents.js';
import { chooseGenerator } from './adapters/chooseGenerator.js';
import { namesEndpoint, repairAgentConfig } from './config.js';
import { type Activation, type ActivationFacts, decideActivation, outcomes } from './domain/activation.js';
import { CompiledContracts } from './domain/compiledContracts.js';
import type { StartPosition } from './domain/startPosition.js';
import { repairAgentLogFields, repairEvents } from './events.js';
import { handleRepairRequest, type RepairDeps } from './handleRepairRequest.js';
import { setAsideRequest } from './setAsideRequest.js';

type Settings = Config<typeof repairAgentConfig>;
type Context = StartContext<typeof repairAgentConfig>;

/** How long a start asks for its declaration, so that it may be declared while the service comes up. */
const declarationWaitMsDefault = 10_000;
const declarationPauseMs = 250;
/** Heartbeats that a living winner of a claim has, before the loser's message may come back. */
const claimLostHeartbeats = 3;

/** Keys that no run has: the proof must be refused before anything is stored. */
const probe = { run: 'probe', policy: 'probe' };
/** What is read of a request, all but its source: which kinds of sources may be read is the host's to say. */
const readProbes = [
  subjects.runStarted({ producer: 'probe', run: 'probe' }),
  subjects.runEnded({ producer: 'probe', run: 'probe' }),
  subjects.contract({ id: 'probe', version: 1 }),
  subjects.repairStarted(probe),
  subjects.correction(probe),
];

export interface LifeChange {
  readonly declarationWaitMs?: number;
  /** Where a test has another sandbox, or none. */
  readonly open?: (options: SandboxOptions) => Promise<OpenedSandbox>;
}

/** The repair agent as a process: the only place that wires. */
export function repairAgentLife(
  env: NodeJS.ProcessEnv,
  { declarationWaitMs = declarationWaitMsDefault, open = openSandbox }: LifeChange = {},
): LifeOptions<typeof repairAgentConfig> {
  return {
    name: 'repair-agent',
    env,
    config: repairAgentConfig,
    logFields: repairAgentLogFields,
    start: (context) => start(context, { declarationWaitMs, open, namesEndpoint: namesEndpoint(env) }),
  };
}

async function start(context: Context, change: Required<LifeChange> & { readonly namesEndpoint: boolean }) {
  const { config } = context;
  const events = startEvents(context, { service: 'repair_agent', outcomes });
  const settings = { ...config, namesEndpoint: change.namesEndpoint };
  let facts: ActivationFacts = { declaration: 'not_read', sandbox: 'not_opened' };
  // Without a connection: what is switched off needs no broker to be healthy (T61).
  if (!goesOn(decideActivation(settings, facts), events)) return;

  const { onStatus, connected } = connectionStatus(context);
  const broker = await openBroker(config, { signal: context.signal, onStatus });
  connected();
  context.defer(() => broker.close());
  const reader = logReader(broker.log);
  facts = { ...facts, declaration: await readDeclaration(reader, context, change.declarationWaitMs) };
  // Told to stop while it asked, it stays as it is.
  if (facts.declaration === 'not_read' || !goesOn(decideActivation(settings, facts), events)) return;

  // Found here, a missing permission costs no delivery of any message.
  await Promise.all(readProbes.map((place) => reader.get(place)));
  await broker.proveWrite([subjects.repairStarted(probe), subjects.correction(probe)]);
  const opened = await change.open({ nestedNamespaces: config.nestedNamespaces });
  if (opened.kind === 'unavailable') events.sandboxUnavailable(opened);
  const activation = decideActivation(settings, { ...facts, sandbox: opened });
  if (!goesOn(activation, events) || activation.kind !== 'ready' || opened.kind !== 'ready') return;
  events.sandboxReady(opened.sandbox.digests);
  return serve(context, { broker, sandbox: opened.sandbox, starting: events }, activation);
}

const openBroker = ({ natsUrl, natsCredentials, stream }: Settings, how: Pick<ConnectOptions, 'signal' | 'onStatus'>): Promise<Broker> =>
  connect({ servers: natsUrl, credentialsFile: natsCredentials, name: 'repair-agent', stream, ...how });

/** The agent's own declaration. Told to stop while it asks, it has read nothing. */
async function readDeclaration(reader: PlaceReader, { config, signal }: Context, waitMs: number): Promise<EventRead | null | 'not_read'> {
  const [id = '', version] = config.agent.split('@');
  const place = subjects.agent({ id, version: Number(version) });
  let placed = await reader.get(place);
  for (let waitedMs = 0; placed === null && waitedMs < waitMs; waitedMs += declarationPauseMs) {
    if ((await sleep(declarationPauseMs, signal)) === 'aborted') return 'not_read';
    placed = await reader.get(place);
  }
  return placed?.read ?? null;
}

interface Ground {
  readonly broker: Broker;
  readonly sandbox: Sandbox;
  readonly starting: StartEvents;
}

/** From an activation that is ready to the loop that runs. */
async function serve(context: Context, { broker, sandbox, starting }: Ground, activation: Extract<Activation, { kind: 'ready' }>) {
  const { config, log, metrics, signal } = context;
  const { agent, model } = activation;
  const events = repairEvents(context);
  const position = await startPosition(config, broker);
  const upstream = await chooseGenerator({ config, model, tier: agent.tier, timers: systemTimers, events: { ...events, ...starting } });
  const generator = sandboxedModel({ upstream, launcher: sandbox, onRun: (request, record) => events.workerEnded(request, record) });
  const deps: RepairDeps = {
    agent,
    contracts: new CompiledContracts(),
    position,
    sandbox: sandbox.digests,
    generator,
    events,
    reader: logReader(broker.log),
    appender: logAppender(broker.log),
    incidents: brokerIncidents(broker, { clock: systemClock, events }),
    clock: systemClock,
    timers: systemTimers,
    newClaimant: randomClaimant,
    stopping: signal,
    waitMaxMs: config.waitMaxMs,
    claimLostRetryMs: claimLostHeartbeats * config.heartbeatMs,
  };
  log.info('repair_agent.wired', {
    reads: places.repairRequested.stem,
    writes: `${places.repairStarted.stem} ${places.correction.stem}`,
    agent: config.agent,
    adapter: generator.identity.executionAdapter,
    catalog: generator.identity.catalog.digest,
    slots: config.slots,
    ...position,
    server: broker.serverVersion,
  });
  starting.activation(activation);
  const running = runConsumerLoop<StoredEvent>({
    // One, whatever the slots: a message that waits here for a slot has no heartbeat. Its ack wait runs out, another replica
    // claims it, and this one then finds a foreign claim and gives up a request whose holder lives.
    deliveries: broker.log.consume({ durable: config.durable, signal, prefetch: 1 }),
    handle: (stored, delivery) => handleRepairRequest(deps, stored, delivery),
    setAside: (stored, why) => setAsideRequest(deps, stored, why),
    slots: config.slots,
    heartbeatMs: config.heartbeatMs,
    signal,
    log,
    metrics: metrics.loop('repair_requested'),
    describe: ({ subject, sequence }) => ({ subject, sequence }),
  });
  // Inside an object: a promise for a promise does not exist.
  return { running };
}

async function startPosition({ startSequence, abandonBefore }: Settings, { log }: Broker): Promise<StartPosition> {
  return { start: startSequence === 'now' ? (await log.lastSequence()) + 1 : startSequence, abandonBefore };
}
