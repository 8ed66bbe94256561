import {
  type JudgmentReply,
  judgmentReplySchema,
  judgmentRequestSubject,
  type RecordJudgmentInput,
  type RetractJudgmentInput,
  readEvent,
} from '@emend/contracts';
import type { FoldedEvent } from '@emend/history';
import type { Broker, EventToAppend } from '@emend/log';
import { memoryBroker } from '@emend/log/memory';
import { createHealth, createLogger, createMetrics } from '@emend/runtime';
import { judgmentsEvents, judgmentsLogFields } from '../src/events.js';
import { serveJudgments } from '../src/service.js';
import { arrivalMs, bytesOf } from './commands.js';

const answerBoundMs = 20_000;

export interface Instance {
  readonly broker: Broker;
  readonly lines: string[];
  readonly metrics: ReturnType<typeof createMetrics>;
  readonly health: ReturnType<typeof createHealth>;
  /** Where the clock of this instance stands, in milliseconds. */
  readonly clock: { nowMs: number; now(): number };
  /** How often a command waited for a reference; each wait calls `onWait`. */
  readonly waits: number[];
  stop(): void;
  readonly running: readonly Promise<unknown>[];
}

export interface InstanceOptions {
  readonly broker: Broker;
  readonly nowMs?: number;
  readonly slots?: number;
  readonly serviceApi?: boolean;
  readonly onWait?: () => Promise<unknown>;
}

/** One instance of the service as `service.ts` wires it, on a broker of the test's. Nothing in it waits for real time. */
export async function instanceOn({
  broker,
  nowMs = arrivalMs,
  slots = 16,
  serviceApi = false,
  onWait,
}: InstanceOptions): Promise<Instance> {
  const lines: string[] = [];
  const stop = new AbortController();
  const metrics = createMetrics({ service: 'judgments' });
  const health = createHealth(() => 'ready');
  const log = createLogger({
    name: 'judgments',
    level: 'debug',
    fields: judgmentsLogFields,
    destination: { write: (line) => lines.push(line) },
  });
  const clock = { nowMs, now: () => clock.nowMs };
  const waits: number[] = [];
  const { running } = await serveJudgments({
    broker,
    config: { queue: 'judgments', slots, referenceWaitMs: 2_000, remembered: 100, serviceApi },
    events: judgmentsEvents(log, metrics, health),
    signal: stop.signal,
    clock,
    wait: async (ms) => {
      waits.push(ms);
      await onWait?.();
    },
  });
  return { broker, lines, metrics, health, clock, waits, stop: () => stop.abort(), running };
}

/** A fresh memory that holds these events, in this order, with one instance that serves. */
export async function serving(events: readonly EventToAppend[], options: Omit<InstanceOptions, 'broker'> = {}) {
  const broker = memoryBroker();
  for (const event of events) await broker.log.append(event);
  const instance = await instanceOn({ broker: broker.connect(), ...options });
  return { ...instance, broker, connect: () => broker.connect(), ask: asker(broker) };
}

export type Body = RecordJudgmentInput | RetractJudgmentInput;

/** Sends as an authority does: the subject says who it is. */
export const asker =
  (broker: Broker) =>
  async (authority: string, body: Body): Promise<JudgmentReply> => {
    const subject = judgmentRequestSubject('retracts' in body ? 'retract' : 'record', authority);
    const reply = await broker.request(subject, bytesOf(body), answerBoundMs);
    return judgmentReplySchema.parse(JSON.parse(new TextDecoder().decode(reply.bytes)));
  };

/** Everything the log holds, as a fold is given it. */
export async function everything(broker: Broker): Promise<readonly (FoldedEvent & { readonly bytes: Uint8Array })[]> {
  const events = [];
  for await (const stored of broker.log.read({ from: 1, to: Number.MAX_SAFE_INTEGER })) {
    const read = readEvent(stored);
    if (read.kind === 'unknown_version') throw new Error(stored.subject);
    events.push({ subject: stored.subject, sequence: stored.sequence, bytes: stored.bytes, read });
  }
  return events;
}

/** How many judgments the log holds. */
export const judgmentsIn = async (broker: Broker): Promise<number> =>
  (await everything(broker)).filter(({ subject }) => subject.startsWith('stream.thought.judgment.')).length;

/** The id of what was recorded, by this call or before. */
export function eventOf(reply: JudgmentReply): string {
  if (!('event' in reply)) throw new Error(JSON.stringify(reply));
  return reply.event;
}
