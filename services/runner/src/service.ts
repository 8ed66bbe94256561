import { type OpenedSandbox, openSandbox, type Sandbox, type SandboxOptions, randomClaimant } from '@emend/agents';
import { places, subjects } from '@emend/contracts';
import { type Broker, connect, type ConnectOptions, type StoredEvent } from '@emend/log';
import {
  type Config,
  connectionStatus,
  LOOP_DRAIN_MAX_MS,
  type LifeOptions,
  RefusedToStart,
  runConsumerLoop,
  sleep,
  type StartContext,
  systemClock,
  systemTimers,
} from '@emend/runtime';
import { answeringOf } from './adapters/answering.js';
import { logAppender, logReader } from './adapters/logPlaces.js';
import { quarantineView } from './adapters/quarantineView.js';
import { runTrace } from './adapters/runTrace.js';
import { openTierModels } from './adapters/tierModels.js';
import type { RunnerDeps, RunningAgent } from './answerTrigger.js';
import { runnerConfig } from './config.js';
import {
  type Activation,
  type ActivationFacts,
  decideActivation,
  type DeclarationRead,
  type StandardAgent,
  type Undecided,
} from './domain/activation.js';
import { type RunnerEvents, runnerEvents, runnerLogFields } from './events.js';
import { handleTrigger, setAsideTrigger } from './handleTrigger.js';
import type { LogReader } from './ports.js';
import { type StartEvents, startEvents } from './startEvents.js';

type Settings = Config<typeof runnerConfig>;
type Context = StartContext<typeof runnerConfig>;

/** How long a start asks for its declarations, so that they may be declared while the service comes up. */
const declarationWaitMsDefault = 10_000;
const declarationPauseMs = 250;
/** Heartbeats that a living winner of a claim has, before the loser's message may come back. */
const claimLostHeartbeats = 3;
const quarantineBucket = 'quarantine';

export interface LifeChange {
  readonly declarationWaitMs?: number;
  /** How long calls in hand may go on once the process is told to stop. */
  readonly drainMaxMs?: number;
  /** Where a test has another sandbox, or none. */
  readonly open?: (options: SandboxOptions) => Promise<OpenedSandbox>;
}

/** The runner as a process: the only place that wires. */
export function runnerLife(
  env: NodeJS.ProcessEnv,
  { declarationWaitMs = declarationWaitMsDefault, drainMaxMs = LOOP_DRAIN_MAX_MS, open = openSandbox }: LifeChange = {},
): LifeOptions<typeof runnerConfig> {
  return {
    name: 'runner',
    env,
    config: runnerConfig,
    logFields: runnerLogFields,
    start: (context) => start(context, { declarationWaitMs, drainMaxMs, open }),
  };
}

async function start(context: Context, change: Required<LifeChange>) {
  const { config } = context;
  const starting = startEvents(context);
  const settings = { ...config, agents: config.agents ?? [] };
  let facts: ActivationFacts = { declarations: 'not_read', sandbox: 'not_opened' };
  // Without a connection: what is switched off needs no broker to be healthy.
  if (!goesOn(decideActivation(settings, facts), starting)) return;

  const { onStatus, connected } = connectionStatus(context);
  const broker = await openBroker(config, { signal: context.signal, onStatus });
  connected();
  context.defer(() => broker.close());
  facts = { ...facts, declarations: await readDeclarations(logReader(broker.log), settings.agents, context, change.declarationWaitMs) };
  // Told to stop while it asked, it stays as it is.
  if (facts.declarations === 'not_read' || !goesOn(decideActivation(settings, facts), starting)) return;

  // Found here, a missing permission costs no delivery of any message.
  const probe = { producer: config.producer, run: 'probe' };
  await broker.proveWrite([subjects.runStarted(probe), subjects.runEnded(probe)]);
  const opened = await change.open({ nestedNamespaces: config.nestedNamespaces });
  if (opened.kind === 'unavailable') starting.sandboxUnavailable(opened);
  const activation = decideActivation(settings, { ...facts, sandbox: opened });
  if (!goesOn(activation, starting) || activation.kind !== 'ready' || opened.kind !== 'ready') return;
  starting.sandboxReady(opened.sandbox.digests);
  return serve(context, { broker, sandbox: opened.sandbox, starting, drainMaxMs: change.drainMaxMs }, activation);
}

/** Whether a start goes on. What ends it is said; a refusal ends the process. */
function goesOn(decided: Activation | Undecided, events: StartEvents): boolean {
  if (decided.kind === 'needs_declarations' || decided.kind === 'needs_sandbox' || decided.kind === 'ready') return true;
  events.activation(decided);
  if (decided.kind === 'refuses') throw new RefusedToStart(decided.reason);
  return false;
}

