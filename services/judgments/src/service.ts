import { randomUUID } from 'node:crypto';
import { canonicalBytes, judgmentRequestSubject, places, subjects } from '@emend/contracts';
import type { Broker } from '@emend/log';
import {
  aborted,
  type Clock,
  type Config,
  connectionStatus,
  type LifeOptions,
  patienceOf,
  type RunEnd,
  sleep,
  type StartContext,
  systemClock,
} from '@emend/runtime';
import { connectBroker } from './adapters/brokerConnection.js';
import { logJudgments } from './adapters/logJudgments.js';
import { RememberedPlaces } from './adapters/rememberedPlaces.js';
import { judgmentsConfig } from './config.js';
import { type Operation, operations } from './domain/command.js';
import { type JudgmentsEvents, judgmentsEvents, judgmentsLogFields } from './events.js';
import { type CommandDeps, handleCommand } from './handleCommand.js';
import { RequestsInHand } from './requestsInHand.js';
import { ServiceApi, serviceVerbs } from './serviceApi.js';

const name = 'judgments';
const version = '0.1.0';

/** A caller waits: better two short waits than a long one. */
const longestWaitMs = 500;

/** A key that no judgment has: the probe must be refused before anything is stored. */
const probe = subjects.judgment({ run: 'probe', chain: 'probe', n: 1 });

/** The service as a process: the only place that wires. */
export function judgmentsLife(env: NodeJS.ProcessEnv): LifeOptions<typeof judgmentsConfig> {
  return { name, version, env, config: judgmentsConfig, logFields: judgmentsLogFields, start };
}

async function start(context: StartContext<typeof judgmentsConfig>) {
  const { config, log, metrics, health, signal, defer } = context;
  const { onStatus, connected } = connectionStatus(context);
  const broker = await connectBroker(config, { signal, onStatus });
  connected();
  defer(() => broker.close());
  await broker.proveWrite([probe]);
  const serving = await serveJudgments({ broker, config, signal, events: judgmentsEvents(log, metrics, health) });
  health.set('log', { ok: true });
  log.info('judgments.wired', {
    reads: [places.runStarted, places.runEnded, places.repairRequested, places.repairStarted, places.correction, places.contract]
      .map(({ stem }) => stem)
      .join(' '),
    writes: places.judgment.stem,
    serves: operations.map(subjectOf).join(' '),
    queue: config.queue,
    server: broker.serverVersion,
  });
  return serving;
}

export interface Serving {
  readonly broker: Broker;
  readonly config: Pick<Config<typeof judgmentsConfig>, 'queue' | 'slots' | 'referenceWaitMs' | 'remembered' | 'serviceApi'>;
  readonly events: JudgmentsEvents;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  /** Goes on while draining: what is in hand is decided as ever, not refused because time was short. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** Serves both operations until the signal, and resolves when it does. `running` ends when nothing is in hand any more. */
export async function serveJudgments(serving: Serving): Promise<{ readonly running: readonly Promise<RunEnd>[] }> {
  const { broker, config, events, signal, clock = systemClock, wait = (ms) => sleep(ms) } = serving;
  const log = logJudgments({ log: broker.log, remembered: new RememberedPlaces(config.remembered) });
  const deps: CommandDeps = {
    log,
    clock,
    events,
    patience: () => patienceOf({ boundMs: config.referenceWaitMs, longestMs: longestWaitMs, wait }),
  };
  const wired: Wired = { deps, api: serviceApiOf(config.queue, clock), inHand: new RequestsInHand(config.slots) };
  for (const operation of operations) await serveOperation(serving, wired, operation);
  if (config.serviceApi) await serveDiscovery(serving, wired.api);
  return { running: [aborted(signal).then(() => wired.inHand.drained()), closedUnasked(broker, signal)] };
}

interface Wired {
  readonly deps: CommandDeps;
  readonly api: ServiceApi;
  readonly inHand: RequestsInHand;
}

const subjectOf = (operation: Operation): string => judgmentRequestSubject(operation, '*');

async function serveOperation(
  { broker, config, signal, events }: Serving,
  { deps, api, inHand }: Wired,
  operation: Operation,
): Promise<void> {
  await broker.serve(subjectOf(operation), {
    queue: config.queue,
    signal,
    onDropped: (reason) => events.dropped(reason),
    handle: (request) =>
      inHand.run(async () => {
        const startedMs = performance.now();
        const reply = await handleCommand(deps, request);
        api.served(operation, performance.now() - startedMs, reply.kind === 'unavailable' ? reply.cause : null);
        return canonicalBytes(reply);
      }),
  });
}

function serviceApiOf(queue: string, clock: Clock): ServiceApi {
  const started = new Date(clock.now()).toISOString();
  const identity = { name, version, queue, started, id: randomUUID(), description: 'Commands of authorities to append-only judgments.' };
  return new ServiceApi(
    identity,
    operations.map((operation) => ({ operation, subject: subjectOf(operation) })),
  );
}

/** Every instance answers, so the queue is this instance's own. */
async function serveDiscovery({ broker, signal }: Serving, api: ServiceApi): Promise<void> {
  const queue = randomUUID();
  for (const verb of serviceVerbs) {
    for (const subject of api.subjectsOf(verb)) {
      await broker.serve(subject, { queue, signal, handle: async () => canonicalBytes(api.answer(verb)) });
    }
  }
}

/** A connection that ended for good serves nobody: the process must not look alive. */
async function closedUnasked(broker: Broker, signal: AbortSignal): Promise<RunEnd> {
  await Promise.race([broker.closed, aborted(signal)]);
  return signal.aborted ? undefined : { kind: 'stopped', cause: 'connection_closed' };
}
