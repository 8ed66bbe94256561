import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Broker, bootstrap, connect, parseDefinitions } from '@emend/log';
import { startTestServer, type TestServer, workspaceRoot } from '@emend/log/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runStory } from '../../../test/support/history.js';
import { commandExitCodes, explainCommand, scanCommand } from '../src/commands.js';

/** A run whose id begins with a dash: one in sixty-four does. */
const dashed = Array.from({ length: 1_000 }, (_, n) => runStory({ reference: `run-${n}` })).find(({ run }) => run.startsWith('-'));
if (dashed === undefined) throw new Error('no id begins with a dash');

let server: TestServer;
let broker: Broker;

beforeAll(async () => {
  server = await startTestServer();
  const definitions = parseDefinitions(JSON.parse(readFileSync(join(workspaceRoot(), 'deploy/jetstream.json'), 'utf8')));
  await bootstrap({ servers: server.url, definitions });
  broker = await connect({ servers: server.url, name: 'test', stream: 'THOUGHT' });
  for (const { subject, bytes, headers } of [...dashed.declared, dashed.started(), dashed.failed()]) {
    await broker.log.append({ subject, bytes, headers });
  }
});
afterAll(async () => {
  await broker.close();
  await server.remove();
});

async function said(command: typeof explainCommand, ...args: string[]) {
  const lines: string[] = [];
  const code = await command(args, { EMEND_NATS_URL: server.url }, (line) => void lines.push(line));
  return { code, lines };
}

it('explains a run whose id begins with a dash', async () => {
  const { run } = dashed;
  expect(await said(explainCommand, run)).toMatchObject({
    code: commandExitCodes.ok,
    lines: [expect.stringMatching(`^${run}: eligible`) as string],
  });
  const { code, lines } = await said(explainCommand, run, '--json');
  expect([code, JSON.parse(lines.join())]).toEqual([0, expect.objectContaining({ run, eligible: true })]);
});

it('a run that is not in the log has a code of its own', async () =>
  expect((await said(explainCommand, `-${'x'.repeat(21)}`)).code).toBe(commandExitCodes.notFound));

it.each([
  [explainCommand, []],
  [explainCommand, ['one', 'two']],
  [scanCommand, []],
  [scanCommand, ['--policy', 'nobody@9']],
] as const)('words that a command does not take are a wrong use (%#)', (command, args) =>
  expect(said(command, ...args)).rejects.toMatchObject({ code: 'wrong_use' }),
);

it.each([explainCommand, scanCommand])('options that a command does not know are refused (%#)', (command) =>
  expect(said(command, '--nonsense')).rejects.toMatchObject({ code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION' }),
);
