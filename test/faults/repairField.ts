import { Producer } from '@emend/client';
import { ingest } from '@emend/cli';
import type { Broker } from '@emend/log';
import { expect } from 'vitest';
import { fieldLine, fieldProducer, mayBeRepaired, observationOf, sourceEventId } from './field.js';
import { type Ground, openGround } from './ground.js';
import { RequestFold } from './requestFold.js';

const replicas = ['repair-agent/1', 'repair-agent/2'];
const heartbeatMs = 500;
/** Requests in hand at once in each replica. */
export const slots = 3;
export const inHandMax = slots * replicas.length;

/** Failed runs that wait for their repair, two replicas that are not started yet, and everything between them. */
export type RepairField = Ground<RequestFold>;

export async function openRepairField(requests: number, random: () => number): Promise<RepairField> {
  // Half of all answers may be repaired.
  const numbers = Array.from({ length: requests * 2 }, (_, number) => number).filter(mayBeRepaired);
  const field = await openGround({
    provider: { answer: answerOf(numbers), tookMs: () => 100 + random() * 400 },
    fold: new RequestFold(),
    services: ['coordinator'],
    replicas,
    places: { claims: 'stream.thought.agent.repair.started.', ends: 'stream.thought.derived.output.correction.' },
    settings: (_replica, { endpoint }) => Promise.resolve(settingsOf(endpoint)),
  });
  await ingestAll(field.broker, numbers);
  await field.watch.until((fold) => fold.requests.size === requests);
  return field;
}

const settingsOf = (endpoint: string): NodeJS.ProcessEnv => ({
  EMEND_REPAIR_ENABLED: 'true',
  THOUGHTSTREAM_TINKER_ESCALATION_MODEL: 'large',
  EMEND_REPAIR_ENDPOINT: endpoint,
  EMEND_REPAIR_SLOTS: String(slots),
  EMEND_REPAIR_HEARTBEAT_MS: String(heartbeatMs),
});

/** A valid observation of the source that the prompt names. */
function answerOf(numbers: readonly number[]): (prompt: string) => string {
  const numberOf = new Map(numbers.map((number) => [sourceEventId(number), number]));
  return (prompt) => {
    const number = numberOf.get(/Source ([A-Za-z0-9_-]+):/.exec(prompt)?.[1] ?? '');
    return number === undefined ? 'no such source' : JSON.stringify(observationOf(number, 'repaired'));
  };
}

async function ingestAll(broker: Broker, numbers: readonly number[]): Promise<void> {
  async function* lines() {
    for (const number of numbers) yield fieldLine(number);
  }
  const report = await ingest({
    producer: new Producer({ log: broker.log, producer: fieldProducer, now: () => 0 }),
    lines: lines(),
    agent: 'field.observer@1',
    privacy: 'public',
    sourceClass: 'public-source',
    onBroken: () => {},
  });
  expect(report.broken).toBe(0);
}