const openBroker = ({ natsUrl, natsCredentials, stream }: Settings, how: Pick<ConnectOptions, 'signal' | 'onStatus'>): Promise<Broker> =>
  connect({ servers: natsUrl, credentialsFile: natsCredentials, name: 'runner', stream, ...how });

/** The named declarations and their contracts. Told to stop while it asks, it has read nothing. */
async function readDeclarations(
  reader: LogReader,
  names: readonly string[],
  { signal }: Context,
  waitMs: number,
): Promise<readonly DeclarationRead[] | 'not_read'> {
  let read = await Promise.all(names.map((name) => readDeclaration(reader, name)));
  for (let waitedMs = 0; read.some(isIncomplete) && waitedMs < waitMs; waitedMs += declarationPauseMs) {
    if ((await sleep(declarationPauseMs, signal)) === 'aborted') return 'not_read';
    read = await Promise.all(names.map((name) => readDeclaration(reader, name)));
  }
  return read;
}

const isIncomplete = ({ declaration, contract }: DeclarationRead): boolean => declaration === null || contract === null;

async function readDeclaration(reader: LogReader, name: string): Promise<DeclarationRead> {
  const [id = '', version] = name.split('@');
  const declaration = await reader.get(subjects.agent({ id, version: Number(version) }));
  const declared = declaration?.kind === 'event' && declaration.event.name === 'agentDeclared' ? declaration.event.data : null;
  return { declaration, contract: declared && (await reader.get(subjects.contract(declared.contract))) };
}

interface Ground {
  readonly broker: Broker;
  readonly sandbox: Sandbox;
  readonly starting: StartEvents;
  readonly drainMaxMs: number;
}

/** From an activation that is ready to the loop that runs. */
async function serve(context: Context, ground: Ground, activation: Extract<Activation, { kind: 'ready' }>) {
  const { config, log, metrics, signal } = context;
  const { broker, sandbox, starting, drainMaxMs } = ground;
  const events = runnerEvents(context);
  const deps: RunnerDeps = {
    producer: config.producer,
    agents: await runningAgents(context, ground, { agents: activation.agents, events }),
    attemptsMax: config.attemptsMax,
    startSequence: config.startSequence === 'now' ? (await broker.log.lastSequence()) + 1 : config.startSequence,
    sandbox: sandbox.digests,
    reader: logReader(broker.log),
    appender: logAppender(broker.log),
    quarantine: quarantineView(await broker.view(quarantineBucket), events),
    events,
    clock: systemClock,
    newClaimant: randomClaimant,
    stopping: signal,
    claimLostRetryMs: claimLostHeartbeats * config.heartbeatMs,
  };
  log.info('runner.wired', {
    reads: places.source.stem,
    writes: `${places.runStarted.stem} ${places.runEnded.stem}`,
    agents: (config.agents ?? []).join(' '),
    ringOne: config.outputRepair ? 'on' : 'off',
    slots: config.slots,
    start: deps.startSequence,
    server: broker.serverVersion,
  });
  starting.activation(activation);
  const running = runConsumerLoop<StoredEvent>({
    // One, whatever the slots: a message that waits here for a slot has no heartbeat, and another replica would give up its claim.
    deliveries: broker.log.consume({ durable: config.durable, signal, prefetch: 1 }),
    handle: (stored, delivery) => handleTrigger(deps, stored, delivery),
    setAside: (stored) => setAsideTrigger(deps, stored),
    slots: config.slots,
    heartbeatMs: config.heartbeatMs,
    drainMaxMs,
    signal,
    log,
    metrics: metrics.loop('source_captured'),
    describe: ({ subject, sequence }) => ({ subject, sequence }),
  });
  // Inside an object: a promise for a promise does not exist.
  return { running };
}

/** Each declaration with the model of its tier, and ring 1 around it where the host did not switch it off. */
async function runningAgents(
  { config, signal }: Context,
  { broker, sandbox, starting }: Ground,
  { agents, events }: { readonly agents: readonly StandardAgent[]; readonly events: RunnerEvents },
): Promise<readonly RunningAgent[]> {
  const tiers = agents.map(({ agent }) => agent.tier);
  const models = await openTierModels({ config, launcher: sandbox, timers: systemTimers, events: { ...events, ...starting } }, tiers);
  const trace = runTrace(broker, { producer: config.producer, clock: systemClock, events });
  return agents.flatMap(({ agent, contract }) => {
    const model = models.get(agent.tier);
    if (model === undefined) return [];
    const outputRepair = config.outputRepair ? { model: model.repairs, trace } : null;
    const waiting = { timers: systemTimers, stopping: signal, waitMaxMs: config.waitMaxMs, events };
    return [{ agent, contract, answering: answeringOf({ generator: model.answers, contract, outputRepair, ...waiting }) }];
  });
}
