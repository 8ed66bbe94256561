import { type AgentDeclared, compileContract, places, subjects, transcriptCorrection } from '@emend/contracts';
import { type Broker, connect, type ConnectOptions, type StoredEvent } from '@emend/log';
import { ModelError } from '@emend/model';
import { OverseerError } from '@emend/overseer';
import { logAppender, logReader, type PlaceReader, randomClaimant } from '@emend/runs';
import {
  type Config,
  connectionStatus,
  type LifeOptions,
  LOOP_DRAIN_MAX_MS,
  RefusedToStart,
  runConsumerLoop,
  sleep,
  type StartContext,
  systemClock,
  systemTimers,
} from '@emend/runtime';
import { openWork } from './adapters/openWork.js';
import type { CorrectionDeps } from './correctionWork.js';
import { decideActivation, type DeclarationRead } from './domain/activation.js';
import { objectsBucket } from './domain/objectsBucket.js';
import { TranscriptsError } from './errors.js';
import { type TranscriptEvents, transcriptEvents, transcriptsLogFields } from './events.js';
import { handleTranscript, setAsideTranscript, type TranscriptDeps } from './handleTranscript.js';
import { serviceConfig } from './serviceConfig.js';
import { type StartEvents, startEvents } from './startEvents.js';

type Settings = Config<typeof serviceConfig>;
type Context = StartContext<typeof serviceConfig>;

/** How long a start asks for its declaration, so that it may be declared while the service comes up. */
const declarationWaitMsDefault = 10_000;
const declarationPauseMs = 250;
/** Heartbeats that a living winner of a claim has, before the loser's message may come back. */
const claimLostHeartbeats = 3;

export interface LifeChange {
  readonly declarationWaitMs?: number;
  /** How long transcripts in hand may go on once the process is told to stop. */
  readonly drainMaxMs?: number;
}

/** The transcript service as a process: the only place that wires. */
export function transcriptsLife(
  env: NodeJS.ProcessEnv,
  { declarationWaitMs = declarationWaitMsDefault, drainMaxMs = LOOP_DRAIN_MAX_MS }: LifeChange = {},
): LifeOptions<typeof serviceConfig> {
  return {
    name: 'transcripts',
    env,
    config: serviceConfig,
    logFields: transcriptsLogFields,
    start: (context) => start(context, { declarationWaitMs, drainMaxMs }),
  };
}

const contract = compileContract(transcriptCorrection);

async function start(context: Context, change: Required<LifeChange>) {
  const { config } = context;
  const starting = startEvents(context);
  // Without a connection: what is switched off needs no broker to be healthy.
  if (!config.enabled) return starting.activation({ kind: 'disabled', reason: 'not_enabled' });
  const events = transcriptEvents(context);
  const correcting = await orRefused(starting, () => openWork(config, events));

  const { onStatus, connected } = connectionStatus(context);
  const broker = await openBroker(config, { signal: context.signal, onStatus });
  connected();
  context.defer(() => broker.close());
  const read = await readDeclaration(logReader(broker.log), config.agent, context, change.declarationWaitMs);
  // Told to stop while it asked, it stays as it is.
  if (read === 'not_read') return;
  const activation = decideActivation(contract.ref, read);
  if (activation.kind === 'refuses') {
    starting.activation(activation);
    throw new RefusedToStart(activation.reason);
  }
  const { agent } = activation;

  // Found here, a missing permission costs no delivery of any message.
  const probe = { producer: config.producer, run: 'probe' };
  await broker.proveWrite([subjects.runStarted(probe), subjects.runEnded(probe), subjects.transcriptCorrected(probe)]);
  const objects = await broker.objects(objectsBucket);
  await objects.proveWrite();
  const deps: CorrectionDeps = {
    ...correcting,
    claim: { ...correcting.claim, model: { ...correcting.claim.model, learnedAdapter: agent.learnedAdapter } },
    contract,
    objects,
    events,
    timers: systemTimers,
    appender: logAppender(broker.log),
    stopping: context.signal,
  };
  return serve(context, { broker, starting, drainMaxMs: change.drainMaxMs }, { deps, events, agent });
}

const openBroker = ({ natsUrl, natsCredentials, stream }: Settings, how: Pick<ConnectOptions, 'signal' | 'onStatus'>): Promise<Broker> =>
  connect({ servers: natsUrl, credentialsFile: natsCredentials, name: 'transcripts', stream, ...how });

/** @throws RefusedToStart with the code of whatever cannot be used: settings, prompts, catalogue, key. */
async function orRefused<Opened>(starting: StartEvents, open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof TranscriptsError) starting.cannotCorrect(error.code, error.places);
    else if (error instanceof ModelError || error instanceof OverseerError) starting.cannotCorrect(error.code, [error.place]);
    else throw error;
    throw new RefusedToStart(error.code);
  }
}

/** The named declaration and its contract. Told to stop while it asks, it has read nothing. */
async function readDeclaration(
  reader: PlaceReader,
  name: string,
  { signal }: Context,
  waitMs: number,
): Promise<DeclarationRead | 'not_read'> {
  for (let waitedMs = 0; ; waitedMs += declarationPauseMs) {
    const read = await lookFor(reader, name);
    if ((read.declaration !== null && read.contract !== null) || waitedMs >= waitMs) return read;
    if ((await sleep(declarationPauseMs, signal)) === 'aborted') return 'not_read';
  }
}

async function lookFor(reader: PlaceReader, name: string): Promise<DeclarationRead> {
  const [id = '', version] = name.split('@');
  const at = async (place: string) => (await reader.get(place))?.read ?? null;
  return { declaration: await at(subjects.agent({ id, version: Number(version) })), contract: await at(subjects.contract(contract.ref)) };
}

interface Ground {
  readonly broker: Broker;
  readonly starting: StartEvents;
  readonly drainMaxMs: number;
}

interface Work {
  readonly deps: CorrectionDeps;
  readonly events: TranscriptEvents;
  readonly agent: AgentDeclared;
}

/** From an activation that is ready to the loop that runs. */
async function serve(context: Context, { broker, starting, drainMaxMs }: Ground, { deps: work, events, agent }: Work) {
  const { config, log, metrics, signal } = context;
  const deps: TranscriptDeps = {
    ...work,
    events,
    agent,
    producer: config.producer,
    attemptsMax: config.attemptsMax,
    startSequence: config.startSequence === 'now' ? (await broker.log.lastSequence()) + 1 : config.startSequence,
    reader: logReader(broker.log),
    clock: systemClock,
    newClaimant: randomClaimant,
    claimLostRetryMs: claimLostHeartbeats * config.heartbeatMs,
  };
  log.info('transcripts.wired', {
    reads: places.source.stem,
    writes: [places.runStarted, places.runEnded, places.transcriptCorrected].map(({ stem }) => stem).join(' '),
    agent: config.agent,
    ringOne: config.outputRepair ? 'on' : 'off',
    slots: config.slots,
    start: deps.startSequence,
    server: broker.serverVersion,
  });
  starting.activation({ kind: 'ready', agent });
  const running = runConsumerLoop<StoredEvent>({
    // One, whatever the slots: a message that waits here for a slot has no heartbeat, and another replica would give up its claim.
    deliveries: broker.log.consume({ durable: config.durable, signal, prefetch: 1 }),
    handle: (stored, delivery) => handleTranscript(deps, stored, delivery),
    setAside: (stored) => setAsideTranscript(deps, stored),
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
