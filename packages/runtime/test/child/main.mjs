// A process for runProcess.test.ts. It imports the package from the folder that the test transpiled, and does what its argument says.
import { pathToFileURL } from 'node:url';

const [folder, behaviour] = process.argv.slice(2);
const { done, runConsumerLoop, runProcess } = await import(pathToFileURL(`${folder}/index.js`).href);

/** One message whose handler ends when the parent writes a line; then the source is silent. */
function oneDelivery(log) {
  const delivery = {
    event: 'm1',
    deliveries: 1,
    working() {},
    nak() {},
    async ack() {
      log.info('child.acked');
    },
  };
  let given = false;
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => (given ? new Promise(() => {}) : ((given = true), Promise.resolve({ done: false, value: delivery }))),
    }),
  };
}

const starts = {
  async loop({ log, metrics, signal, defer }) {
    defer(() => log.info('child.closed'));
    const handle = async () => {
      log.info('child.in_hand');
      await new Promise((resolve) => process.stdin.once('data', resolve));
      return done;
    };
    return {
      running: runConsumerLoop({
        deliveries: oneDelivery(log),
        handle,
        setAside: async () => done,
        slots: 1,
        heartbeatMs: 1_000,
        signal,
        log,
        metrics: metrics.loop('main'),
        describe: () => ({}),
      }),
    };
  },
  async nothing({ log }) {
    // Told only if something else keeps the process alive.
    setTimeout(() => log.info('child.alive'), 50).unref();
  },
  async exception() {
    setImmediate(() => {
      throw new TypeError('canary-1a6f');
    });
  },
  async rejection() {
    void Promise.reject(Object.assign(new Error('canary-1a6f'), { code: 'some_code' }));
  },
};

await runProcess({ name: 'child', env: process.env, config: {}, start: starts[behaviour] });
