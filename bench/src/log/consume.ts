import { readEvent } from '@emend/contracts';
import type { StoredEvent } from '@emend/log';
import { done, noLoopMetrics, runConsumerLoop, silentLogger } from '@emend/runtime';
import { AckPolicy } from '@nats-io/jetstream';
import type { Comparison } from '../measure.js';
import { benchAckPending, type Stage } from './stage.js';

const eventsPerRound = 10_000;
const prefetch = 500;
const slots = 256;

/** The consumer loop with a decoder, against a bare durable that parses JSON. Both acknowledge every message. */
export function consumeComparison(stage: Stage): Comparison {
  return {
    name: 'decoding consumer loop',
    bar: 0.75,
    unit: 'messages',
    calibration: {
      name: 'bare durable consume, JSON.parse',
      prepare: (round) => addDurable(stage, `bare-${round}`),
      work: (round) => consumeBare(stage, `bare-${round}`),
    },
    subject: {
      name: 'loop',
      prepare: (round) => addDurable(stage, `loop-${round}`),
      work: (round) => consumeInLoop(stage, `loop-${round}`),
    },
  };
}

async function addDurable({ bare }: Stage, name: string): Promise<void> {
  await bare.jsm.consumers.add('THOUGHT', {
    durable_name: name,
    ack_policy: AckPolicy.Explicit,
    ack_wait: 60_000_000_000,
    max_ack_pending: benchAckPending,
    filter_subject: 'stream.thought.agent.run.ended.>',
  });
}

async function consumeBare({ bare }: Stage, name: string): Promise<number> {
  const consumer = await bare.js.consumers.get('THOUGHT', name);
  const messages = await consumer.consume({ max_messages: prefetch });
  let count = 0;
  for await (const message of messages) {
    JSON.parse(message.string());
    message.ack();
    count += 1;
    if (count === eventsPerRound) break;
  }
  return count;
}

async function consumeInLoop({ broker }: Stage, name: string): Promise<number> {
  const aborter = new AbortController();
  let count = 0;
  await runConsumerLoop<StoredEvent>({
    deliveries: broker.log.consume({ durable: name, prefetch, signal: aborter.signal }),
    handle: async (stored) => {
      if (readEvent(stored).kind !== 'event') throw new Error('unreadable');
      count += 1;
      if (count === eventsPerRound) aborter.abort();
      return done;
    },
    setAside: async () => done,
    slots,
    heartbeatMs: 15_000,
    signal: aborter.signal,
    log: silentLogger,
    metrics: noLoopMetrics,
    describe: ({ sequence }) => ({ sequence }),
  });
  return count;
}
