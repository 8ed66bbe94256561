import { afterAll, beforeAll } from 'vitest';
import { bootstrap, connect } from '../src/index.js';
import { startTestServer, type TestServer } from '../src/server/index.js';
import { describeBroker } from './contractSuite.js';
import { testDefinitions } from './testDefinitions.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
  await bootstrap({ servers: server.url, definitions: testDefinitions });
});
afterAll(async () => server?.remove());

describeBroker('the broker over JetStream', () => ({
  connect: () => connect({ servers: server.url, name: 'test', stream: 'THOUGHT' }),
  redeliver: () => undefined,
}));
