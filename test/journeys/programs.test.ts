import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '@emend/log/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emend-programs-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A service's program as it is installed, with these words and settings. Nothing listens where its broker should be. */
function called(service: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [join(workspaceRoot(), 'services', service, 'dist', 'main.js'), ...args], {
    timeout: 20_000,
    cwd: folder,
    env: { EMEND_NATS_URL: 'nats://127.0.0.1:1', ...env },
  });
  const text = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => void (text.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => void (text.err += chunk.toString()));
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, ...text })),
  );
}

const services = ['coordinator', 'repair-agent', 'runner', 'transcripts', 'judgments', 'projector', 'exporter'];
const oneShots: readonly (readonly [string, ...string[]])[] = [
  ['coordinator', 'explain', 'notes/run-1'],
  ['coordinator', 'scan', '--policy', 'stream.thought.agent.output-repair@1'],
  ['projector', 'rebuild'],
  ['exporter', 'export'],
];

describe('every program', () => {
  it.each(
    services.flatMap((service): [string, ...string[]][] => [
      [service, 'nonsense'],
      [service, 'serve', 'nonsense'],
    ]),
  )('of %s ends with 2 and its usage for words it does not know', async (service, ...args) => {
    const { code, out, err } = await called(service, args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(new RegExp(`^usage: emend-${service} \\[serve.*\\]\\n$`));
  });

  it.each(services)('of %s ends with 2 for a configuration it cannot use', async (service) => {
    const { code, out } = await called(service, [], { EMEND_HTTP_PORT: 'canary-9e2b' });
    expect(code).toBe(2);
    expect(out).toContain('EMEND_HTTP_PORT');
    expect(out).not.toContain('canary');
  });
});

describe('every command that ends by itself', () => {
  it.each(oneShots)('%s %s: a configuration it cannot use is told setting by setting, and is 2', async (service, ...args) => {
    const { code, out, err } = await called(service, args, { EMEND_HTTP_PORT: 'canary-9e2b', EMEND_LOG_LEVEL: 'canary-9e2b' });
    expect({ code, out, err }).toEqual({
      code: 2,
      out: '',
      err: [
        `emend-${service}: config_invalid`,
        '  EMEND_HTTP_PORT: expected `off`, a port, or `0` for a free port',
        '  EMEND_LOG_LEVEL: expected `debug`, `info`, `warn`, `error`, `silent`',
        '',
      ].join('\n'),
    });
  });

  it.each(oneShots)('%s %s: an option it does not know is 2, with the usage', async (service, ...args) => {
    const { code, out, err } = await called(service, [...args, '--nonsense']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^usage: emend-/);
  });

  it('a file of the host that cannot be used is 3, with its code', async () => {
    const coordinator = await called('coordinator', ['explain', 'notes/run-1'], { EMEND_POLICY_FILE: join(folder, 'nobody.json') });
    expect(coordinator).toMatchObject({ code: 3, err: 'emend-coordinator: policy_file_unreadable\n' });
    const exporter = await called('exporter', ['export'], { EMEND_DESTINATION_FILE: join(folder, 'nobody.json') });
    expect(exporter).toMatchObject({
      code: 3,
      err: 'emend-exporter: destination_file_unreadable: The destination file cannot be read.\n',
    });
  });
});
