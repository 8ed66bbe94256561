import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Broker, bootstrap, connect } from '@emend/log';
import { startTestServer } from '@emend/log/server';
import { exitCodes, Life } from '@emend/runtime';
import { describe, expect, it } from 'vitest';
import { runnerLife } from '../src/index.js';
import { definitions } from './definitions.js';
import { agentDeclared, contractDeclared, observer } from './scene.js';

const password = 'only-of-this-test';
const admin = { kind: 'password', user: 'admin', password } as const;
/** Who connects without a name is the runner, and may publish all but one subject. */
const without = (denied: string): string => `
accounts { ONE { jetstream: enabled, users: [
  { user: admin, password: "${password}" }
  { user: runner, password: "${password}", permissions: { publish: { deny: "${denied}" } } } ] } }
no_auth_user: runner
`;

const none = () => Promise.resolve({ kind: 'unavailable', code: 'bubblewrap_missing', misses: [], said: '' } as const);

/** A runner's whole start on a broker that lets it publish all but one subject: how it ended, and what the streams held. */
async function startedWithout(denied: string, env: Readonly<Record<string, string>> = {}) {
  const server = await startTestServer({ config: without(denied) });
  const folder = await mkdtemp(path.join(tmpdir(), 'emend-runner-'));
  let broker: Broker | null = null;
  try {
    await bootstrap({ servers: server.url, credentials: admin, definitions: definitions() });
    broker = await connect({ servers: server.url, name: 'test', stream: 'THOUGHT', credentials: admin });
    await broker.log.append(contractDeclared);
    await broker.log.append(agentDeclared(observer()));
    const catalogue = path.join(folder, 'catalogue.yaml');
    await writeFile(catalogue, JSON.stringify({ tiers: { primary: { provider: 'local', baseUrl: 'http://127.0.0.1:9/v1', model: 'm' } } }));
    const lines: Record<string, unknown>[] = [];
    const settings = { EMEND_NATS_URL: server.url, EMEND_RUNNER_AGENTS: 'observer@1', EMEND_MODEL_CATALOGUE_FILE: catalogue, ...env };
    const life = new Life({
      ...runnerLife(settings, { declarationWaitMs: 0, open: none }),
      logDestination: {
        write(line: string) {
          const parsed = JSON.parse(line) as Record<string, unknown>;
          lines.push(parsed);
          // Past its proofs: without a sandbox it would stay up for ever.
          if (parsed['event'] === 'runner.sandbox_unavailable') life.stop('test');
        },
      },
    });
    const code = await life.run();
    const trace = await connect({ servers: server.url, name: 'trace', stream: 'TRACE', credentials: admin });
    const stored = { log: await broker.log.lastSequence(), trace: await trace.log.lastSequence() };
    await trace.close();
    const quarantined = await (await broker.view('quarantine')).get('probe');
    return { code, lines, stored, quarantined };
  } finally {
    await broker?.close();
    await rm(folder, { recursive: true, force: true });
    await server.remove();
  }
}

describe('a start', () => {
  it.each(['stream.thought.agent.run.started.>', 'stream.thought.agent.run.ended.>', 'trace.thought.>', '$KV.quarantine.>'])(
    'that may not publish %s ends at once, before any source is taken',
    async (denied) => {
      const { code, lines } = await startedWithout(denied);
      expect(code).toBe(exitCodes.fault);
      expect(lines.at(-1)).toMatchObject({ event: 'process.stopped', cause: 'permission_denied' });
    },
  );

  it('that may publish all of it leaves nothing behind', async () => {
    const { code, stored, quarantined } = await startedWithout('nothing.of.ours');
    expect([code, stored, quarantined]).toEqual([exitCodes.clean, { log: 2, trace: 0 }, null]);
  });

  it('with ring 1 off needs no run trace', async () => {
    const { code } = await startedWithout('trace.thought.>', { EMEND_RUNNER_OUTPUT_REPAIR: 'false' });
    expect(code).toBe(exitCodes.clean);
  });
});
