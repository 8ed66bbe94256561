import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectNats } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { bootstrap, type ConnectOptions, connect } from '../src/index.js';
import { serverBinary } from './serverBinary.js';
import { codeOf, testDefinitions } from './testDefinitions.js';

type First = (options: Pick<ConnectOptions, 'servers' | 'signal' | 'onStatus'>) => Promise<unknown>;

const ways: readonly (readonly [string, First])[] = [
  ['connect', (options) => connect({ ...options, name: 'test', stream: 'THOUGHT' })],
  ['bootstrap', (options) => bootstrap({ ...options, definitions: testDefinitions })],
];

describe.each(ways)('the first connection of %s', (_way, first) => {
  let silent: Server;
  beforeEach(async () => {
    silent = createServer();
    await once(silent.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => void silent.close());
  const url = (): string => `nats://127.0.0.1:${(silent.address() as AddressInfo).port}`;

  it('says once that it waits, and ends at the signal while it pauses', async () => {
    const [servers, stop, said] = [url(), new AbortController(), [] as string[]];
    silent.close();
    await once(silent, 'close');
    const onStatus = ({ kind }: { readonly kind: string }): void => {
      said.push(kind);
      stop.abort();
    };
    expect(await codeOf(first({ servers, signal: stop.signal, onStatus }))).toBe('not_connected');
    expect(said).toEqual(['waiting']);
  });

  it('ends at the signal while a server that took the connection says nothing', async () => {
    const stop = new AbortController();
    const connecting = codeOf(first({ servers: url(), signal: stop.signal }));
    const [socket] = (await once(silent, 'connection')) as [Socket];
    stop.abort();
    expect(await connecting).toBe('not_connected');
    socket.destroy();
  });

  it('is not even tried where the signal has fired', async () => {
    let taken = 0;
    silent.on('connection', () => void (taken += 1));
    expect(await codeOf(first({ servers: url(), signal: AbortSignal.abort() }))).toBe('not_connected');
    expect(taken).toBe(0);
  });

  it('names no password of the URL when it ends', async () => {
    const servers = url().replace('//', '//user:secret@');
    const error: unknown = await first({ servers, signal: AbortSignal.abort() }).catch((e: unknown) => e);
    expect(JSON.stringify([String(error), error])).not.toContain('secret');
  });
});

describe('a server without JetStream', () => {
  const urlIn = async (ports: string): Promise<string> => {
    try {
      return (JSON.parse(await readFile(ports, 'utf8')) as { nats: string[] }).nats[0] ?? '';
    } catch {
      return '';
    }
  };
  let server: ChildProcess;
  let folder: string;
  let servers: string;
  beforeAll(async () => {
    const binary = await serverBinary();
    folder = await mkdtemp(join(tmpdir(), 'emend-plain-'));
    server = spawn(binary, ['-a', '127.0.0.1', '-p', '-1', '--ports_file_dir', folder], { stdio: 'ignore' });
    const ports = join(folder, `nats-server_${server.pid}.ports`);
    await vi.waitUntil(async () => (servers = await urlIn(ports)), { timeout: 20_000 });
  });
  afterAll(async () => {
    const ended = once(server, 'close');
    server.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true });
  });

  it.each(ways)('is refused by %s, with what would help', async (_way, first) => {
    await expect(first({ servers })).rejects.toMatchObject({ code: 'jetstream_missing', message: expect.stringContaining('-js') });
  });

  it('is taken where one that has it answers behind it', async () => {
    const behind = await connectNats({ servers });
    behind.subscribe('$JS.API.INFO', { callback: (_error, message) => void message.respond('{}') });
    await behind.flush();
    await (await connect({ servers, name: 'test', stream: 'THOUGHT' })).close();
    await behind.close();
  });
});
