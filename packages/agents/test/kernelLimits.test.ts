import { afterAll, describe, expect, test } from 'vitest';
import { FrameReader } from '../src/broker/framing.js';
import { resourceLimits } from '../src/sandbox/sandboxCommand.js';
import { kernelOnly } from './kernelOnly.js';
import { withoutSandbox } from './sandboxHere.js';
import { WorkerScripts } from './workerScripts.js';

const scripts = new WorkerScripts();
afterAll(() => scripts.remove());

/** `attempt` resolves with the code that an attempt ended with, `count` keeps one count a code, and `leave` ends after the last word. */
const attempts = `
const attempt = (start) => new Promise((resolve) => { try { start(resolve); } catch (error) { resolve(error.code ?? error.name); } });
const counts = {};
const count = (code) => { counts[code] = (counts[code] ?? 0) + 1; };
const leave = (message) => channel.end(frame(message), () => process.exit(0));
`;

/** The last message of a worker that has only the kernel before it. */
async function lastWordOf(body: string): Promise<unknown> {
  const worker = (await kernelOnly(scripts.write(`${attempts}\n${body}`))).launch();
  const reader = new FrameReader(() => 1 << 20);
  let last: unknown = 'nothing';
  worker.channel.on('data', (chunk: Buffer) => (last = reader.push(chunk).messages.at(-1) ?? last));
  worker.channel.on('end', () => worker.channel.destroy());
  await worker.ended;
  return last;
}

// skipped: where bubblewrap cannot run; with CI set that is a failure
describe.skipIf(withoutSandbox)('with nothing but the kernel before it', () => {
  test('a worker that starts a hundred threads gets few', async () => {
    const counts = await lastWordOf(`
      const { Worker } = require('node:worker_threads');
      for (let n = 0; n < 100; n += 1) {
        count(await attempt((done) => {
          const thread = new Worker('setInterval(() => {}, 1000)', { eval: true });
          thread.once('online', () => done('up')).once('error', ({ code }) => done(code));
        }));
      }
      leave(counts);
    `);
    const { up, ...refused } = counts as Readonly<Record<string, number>>;
    // Each thread of Node takes five descriptors or more, and there are few.
    expect(up).toBeGreaterThan(0);
    expect(up).toBeLessThanOrEqual(Number(resourceLimits.nofile) / 4);
    expect(refused).toEqual({ ERR_WORKER_INIT_FAILED: 100 - (up ?? 0) });
  });

  test('a worker that starts a hundred processes gets none', async () => {
    const counts = await lastWordOf(`
      const { spawnSync } = require('node:child_process');
      for (let n = 0; n < 100; n += 1) count(spawnSync('/node', ['--version'], { stdio: 'pipe' }).error?.code ?? 'started');
      leave(counts);
    `);
    expect(counts).toEqual({ EPERM: 100 });
  });

  test('no datagram leaves, no name is found and no address is reached, on either protocol', async () => {
    const ends = await lastWordOf(`
      const connecting = (host) => attempt((done) => {
        net.connect(9, host).once('error', ({ code }) => done(code)).once('connect', () => done('connected'));
      });
      leave({
        datagram: await attempt((done) => {
          require('node:dgram').createSocket('udp4').once('error', ({ code }) => done(code)).bind(0, () => done('bound'));
        }),
        name: await attempt((done) => require('node:dns').lookup('localhost', (error) => done(error?.code ?? 'found'))),
        ipv4: await connecting('198.51.100.1'),
        ipv6: await connecting('::1'),
      });
    `);
    expect(ends).toEqual({ datagram: 'EPERM', name: 'EAI_AGAIN', ipv4: 'EPERM', ipv6: 'EPERM' });
  });
});
