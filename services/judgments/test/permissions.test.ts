import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Broker, bootstrap, type Credentials, connect, parseDefinitions } from '@emend/log';
import { startTestServer, type TestServer, workspaceRoot } from '@emend/log/server';
import { exitCodes, Life } from '@emend/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { observed, runStory } from '../../../test/support/history.js';
import { judgmentsLife } from '../src/index.js';
import { pointers, recordOf } from './commands.js';
import { asker } from './serving.js';

const storeBytesMax = 64 * 1024 * 1024;
const shipped = parseDefinitions(JSON.parse(readFileSync(join(workspaceRoot(), 'deploy/jetstream.json'), 'utf8')));
const definitions = { ...shipped, streams: shipped.streams.map((stream) => ({ ...stream, maxBytes: storeBytesMax })), buckets: [] };

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

/** The subjects that the README's table of permissions grants for an operation. */
function granted(operation: 'publish' | 'subscribe'): readonly string[] {
  const rows = readme.split('\n').filter((line) => line.startsWith(`| ${operation} | \``));
  return rows.map((line) => /`([^`]+)`/.exec(line)?.[1] ?? '');
}

const quoted = (subjects: readonly string[]): string => subjects.map((subject) => JSON.stringify(subject)).join(', ');

/** The service is whoever sends no credentials; what surrounds it has a name. */
const configWith = (publish: readonly string[]): string => `
  authorization: {
    users: [
      { user: everything, password: test }
      { user: anna, password: test, permissions: { publish: "svc.thought.judgments.*.anna", subscribe: "_INBOX.>" } }
      { user: service, password: test, permissions: {
          publish: { allow: [${quoted(publish)}] }
          subscribe: { allow: [${quoted(granted('subscribe'))}] }
          allow_responses: { max: 1, expires: "1m" }
      } }
    ]
  }
  no_auth_user: service
`;

const as = (user: string): Credentials => ({ kind: 'password', user, password: 'test' });
const story = runStory();
const accept = () => recordOf(story, { target: pointers(story).proposal, verdict: 'accept' });

async function prepared(publish: readonly string[]): Promise<TestServer> {
  const server = await startTestServer({ config: configWith(publish) });
  await bootstrap({ servers: server.url, credentials: as('everything'), definitions });
  return server;
}

describe('with the permissions of the README and no other', () => {
  let server: TestServer;
  const open: Broker[] = [];
  const connected = async (user: string): Promise<Broker> => {
    const broker = await connect({ servers: server.url, name: user, stream: 'THOUGHT', credentials: as(user) });
    open.push(broker);
    return broker;
  };
  let life: Life<never>;
  let ended: Promise<number>;

  beforeAll(async () => {
    server = await prepared(granted('publish'));
    const broker = await connected('everything');
    for (const event of story.repaired()) await broker.log.append(event);
    let ready: () => void = () => {};
    const isReady = new Promise<void>((resolve) => {
      ready = resolve;
    });
    const options = judgmentsLife({ EMEND_NATS_URL: server.url });
    life = new Life({ ...options, logDestination: { write: (line) => line.includes('process.ready') && ready() } }) as never;
    ended = life.run();
    await Promise.race([isReady, ended]);
  });
  afterAll(async () => {
    life?.stop('SIGTERM');
    await ended;
    await Promise.all(open.map((broker) => broker.close()));
    await server?.remove();
  });

  test('judgments are recorded, superseded and read back', async () => {
    const ask = asker(await connected('anna'));
    const first = await ask('anna', accept());
    expect(first).toMatchObject({ kind: 'recorded', n: 1 });
    const better = { verdict: 'correct' as const, replacementOutput: observed('better') as never };
    const next = recordOf(story, { target: pointers(story).proposal, ...better, supersedes: 'event' in first ? first.event : null });
    expect(await ask('anna', next)).toMatchObject({ kind: 'recorded', n: 2 });
  });

  test('an authority that uses another name is refused by the broker', async () => {
    const ask = asker(await connected('anna'));
    await expect(ask('ben', accept())).rejects.toMatchObject({ code: 'permission_denied' });
  });

  test('no source and no other place can be read or written with them', async () => {
    const broker = await connected('service');
    await expect(broker.log.get(story.trigger)).rejects.toMatchObject({ code: 'permission_denied' });
    await expect(broker.proveWrite([story.proposal().subject])).rejects.toMatchObject({ code: 'permission_denied' });
    await expect(broker.log.append({ ...story.source(), subject: `${story.trigger}x` })).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });
});

test('a service that may not write judgments refuses to go on', async () => {
  const server = await prepared(granted('publish').filter((subject) => !subject.startsWith('stream.thought.judgment')));
  try {
    const lines: string[] = [];
    const life = new Life({ ...judgmentsLife({ EMEND_NATS_URL: server.url }), logDestination: { write: (line) => lines.push(line) } });
    expect(await life.run()).toBe(exitCodes.fault);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ cause: 'permission_denied' });
  } finally {
    await server.remove();
  }
});
