import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { connect } from '@emend/log';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { type Engine, startEngine, whyNoEngine } from './engine.js';
import { buildImages } from './images.js';
import { openBoth, tryToWrite } from './inContainer.js';
import { composeStack, type Stack, until } from './stack.js';
import { agent, answeredOutput, canary, mounted, repairedOutput, transcript, writeStackFiles } from './stackFiles.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const cache = path.join(root, '.emend', 'docker-cache');
const setUpLimitMs = 840_000;
const waitLimitMs = 120_000;
const services = ['coordinator', 'repair-agent', 'runner', 'transcripts', 'judgments', 'projector', 'exporter'];
const sandboxed = ['repair-agent', 'runner'];

const whyNot = whyNoEngine();
if (whyNot !== null) console.log(`// skipped: ${whyNot}`);

interface History {
  readonly events: readonly { readonly subject: string; readonly event: unknown }[];
}

interface Row {
  readonly row: { readonly run: string; readonly state?: string; readonly status?: string; readonly output?: unknown };
}

// skipped: only where no engine can be started (not root, no Debian packages, another Node than the base image has)
describe.skipIf(whyNot !== null)('the images under compose', () => {
  let engine: Engine | undefined;
  let stack: Stack;
  let run = '';

  beforeAll(async () => {
    await mkdir(cache, { recursive: true });
    engine = await startEngine(root, cache);
    stack = composeStack(engine, root, await writeStackFiles(engine.folder));
    try {
      await buildImages(engine, root, cache);
      await stack.up();
    } catch (error) {
      console.log(`${await stack.logs().catch(() => 'no containers')}\n${engine.logEnd()}`);
      throw error;
    }
  }, setUpLimitMs);

  afterAll(async () => {
    // With the engine its data goes too; the project is removed first, so that no network stays on this machine.
    await stack?.remove().catch(() => undefined);
    await engine?.stop();
  });

  const shown = (): void =>
    onTestFailed(async () => {
      console.log(await stack.logs().catch(() => 'no logs'));
    });

  test('leave a request and a source unclaimed where Docker refuses the sandbox, and say so', async () => {
    shown();
    await stack.emend('declare', mounted.declarations);
    const report = await stack.emend('ingest', mounted.answers, '--agent', agent);
    expect(report).toMatchObject({ lines: 1, failed: { invalid_json: 1 }, broken: 0 });
    const failed = await until('the failed run', waitLimitMs, async () => {
      const rows = await stack.emend<readonly Row[]>('effective', 'list');
      return rows.find(({ row }) => row.status === 'unresolved');
    });
    run = failed.row.run;
    await until('its request', waitLimitMs, async () => ((await placesOf(run, 'agent.repair')).length > 0 ? true : null));
    for (const service of sandboxed) {
      const event = `${service.replace('-', '_')}.sandbox_unavailable`;
      const logged = await until(`the reason of the ${service}`, waitLimitMs, () => logLine(service, event));
      expect(logged).toMatchObject({ code: 'canary_silent', misses: '', said: expect.stringContaining('bwrap: No permissions') });
      const address = await stack.address(service, 8080);
      expect((await fetch(`http://${address}/health`)).status).toBe(200);
      const answer = await fetch(`http://${address}/ready`);
      expect([answer.status, await answer.json()]).toMatchObject([
        503,
        { components: { sandbox: { ok: false, reason: 'canary_silent' } } },
      ]);
    }
    expect(await placesOf(run, 'agent.repair')).toEqual([expect.stringContaining('.agent.repair.requested.')]);
    expect(await stack.emend('effective', 'list')).toHaveLength(1);
    expect(await logLine('provider', 'asked small-1')).toBeNull();
  });

  test('take that request to a proposal that waits for a judgment, once the sandbox is allowed', async () => {
    shown();
    await stack.upWithOverlays();
    const waiting = await until('a proposal in the review queue', waitLimitMs, async () => {
      const rows = await stack.emend<readonly Row[]>('review', 'list');
      return rows.find(({ row }) => row.state === 'awaiting');
    });
    expect(waiting.row.run).toBe(run);
    const ended = await logLine('repair-agent', 'repair.worker_ended');
    expect(ended).toMatchObject({ upstreamCalls: 1, refused: 0 });
  });

  test('answer that source by one call and one repair of it, each in the sandbox of its container', async () => {
    shown();
    const answered = await until('the answer of the runner', waitLimitMs, async () => {
      const rows = await stack.emend<readonly Row[]>('effective', 'list');
      return rows.find(({ row }) => row.status === 'original');
    });
    expect(answered.row.output).toEqual(answeredOutput);
    const { events } = await stack.emend<History>('show', answered.row.run);
    expect(events.map(({ event }) => event)).toMatchObject([
      { source: 'runner', data: { manifest: { sandbox: { filter: expect.any(String) } } } },
      { source: 'runner', data: { completion: 'overseen', calls: { primary: 1, overseer: 1 } } },
    ]);
    expect(await logLine('runner', 'run.worker_ended')).toMatchObject({ upstreamCalls: 1, refused: 0 });
    expect(await logLine('provider', 'asked small-1')).toMatchObject({ times: 2 });
  });

  test('correct a transcript of the log by calls of their own', async () => {
    shown();
    const broker = await connect({ servers: `nats://${await stack.address('nats', 4222)}`, name: 'test', stream: 'THOUGHT' });
    if (transcript.kind !== 'inline') throw new Error('a short transcript is in its event');
    await broker.log.append(transcript.event);
    const place = 'stream.thought.derived.transcript.corrected.transcripts.*';
    const corrected: unknown[] = [];
    await until('the corrected transcript', waitLimitMs, async () => {
      const to = await broker.log.lastSequence();
      for await (const { bytes } of broker.log.read({ from: 1, to, subject: place }))
        corrected.push(JSON.parse(new TextDecoder().decode(bytes)));
      return corrected[0];
    });
    expect(corrected).toMatchObject([{ source: 'transcripts', rootid: transcript.event.id }]);
    await broker.close();
    expect(await logLine('provider', 'asked transcriber-1')).toMatchObject({ times: expect.any(Number) });
  });

  test('make the proposal effective once an authority accepts it', async () => {
    shown();
    const reply = await stack.emend('judge', 'accept', run, '--authority', 'reviewer', '--action', 'accept-1');
    expect(reply).toMatchObject({ kind: 'recorded', n: 1 });
    const effective = await until('an effective row', waitLimitMs, async () => {
      const rows = await stack.emend<readonly Row[]>('effective', 'list');
      return rows.find(({ row }) => row.run === run && row.status === 'repaired');
    });
    expect(effective.row.output).toEqual(repairedOutput);
  });

  test('answer the one-shot commands of a service in its own image', async () => {
    shown();
    const explained = await stack.compose(['run', '--rm', '--no-deps', '--no-TTY', 'coordinator', 'explain', run]);
    expect(explained.stdout).toContain('eligible under');
  });

  test('are healthy and ready, and can be reached from this machine alone', async () => {
    shown();
    for (const service of services) {
      const address = await stack.address(service, 8080);
      expect(address).toMatch(/^127\.0\.0\.1:\d+$/);
      await until(`${service} ready`, waitLimitMs, () => isReady(address));
      await until(`${service} healthy`, waitLimitMs, async () => ((await healthOf(service)) === 'healthy' ? true : null));
    }
    expect(await stack.address('nats', 4222)).toMatch(/^127\.0\.0\.1:\d+$/);
  });

  test('run as nobody in particular, and can write to nothing but their volume', async () => {
    shown();
    for (const service of services) {
      const { stdout } = await stack.compose(['exec', '--no-TTY', service, 'node', '-e', tryToWrite]);
      expect([service, JSON.parse(stdout)]).toEqual([service, { uid: 10001, app: 'EROFS', home: 'EROFS', data: expect.any(String) }]);
    }
  });

  test('sandbox a worker without a privilege more, and allow no other namespace', async () => {
    shown();
    for (const service of sandboxed) {
      const opened = await stack.compose(['exec', '--no-TTY', service, 'node', '--input-type=module', '-e', openBoth]);
      expect(JSON.parse(opened.stdout)).toEqual({
        filtered: 'ready',
        disabled: expect.stringMatching(/^canary_silent .*\/proc\/sys\/user\/max_user_namespaces: Read-only/),
      });
      for (const flag of ['--user', '--mount', '--net']) {
        const words = ['exec', '--no-TTY', service, 'unshare', flag, 'true'];
        await expect(stack.compose(words)).rejects.toThrow('Operation not permitted');
      }
      const host = await stateOf(service, '{{json .HostConfig}}');
      expect(JSON.parse(host)).toMatchObject({ Privileged: false, CapAdd: null, CapDrop: ['ALL'], ReadonlyRootfs: true });
      expect((JSON.parse(host) as { readonly SecurityOpt: readonly string[] }).SecurityOpt).toContain('no-new-privileges:true');
    }
  });

  test('keep the malformed answer out of every log', async () => {
    const { output } = await stack.compose(['logs', '--no-color']);
    expect(output).toContain('repair.settled');
    expect(output).not.toContain(canary);
  });

  test('end with code 0 when they are asked to stop, and leave nothing behind', async () => {
    shown();
    await stack.compose(['stop', ...services], waitLimitMs);
    for (const service of services) expect([service, await stateOf(service, '{{.State.ExitCode}}')]).toEqual([service, '0']);
    await stack.remove();
    const label = ['--quiet', '--filter', `label=com.docker.compose.project=${stack.project}`];
    for (const kind of [
      ['ps', '--all'],
      ['volume', 'ls'],
      ['network', 'ls'],
    ]) {
      expect([kind, (await engine?.docker([...kind, ...label], 30_000))?.stdout]).toEqual([kind, '']);
    }
  });

  /** Where this run's events of one kind stand. */
  async function placesOf(name: string, stem: string): Promise<readonly string[]> {
    const { events } = await stack.emend<History>('show', name);
    return events.map(({ subject }) => subject).filter((subject) => subject.includes(`.${stem}.`));
  }

  /** The last line with this event in a service's log, or null. */
  async function logLine(service: string, event: string): Promise<unknown> {
    const { stdout } = await stack.compose(['logs', '--no-color', '--no-log-prefix', service]);
    const line = stdout.split('\n').findLast((text) => text.includes(`"event":"${event}"`));
    // Compose starts a line with a control sequence of its own.
    return line === undefined ? null : JSON.parse(line.slice(line.indexOf('{')));
  }

  const healthOf = (service: string): Promise<string> => stateOf(service, '{{.State.Health.Status}}');

  async function stateOf(service: string, format: string): Promise<string> {
    const { stdout } = await stack.compose(['ps', '--all', '--quiet', service]);
    return (await engine?.docker(['inspect', '--format', format, stdout.trim()], 30_000))?.stdout.trim() ?? '';
  }
});

/** True or not yet: a port that is published before its service listens breaks the connection. */
const isReady = (address: string): Promise<true | null> =>
  fetch(`http://${address}/ready`).then(
    ({ status }) => (status === 200 ? true : null),
    () => null,
  );
