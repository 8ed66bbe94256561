import { afterEach, describe } from 'vitest';
import type { Broker } from '../src/index.js';
import { describeAppend } from './contract/append.js';
import type { Bench } from './contract/bench.js';
import { describeClose } from './contract/close.js';
import { describeConsume } from './contract/consume.js';
import { describeMessages } from './contract/messages.js';
import { describeObjects } from './contract/objects.js';
import { describeRead } from './contract/read.js';
import { describeView } from './contract/view.js';

export interface Harness {
  /** A new connection to the same broker, which holds `testDefinitions`. */
  connect(): Promise<Broker>;
  /** Makes what was not acknowledged come again, where that does not happen by itself. */
  redeliver(): void;
}

/** The rules of the port. Both adapters, and every server we run on, pass all of them. */
export function describeBroker(title: string, harness: () => Harness): void {
  describe(title, () => {
    const open: Broker[] = [];
    let counter = 0;
    afterEach(async () => {
      await Promise.all(open.splice(0).map((broker) => broker.close()));
    });
    const bench: Bench = {
      connect: async () => {
        const broker = await harness().connect();
        open.push(broker);
        return broker;
      },
      place: (stem = 'any') => `stream.thought.${stem}.p${++counter}`,
      redeliver: () => harness().redeliver(),
    };
    describeAppend(bench);
    describeRead(bench);
    describeConsume(bench);
    describeView(bench);
    describeObjects(bench);
    describeMessages(bench);
    describeClose(bench);
  });
}
