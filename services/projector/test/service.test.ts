import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bootstrap, connect, parseDefinitions } from '@emend/log';
import { startTestServer, type TestServer, workspaceRoot } from '@emend/log/server';
import { configTable, exitCodes, Life } from '@emend/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runStory } from '../../../test/support/history.js';
import { projectorCodes, projectorConfig, projectorLife, rebuildExitCodes } from '../src/index.js';
import { rebuildCommand } from '../src/rebuildCommand.js';
import { progressWriter } from '../src/rebuildLines.js';
import { appendAll, freshFile, until } from './projectorFixture.js';

const MEBIBYTE = 1_048_576;
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const shipped = parseDefinitions(JSON.parse(readFileSync(join(workspaceRoot(), 'deploy/jetstream.json'), 'utf8')));
const small = {
  ...shipped,
  streams: shipped.streams.map((one) => ({ ...one, maxBytes: 64 * MEBIBYTE })),
  buckets: shipped.buckets.map((one) => ({ ...one, maxBytes: 16 * MEBIBYTE })),
};

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.remove());

interface Started {
  readonly life: Life<typeof projectorConfig>;
  readonly exit: Promise<number>;
  readonly lines: Record<string, unknown>[];
}

function start(file: string): Started {
  const lines: Record<string, unknown>[] = [];
  const life = new Life({
    ...projectorLife({ EMEND_NATS_URL: server.url, EMEND_PROJECTOR_FILE: file, EMEND_LOG_LEVEL: 'info' }),
    logDestination: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  });
  return { life, exit: life.run(), lines };
}

const rebuild = async (file: string, json: boolean) => {
  const said: string[] = [];
  const code = await rebuildCommand({
    env: { EMEND_NATS_URL: server.url, EMEND_PROJECTOR_FILE: file },
    json,
    signal: new AbortController().signal,
    say: (line) => void said.push(line),
    progress: () => undefined,
  });
  return { code, said };
};

describe('the process', () => {
  it('refuses to start, and a rebuild too, where the buckets are missing', async () => {
    const { exit, lines } = start(freshFile());
    expect(await exit).toBe(exitCodes.refused);
    expect(lines.find(({ event }) => event === 'process.failed')).toMatchObject({ code: 'views_missing' });
    await expect(rebuild(freshFile(), true)).rejects.toMatchObject({ code: 'views_missing' });
  });

  it('says where it stands, projects, refuses a second one on its file, and drains', async () => {
    await bootstrap({ servers: server.url, definitions: small });
    const file = freshFile();
    const { life, exit, lines } = start(file);
    await until(() => life.state === 'ready', 'ready');
    expect(lines.find(({ event }) => event === 'projector.wired')).toMatchObject({
      reads: 'THOUGHT',
      writes: 'effective-output review-queue',
      opened: 'fresh',
      position: 0,
      last: 0,
    });
    const second = start(file);
    expect(await second.exit).toBe(exitCodes.refused);
    expect(second.lines.find(({ event }) => event === 'process.failed')).toMatchObject({ code: 'ledger_in_use' });

    const broker = await connect({ servers: server.url, name: 'test', stream: 'THOUGHT' });
    const story = runStory();
    await appendAll(broker, story.answered());
    const view = await broker.view('effective-output');
    await until(async () => (await view.get(story.run)) !== null, 'the row');
    life.stop('test');
    expect(await exit).toBe(exitCodes.clean);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect(lines.filter(({ droppedFields }) => droppedFields !== undefined)).toEqual([]);
    await broker.close();
  });

  it('rebuilds on command: lines for people, one line of JSON for programs, a code for both, and no file left', async () => {
    const file = freshFile();
    const equal = await rebuild(file, true);
    expect(equal.code).toBe(rebuildExitCodes.equal);
    expect(equal.said).toHaveLength(1);
    expect(JSON.parse(equal.said[0] ?? '')).toMatchObject({ kind: 'rebuilt', byteEqual: true, runs: 1, generation: 2 });

    const broker = await connect({ servers: server.url, name: 'test', stream: 'THOUGHT' });
    const view = await broker.view('effective-output');
    const entry = await view.get(runStory().run);
    await view.remove(runStory().run, entry?.revision ?? 0);
    await broker.close();
    const differed = await rebuild(file, false);
    expect(differed.code).toBe(rebuildExitCodes.differed);
    expect(differed.said.join('\n')).toContain('effective-output: 0 equal, 0 different, 0 behind, 1 missing, 0 surplus');
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(dirname(file)).filter((name) => name.includes('rebuild'))).toEqual([]);
  });
});

describe('progress', () => {
  const told = (isTTY: boolean): string => {
    let text = '';
    const progress = progressWriter({ isTTY, write: (more) => void (text += more) });
    for (const position of [500, 1_000, 20_000, 20_100]) progress({ step: 'fold', position, last: 20_100 });
    progress({ step: 'compare', view: 'review-queue', rows: 1 });
    return text;
  };

  it('renews one line on a terminal', () => {
    expect(told(true)).toContain('\r\u001B[Kfolding 1000 of 20100\r');
  });

  it('is a plain line now and then elsewhere', () => {
    expect(told(false)).toBe('folding 20000 of 20100\nfolding 20100 of 20100\n');
  });
});

describe('the README', () => {
  it('has the settings as the code has them', () => {
    expect(readme).toContain(configTable(projectorConfig));
  });

  it.each(Object.entries(projectorCodes))('explains %s', (code, meaning) => {
    expect(readme).toContain(`| \`${code}\` | ${meaning} |`);
  });

  it.each(Object.entries(rebuildExitCodes))('names the exit code of a rebuild that is %s', (_name, code) => {
    expect(readme).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'));
  });
});
