import { canonicalText, type OutputRepairEvent, readEvent, type ThoughtEvent } from '@emend/contracts';
import type { EventLog, StoredEvent } from '@emend/log';
import { type MemoryBroker, memoryBroker } from '@emend/log/memory';
import { type ModelAnswer, usageUnsaid } from '@emend/model';
import { createHealth, createLogger, createMetrics, manualTime, type Outcome } from '@emend/runtime';
import { answeringOf, type RunModel } from '../src/adapters/answering.js';
import { logAppender, logReader } from '@emend/runs';
import type { FailedCode, NotGeneratedCode } from '../src/domain/failureCodes.js';
import { placesOf } from '@emend/runs/decisions';
import { runnerEvents, runnerLogFields } from '../src/events.js';
import type { RunnerDeps } from '../src/runnerDeps.js';
import { handleTrigger, setAsideTrigger } from '../src/handleTrigger.js';
import { captured, contract, digests, observer, provenance, sourceOf, validFor } from './scene.js';

export const claimedAtMs = Date.parse('2026-11-30T12:00:00.000Z');

type End = ModelAnswer<FailedCode, NotGeneratedCode>;
type Asked = Parameters<RunModel['generate']>[0];
type Answer = End | ((asked: Asked) => End | Promise<End>);

export interface FakeModel extends RunModel {
  /** Every request that reached it, in order. */
  readonly asked: Asked[];
}

/** Answers in order, the last one for ever, and counts like a provider. */
export function fakeModel(...answers: readonly Answer[]): FakeModel {
  const asked: Asked[] = [];
  const { learnedAdapter: _none, ...identity } = provenance;
  return {
    identity,
    asked,
    async generate(request) {
      const answer = answers[Math.min(asked.length, answers.length - 1)];
      asked.push(request);
      if (answer === undefined) throw new Error('nobody expected a call');
      return typeof answer === 'function' ? answer(request) : answer;
    },
  };
}

export const says = (text: string, finishReason: string | null = 'stop'): End => ({
  kind: 'generated',
  text,
  finishReason,
  usage: usageUnsaid,
});
export const valid = canonicalText(validFor());
/** No edit of the decoder makes this an observation: a member is missing. */
const { title: _title, ...untitled } = validFor();
export const malformed = canonicalText(untitled);
export const repaired = JSON.stringify({ repaired_arguments: validFor() });

let nextClaimant = 0;

export interface Change extends Partial<RunnerDeps> {
  readonly ringOne?: boolean;
  readonly agents?: RunnerDeps['agents'];
}

/** A runner over a memory broker, with a clock and timers of its own and everything else as in service.ts. */
export function runnerOn({ log: events }: Pick<MemoryBroker, 'log'>, model: RunModel, { ringOne = true, ...change }: Change = {}) {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    name: 'runner',
    level: 'debug',
    fields: runnerLogFields,
    destination: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const time = manualTime(claimedAtMs);
  const stopping = new AbortController();
  const trace: OutputRepairEvent[] = [];
  const aside = new Map<string, string>();
  const metrics = createMetrics({ service: 'runner' });
  const said = runnerEvents({ log, metrics, health: createHealth(() => 'ready') });
  const answering = answeringOf({
    generator: model,
    contract,
    timers: time,
    stopping: stopping.signal,
    waitMaxMs: 3_600_000,
    events: said,
    outputRepair: ringOne ? { model, trace: (event) => trace.push(event) } : null,
  });
  const deps: RunnerDeps = {
    producer: 'runner',
    agents: [{ agent: observer(), contract, answering }],
    attemptsMax: 2,
    retries: 0,
    startSequence: 0,
    sandbox: digests,
    reader: logReader(events),
    appender: logAppender(events),
    quarantine: { setAside: async (run, text) => void aside.set(run, text) },
    events: said,
    clock: time,
    stopping: stopping.signal,
    newClaimant: () => `claimant${String((nextClaimant += 1)).padStart(14, '0')}`,
    claimLostRetryMs: 30_000,
    ...change,
  };
  return {
    deps,
    lines,
    trace,
    aside,
    time,
    stop: () => stopping.abort(),
    handle: (stored: StoredEvent, signal = new AbortController().signal): Promise<Outcome> => handleTrigger(deps, stored, { signal }),
    setAside: (stored: StoredEvent): Promise<Outcome> => setAsideTrigger(deps, stored),
    /** One line of the metrics, by its beginning. */
    metric: async (name: string) => (await metrics.text()).split('\n').find((line) => line.startsWith(`emend_${name}`)),
    eventsLogged: () => lines.map((line) => line['event']),
  };
}

/** What stands on a place, which a test knows to be readable. */
export async function eventAt(log: EventLog, place: string): Promise<ThoughtEvent | null> {
  const stored = await log.get(place);
  if (stored === null) return null;
  const read = readEvent(stored);
  if (read.kind !== 'event') throw new Error(`${read.kind} on ${place}`);
  return read.event;
}

/** A note in a log of its own, and what stands on the places of each attempt to answer it. */
export async function noted(broker: MemoryBroker = memoryBroker()) {
  const note = await captured(broker.log);
  const places = (n: number) => placesOf({ producer: 'runner', source: sourceOf(), agent: observer(), n });
  return {
    broker,
    note,
    places,
    started: (n = 1) => eventAt(broker.log, places(n).started),
    ended: (n = 1) => eventAt(broker.log, places(n).ended),
  };
}
