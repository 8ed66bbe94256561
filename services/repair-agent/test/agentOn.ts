import { readEvent, type SandboxDigests, type ThoughtEvent } from '@emend/contracts';
import type { EventLog, StoredEvent } from '@emend/log';
import { type MemoryBroker, memoryBroker } from '@emend/log/memory';
import { usageUnsaid } from '@emend/model';
import { createHealth, createLogger, createMetrics, manualTime, type Metrics, type Outcome } from '@emend/runtime';
import { brokerIncidents } from '../src/adapters/brokerIncidents.js';
import { logAppender, logReader } from '@emend/runs';
import { CompiledContracts } from '../src/domain/compiledContracts.js';
import { repairAgentLogFields, repairEvents } from '../src/events.js';
import { handleRepairRequest, type RepairDeps } from '../src/handleRepairRequest.js';
import type { Generated, Generation, Generator } from '../src/ports.js';
import { type Story, type StoryOptions, story, tell } from './story.js';

export const digests: SandboxDigests = {
  command: 'c'.repeat(64),
  filter: 'd'.repeat(64),
  node: 'e'.repeat(64),
  worker: 'f'.repeat(64),
};

export const claimedAtMs = Date.parse('2026-11-30T12:00:00.000Z');
export const claimedAt = new Date(claimedAtMs).toISOString();

type Answer = Generated | ((generation: Generation) => Generated | Promise<Generated>);

export interface FakeGenerator extends Generator {
  /** Every prompt that reached it, in order. */
  readonly asked: Generation[];
  /** How many of its answers were generations, or may have been. */
  generations(): number;
}

/** Answers in order, the last one for ever, and counts like a provider. */
export function fakeGenerator(...answers: readonly Answer[]): FakeGenerator {
  const asked: Generation[] = [];
  let generated = 0;
  return {
    identity: { provider: 'fake', model: 'big-1', executionAdapter: 'fake@1', catalog: { digest: 'b'.repeat(64), generation: 1 } },
    asked,
    generations: () => generated,
    async generate(generation) {
      const answer = answers[Math.min(asked.length, answers.length - 1)];
      asked.push(generation);
      if (answer === undefined) throw new Error('nobody expected a generation');
      const end = typeof answer === 'function' ? await answer(generation) : answer;
      if (end.kind !== 'not_generated') generated += 1;
      return end;
    },
  };
}

export const answers = (text: string, finishReason: string | null = 'stop'): Generated => ({
  kind: 'generated',
  text,
  finishReason,
  usage: usageUnsaid,
});

export interface TestAgent {
  readonly deps: RepairDeps;
  readonly time: ReturnType<typeof manualTime>;
  readonly lines: Record<string, unknown>[];
  readonly metrics: Metrics;
  readonly ready: () => boolean;
  /** Aborts the process's signal. */
  stop(): void;
  handle(stored: StoredEvent, signal?: AbortSignal): Promise<Outcome>;
  eventsLogged(): readonly unknown[];
}

/** One for the file: compiling is what takes the time of a test. */
const contracts = new CompiledContracts();

let nextClaimant = 0;

/** An agent over a memory broker, with a clock and timers of its own and everything else as in service.ts. */
export function agentOn(
  broker: Pick<MemoryBroker, 'store'> & { readonly log: EventLog },
  of: Pick<Story, 'repairAgent'>,
  generator: Generator,
  change: Partial<RepairDeps> = {},
): TestAgent {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    name: 'repair-agent',
    level: 'debug',
    fields: repairAgentLogFields,
    destination: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const metrics = createMetrics({ service: 'repair-agent' });
  const health = createHealth(() => 'ready');
  const time = manualTime(claimedAtMs);
  const stopping = new AbortController();
  const events = repairEvents({ log, metrics, health });
  const deps: RepairDeps = {
    agent: of.repairAgent,
    contracts,
    sandbox: digests,
    position: { start: 0, abandonBefore: 0 },
    reader: logReader(broker.log),
    appender: logAppender(broker.log),
    incidents: brokerIncidents(broker, { clock: time, events }),
    generator,
    events,
    clock: time,
    timers: time,
    stopping: stopping.signal,
    newClaimant: () => `claimant${String((nextClaimant += 1)).padStart(14, '0')}`,
    waitMaxMs: 3_600_000,
    claimLostRetryMs: 30_000,
    ...change,
  };
  return {
    deps,
    time,
    lines,
    metrics,
    ready: () => health.report().ready,
    stop: () => stopping.abort(),
    handle: (stored, signal = new AbortController().signal) => handleRepairRequest(deps, stored, { signal }),
    eventsLogged: () => lines.map((line) => line['event']),
  };
}

/** Moves time on until a promise settles: as often as there are timers waiting. */
export async function letTimePass<T>(promise: Promise<T>, time: ReturnType<typeof manualTime>, stepMs: number): Promise<T> {
  let settled = false;
  promise.finally(() => (settled = true)).catch(() => undefined);
  while (!settled) {
    await turn();
    if (!settled && time.pending() > 0) time.advance(stepMs);
  }
  return promise;
}

export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What stands on a place, which a test knows to be readable. */
export async function eventAt(log: EventLog, place: string): Promise<ThoughtEvent | null> {
  const stored = await log.get(place);
  if (stored === null) return null;
  const read = readEvent(stored);
  if (read.kind !== 'event') throw new Error(`${read.kind} on ${place}`);
  return read.event;
}

/** Every byte of a log as text, for looking for what must not be there. */
export async function textOf(log: EventLog): Promise<string> {
  const texts: string[] = [];
  for await (const stored of log.read({ from: 1, to: await log.lastSequence() })) texts.push(Buffer.from(stored.bytes).toString('utf8'));
  return texts.join('\n');
}

/** A story that was told to a log, and what stands on its two places. */
export async function told(options: StoryOptions = {}, broker: MemoryBroker = memoryBroker()) {
  const tale = story(options);
  const request = await tell(broker.log, tale);
  return {
    tale,
    broker,
    request,
    settlement: () => eventAt(broker.log, tale.settlementPlace),
    claim: () => eventAt(broker.log, tale.claimPlace),
  };
}
