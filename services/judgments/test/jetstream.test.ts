import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgmentRequestSubject } from '@emend/contracts';
import { type Broker, bootstrap, connect, parseDefinitions } from '@emend/log';
import { startTestServer, type TestServer, workspaceRoot } from '@emend/log/server';
import { exitCodes, Life } from '@emend/runtime';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { runStory } from '../../../test/support/history.js';
import { judgmentsLife } from '../src/index.js';
import { bytesOf, pointers, recordOf } from './commands.js';
import { describeRaces } from './races.js';
import { publishWithReply } from './rawClient.js';
import { asker, judgmentsIn } from './serving.js';

const storeBytesMax = 64 * 1024 * 1024;

const shipped = parseDefinitions(JSON.parse(readFileSync(join(workspaceRoot(), 'deploy/jetstream.json'), 'utf8')));
const definitions = {
  ...shipped,
  streams: shipped.streams.map((stream) => ({ ...stream, maxBytes: storeBytesMax })),
  buckets: [],
};

let server: TestServer;
const open: Broker[] = [];
const connected = async (): Promise<Broker> => {
  const broker = await connect({ servers: server.url, name: 'test', stream: 'THOUGHT' });
  open.push(broker);
  return broker;
};

beforeAll(async () => {
  server = await startTestServer();
  await bootstrap({ servers: server.url, definitions });
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((broker) => broker.close()));
});
afterAll(async () => server?.remove());

describeRaces('races on a server', connected);

/** The service as `main.ts` runs it, but for signals and exit. */
async function living(env: NodeJS.ProcessEnv = {}) {
  const lines: { readonly event: string; readonly [field: string]: unknown }[] = [];
  let tell: (event: string) => void = () => {};
  const life = new Life({
    ...judgmentsLife({ EMEND_NATS_URL: server.url, ...env }),
    logDestination: {
      write: (line) => {
        const entry = JSON.parse(line) as { event: string };
        lines.push(entry);
        tell(entry.event);
      },
    },
  });
  const until = (event: string) =>
    new Promise<void>((resolve) => {
      tell = (told) => (told === event ? resolve() : undefined);
      if (lines.some((line) => line.event === event)) resolve();
    });
  const ended = life.run();
  await Promise.race([until('process.ready'), ended]);
  return { life, lines, ended, until };
}

describe('the process', () => {
  test('serves, says what it reads, writes and serves, and ends when asked', async () => {
    const { life, lines, ended } = await living();
    const broker = await connected();
    const story = runStory({ reference: 'life' });
    for (const event of story.repaired()) await broker.log.append(event);
    const reply = await asker(broker)('anna', recordOf(story, { target: pointers(story).proposal, verdict: 'accept' }));
    expect(reply).toMatchObject({ kind: 'recorded', n: 1 });
    expect(lines.find(({ event }) => event === 'judgments.wired')).toMatchObject({
      writes: 'judgment',
      serves: 'svc.thought.judgments.record.* svc.thought.judgments.retract.*',
      queue: 'judgments',
    });
    life.stop('SIGTERM');
    expect(await ended).toBe(exitCodes.clean);
    expect(lines.filter((line) => 'droppedFields' in line)).toEqual([]);
  });

  test('answers no reply subject that is not an inbox: a place of the log stays free', async () => {
    const { life, ended, lines, until } = await living();
    const broker = await connected();
    const story = runStory({ reference: 'injection' });
    for (const event of story.repaired()) await broker.log.append(event);
    const before = await broker.log.lastSequence();
    const dropped = until('request.dropped');
    for (const reply of ['stream.thought.judgment.injected.injected.1', 'incident.thought.injected', '$JS.API.STREAM.DELETE.THOUGHT']) {
      const bytes = bytesOf(recordOf(story, { target: pointers(story).proposal, verdict: 'accept' }));
      await publishWithReply(server.url, { subject: judgmentRequestSubject('record', 'anna'), reply, bytes });
    }
    await dropped;
    // A request after them is answered, so they have been seen.
    const reply = await asker(broker)('ben', recordOf(story, { target: pointers(story).proposal, verdict: 'accept' }));
    expect(reply).toMatchObject({ kind: 'recorded' });
    expect(lines.filter(({ event }) => event === 'request.dropped')).toHaveLength(3);
    expect(await broker.log.lastSequence()).toBe(before + 1);
    expect(await broker.log.get('stream.thought.judgment.injected.injected.1')).toBeNull();
    life.stop('SIGTERM');
    await ended;
  });

  test('answers the discovery of the services API', async () => {
    const { life, ended } = await living();
    const broker = await connected();
    const answer = async (subject: string) =>
      JSON.parse(new TextDecoder().decode((await broker.request(subject, new Uint8Array(), 5_000)).bytes)) as never;
    const ping: { id: string } = await answer('$SRV.PING');
    expect(ping).toMatchObject({ type: 'io.nats.micro.v1.ping_response', name: 'judgments', version: '0.1.0', metadata: {} });
    expect(await answer(`$SRV.INFO.judgments.${ping.id}`)).toMatchObject({
      type: 'io.nats.micro.v1.info_response',
      id: ping.id,
      endpoints: [
        { name: 'record', subject: 'svc.thought.judgments.record.*', queue_group: 'judgments', metadata: {} },
        { name: 'retract', subject: 'svc.thought.judgments.retract.*', queue_group: 'judgments', metadata: {} },
      ],
    });
    life.stop('SIGTERM');
    await ended;
  });

  test('refuses to start without the credentials it was given', async () => {
    const { ended, lines } = await living({ EMEND_NATS_CREDENTIALS: '/nowhere/at.creds' });
    expect(await ended).toBe(exitCodes.fault);
    expect(lines.at(-1)).toMatchObject({ cause: 'credentials_unreadable' });
  });

  test('records nothing twice when it is replaced between two sendings', async () => {
    const broker = await connected();
    const story = runStory({ reference: 'replaced' });
    for (const event of story.repaired()) await broker.log.append(event);
    const click = recordOf(story, { target: pointers(story).proposal, verdict: 'accept' });
    const before = await judgmentsIn(broker);
    const kinds: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      const { life, ended } = await living();
      kinds.push((await asker(broker)('anna', click)).kind);
      life.stop('SIGTERM');
      await ended;
    }
    expect(kinds).toEqual(['recorded', 'already_recorded']);
    expect(await judgmentsIn(broker)).toBe(before + 1);
  });
});
