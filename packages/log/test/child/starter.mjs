import { createInterface } from 'node:readline';
import { join } from 'node:path';

/** A process of its own that takes a store or starts a server on it, says so, and ends when it is told to. */
const [folder, act, storeDir, binary, ownGroup] = process.argv.slice(2);
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const { StoreLock } = await import(join(folder, 'server', 'storeLock.js'));
const { startServer } = await import(join(folder, 'server', 'startServer.js'));

const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
process.on('SIGINT', () => say({ said: 'interrupted' }));

if (act === 'race') {
  say({ said: 'ready' });
  await input.next();
  const lock = await StoreLock.take(storeDir).catch((error) => error.code);
  say({ said: 'done', got: typeof lock === 'string' ? lock : 'held' });
  await input.next();
  if (typeof lock !== 'string') lock.release();
} else {
  const server = await startServer({ binary, storeDir, ownGroup: ownGroup === 'true' });
  say({ said: 'ready', pid: server.pid, url: server.url });
  await input.next();
  await server.stop();
}
process.exit(0);
