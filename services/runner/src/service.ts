import { type OpenedSandbox, openSandbox, type Sandbox, type SandboxOptions } from '@emend/agents';
import { places } from '@emend/contracts';
import { type Broker, connect, type ConnectOptions, type StoredEvent, type View } from '@emend/log';
import { goesOn, logAppender, logReader, randomClaimant, type StartEvents, startEvents } from '@emend/runs';
import {
  type Config,
  connectionStatus,
  LOOP_DRAIN_MAX_MS,
  type LifeOptions,
  runConsumerLoop,
  type StartContext,
  systemClock,
  systemTimers,
} from '@emend/runtime';
import { answeringOf } from './adapters/answering.js';
import { quarantineView } from './adapters/quarantineView.js';
import { runTrace } from './adapters/runTrace.js';
import { openTierModels } from './adapters/tierModels.js';
import type { RunnerDeps, RunningAgent } from './runnerDeps.js';
import { runnerConfig } from './config.js';
import { type Activation, type ActivationFacts, decideActivation, outcomes, type StandardAgent } from './domain/activation.js';
import { type RunnerEvents, runnerEvents, runnerLogFields } from './events.js';
import { handleTrigger, setAsideTrigger } from './handleTrigger.js';
import { provenQuarantine } from './provenQuarantine.js';
import { readDeclarations } from './readDeclarations.js';

type Settings = Config<typeof runnerConfig>;
type Context = StartContext<typeof runnerConfig>;

/** How long a start asks for its declarations, so that they may be declared while the service comes up. */
const declarationWaitMsDefault = 10_000;
/** Heartbeats that a living winner of a claim has, before the loser's message may come back. */
const claimLostHeartbeats = 3;

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
  const starting = startEvents(context, { service: 'runner', outcomes });
  const settings = { agents: config.agents ?? [], catalogueFile: config.catalogueFile };
  let facts: ActivationFacts = { declarations: 'not_read', sandbox: 'not_opened' };
  // Without a connection: what is switched off needs no broker to be healthy.
  if (!goesOn(decideActivation(settings, facts), starting)) return;

  const { onStatus, connected } = connectionStatus(context);
  const broker = await openBroker(config, { signal: context.signal, onStatus });
  connected();
  context.defer(() => broker.close());
  facts = {
    ...facts,
    declarations: await readDeclarations(logReader(broker.log), settings.agents, {
      signal: context.signal,
      waitMs: change.declarationWaitMs,
    }),
  };
  // Told to stop while it asked, it stays as it is.
  if (facts.declarations === 'not_read' || !goesOn(decideActivation(settings, facts), starting)) return;

  const quarantine = await provenQuarantine(broker, config);
  const opened = await change.open({ nestedNamespaces: config.nestedNamespaces });
  if (opened.kind === 'unavailable') starting.sandboxUnavailable(opened);
  const activation = decideActivation(settings, { ...facts, sandbox: opened });
  if (!goesOn(activation, starting) || activation.kind !== 'ready' || opened.kind !== 'ready') return;
  starting.sandboxReady(opened.sandbox.digests);
  return serve(context, { broker, quarantine, sandbox: opened.sandbox, starting, drainMaxMs: change.drainMaxMs }, activation);
}

const openBroker = ({ natsUrl, natsCredentials, stream }: Settings, how: Pick<ConnectOptions, 'signal' | 'onStatus'>): Promise<Broker> =>
  connect({ servers: natsUrl, credentialsFile: natsCredentials, name: 'runner', stream, ...how });

interface Ground {
  readonly broker: Broker;
  readonly quarantine: View;
  readonly sandbox: Sandbox;
  readonly starting: StartEvents;
  readonly drainMaxMs: number;
}

/** From an activation that is ready to the loop that runs. */
async function serve(context: Context, ground: Ground, activation: Extract<Activation, { kind: 'ready' }>) {
  const { config, log, metrics, signal } = context;
  const { broker, quarantine, sandbox, starting, drainMaxMs } = ground;
  const events = runnerEvents(context);
  const deps: RunnerDeps = {
    producer: config.producer,
    agents: await runningAgents(context, ground, { agents: activation.agents, events }),
    attemptsMax: config.attemptsMax,
    retries: config.retries,
    startSequence: config.startSequence === 'now' ? (await broker.log.lastSequence()) + 1 : config.startSequence,
    sandbox: sandbox.digests,
    reader: logReader(broker.log),
    appender: logAppender(broker.log),
    quarantine: quarantineView(quarantine, events),
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
    retries: config.retries,
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
