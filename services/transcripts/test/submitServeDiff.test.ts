import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Broker, bootstrap, connect, parseDefinitions } from '@emend/log';
import { startTestServer, type TestServer, workspaceRoot } from '@emend/log/server';
import { exitCodes, Life } from '@emend/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { diffCommand } from '../src/commands/diff.js';
import { submitCommand } from '../src/commands/submit.js';
import { transcriptsLife } from '../src/service.js';
import { type Endpoint, endpoint, goodAnswer } from './endpoint.js';
import { agentDeclared, contractDeclared, corrector } from './scene.js';

let server: TestServer;
let broker: Broker;
let provider: Endpoint;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'emend-submit-serve-diff-'));
  server = await startTestServer();
  const shipped = parseDefinitions(JSON.parse(readFileSync(path.join(workspaceRoot(), 'deploy/jetstream.json'), 'utf8')) as unknown);
  const modest = <Part extends { readonly maxBytes: number }>(part: Part): Part => ({ ...part, maxBytes: 64 * 1024 * 1024 });
  await bootstrap({
    servers: server.url,
    definitions: {
      streams: shipped.streams.map(modest),
      buckets: [],
      objects: (shipped.objects ?? []).map(modest),
      durables: shipped.durables.filter(({ name }) => name === 'transcripts'),
    },
  });
  broker = await connect({ servers: server.url, name: 'test', stream: 'THOUGHT' });
  for (const event of [contractDeclared, agentDeclared(corrector())]) await broker.log.append(event);
  provider = await endpoint(goodAnswer);
});
afterEach(async () => {
  await provider.close();
  await broker.close();
  await server.remove();
  await rm(folder, { recursive: true, force: true });
});

async function said(command: typeof submitCommand, args: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const out = { say: (text: string) => void lines.push(text), complain: (text: string) => void lines.push(text), colour: false };
  await command(args, { EMEND_NATS_URL: server.url }, out);
  return lines.join('\n');
}

it.each([
  ['in its event', 1, 1],
  ['in the object store', 1_500, 60],
])('a file is submitted, corrected by the service and read back with every reason: %s', async (_, segments, sections) => {
  const file = path.join(folder, 'talk.txt');
  await writeFile(file, Array.from({ length: segments }, (__, n) => `and um the tide had turned at buoy ${n + 1}`).join('\n'));
  const service = new Life({
    ...transcriptsLife(
      {
        EMEND_NATS_URL: server.url,
        EMEND_TRANSCRIPTS_ENABLED: 'true',
        EMEND_TRANSCRIPTS_ENDPOINT: provider.url,
        EMEND_TRANSCRIPTS_MODEL: 'm',
      },
      { declarationWaitMs: 0 },
    ),
    logDestination: { write: () => {} },
  });
  const ended = service.run();
  const { place } = JSON.parse(await said(submitCommand, [file, '--json'])) as { readonly place: string };
  const text = await said(diffCommand, [place, '--wait']);
  service.stop('test');
  expect(await ended).toBe(exitCodes.clean);
  const first = [
    's1',
    '- and um the tide had turned at buoy 1',
    '+ and the tide had turned at buoy 1',
    '  spoken_word: "um the" to "the": heard wrong',
  ];
  expect(text.split('\n').slice(0, 4)).toEqual(first);
  expect(text.split('\n').at(-1)).toBe(`${sections} of ${sections} corrections applied`);
  expect(text.split('\n').filter((line) => line.startsWith('+'))).toHaveLength(sections);
});
