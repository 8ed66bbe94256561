import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { subjects } from '@emend/contracts';
import { type Broker, bootstrap, connect, parseDefinitions } from '@emend/log';
import { startTestServer, type TestServer, workspaceRoot } from '@emend/log/server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventAt, placesFor } from './correctorOn.js';
import { endpoint, goodAnswer } from './endpoint.js';
import { agentDeclared, captured, contractDeclared, corrector, longTalk } from './scene.js';

let server: TestServer;
let broker: Broker;
const children: ChildProcess[] = [];

beforeEach(async () => {
  server = await startTestServer();
  const shipped = parseDefinitions(JSON.parse(readFileSync(path.join(workspaceRoot(), 'deploy/jetstream.json'), 'utf8')));
  const small = { maxBytes: 64 * 1024 * 1024 };
  await bootstrap({
    servers: server.url,
    definitions: {
      streams: shipped.streams.map((stream) => ({ ...stream, ...small })),
      buckets: [],
      objects: (shipped.objects ?? []).map((bucket) => ({ ...bucket, ...small })),
      // What a killed process held comes back after seconds, and not after a minute.
      durables: shipped.durables.filter(({ name }) => name === 'transcripts').map((durable) => ({ ...durable, ackWaitSeconds: 5 })),
    },
  });
  broker = await connect({ servers: server.url, name: 'test', stream: 'THOUGHT' });
  for (const event of [contractDeclared, agentDeclared(corrector())]) await broker.log.append(event);
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await broker.close();
  await server.remove();
});

/** The program as it ships. */
function program(url: string): ChildProcess {
  const env = {
    ...process.env,
    EMEND_NATS_URL: server.url,
    EMEND_TRANSCRIPTS_ENABLED: 'true',
    EMEND_TRANSCRIPTS_ENDPOINT: url,
    EMEND_TRANSCRIPTS_HEARTBEAT_MS: '200',
  };
  const child = spawn(process.execPath, [path.join(workspaceRoot(), 'services/transcripts/dist/main.js')], { env, stdio: 'ignore' });
  children.push(child);
  return child;
}

it('a process that is killed in the middle of a transcript loses its run, and another one corrects it: one claim an attempt, one corrected transcript', async () => {
  // The first process gets no answer from its sixth call on.
  let isKilled = false;
  const provider = await endpoint((body, nth) => (nth >= 6 && !isKilled ? null : goodAnswer(body)));
  const stored = await captured(broker.log, await broker.objects('transcripts'), longTalk(100));
  const first = program(provider.url);
  await provider.reached(6);
  first.kill('SIGKILL');
  await once(first, 'exit');
  isKilled = true;

  const others = [program(provider.url), program(provider.url)];
  const end = new AbortController();
  const filter = `${subjects.transcriptCorrected({ producer: 'transcripts', run: '' })}*`;
  const { value } = await broker.log.read({ from: 1, subject: filter, signal: end.signal })[Symbol.asyncIterator]().next();
  expect(value?.subject).toBe(placesFor(stored, 2).derived);
  end.abort();
  const exits = others.map((other) => once(other, 'exit'));
  for (const other of others) other.kill('SIGTERM');
  await Promise.all(exits);
  expect(await eventAt(broker.log, placesFor(stored, 1).ended)).toMatchObject({
    name: 'runFailed',
    data: { diagnostic: { class: 'abandoned' } },
  });
  expect(await eventAt(broker.log, placesFor(stored, 2).derived)).toMatchObject({ data: { report: { sections: 4, applied: 4 } } });
  const subjectsThere: string[] = [];
  for await (const { subject } of broker.log.read({ from: 1, to: await broker.log.lastSequence() })) subjectsThere.push(subject);
  const [one, two] = [placesFor(stored, 1), placesFor(stored, 2)];
  expect(subjectsThere.slice(2)).toEqual([stored.subject, one.started, one.ended, two.started, two.ended, two.derived]);
  await provider.close();
}, 180_000);
