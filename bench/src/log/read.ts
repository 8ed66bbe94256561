import { readEvent } from '@emend/contracts';
import type { Comparison } from '../measure.js';
import type { Stage } from './stage.js';

const eventsPerRound = 20_000;

/** An ordered read that decodes with our schemas, against an ordered read that parses JSON. */
export function readComparison({ broker, bare }: Stage): Comparison {
  return {
    name: 'ordered read, decoded and checked',
    bar: 0.5,
    unit: 'events',
    calibration: {
      name: 'ordered read, JSON.parse',
      work: async () => {
        const consumer = await bare.js.consumers.get('THOUGHT', { filter_subjects: 'stream.thought.>' });
        let count = 0;
        for await (const message of await consumer.consume({ max_messages: 1_000 })) {
          JSON.parse(message.string());
          count += 1;
          if (count === eventsPerRound) break;
        }
        return count;
      },
    },
    subject: {
      name: 'read',
      work: async () => {
        let count = 0;
        for await (const stored of broker.log.read({ from: 1, to: eventsPerRound })) {
          if (readEvent(stored).kind !== 'event') throw new Error('unreadable');
          count += 1;
        }
        return count;
      },
    },
  };
}
