import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findServer } from './findServer.js';
import { type RunningServer, startServer } from './startServer.js';

export interface TestServerOptions {
  readonly config?: string;
  /** Another binary than the one found. */
  readonly binary?: string;
}

export interface TestServer extends RunningServer {
  readonly storeDir: string;
  /** Stops it and removes its folder. */
  remove(): Promise<void>;
}

/** A server of a test file's own, on an empty store in a temporary folder. Installs nothing: set-up has done that. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const binary = options.binary ?? (await testBinary());
  const storeDir = await mkdtemp(join(tmpdir(), 'emend-nats-'));
  const config = options.config === undefined ? {} : { config: options.config };
  const server = await startServer({ binary, storeDir, ...config }).catch(async (error: unknown) => {
    await rm(storeDir, { recursive: true, force: true });
    throw error;
  });
  // Getters, so the object is extended and not copied: pid and url follow a restart.
  return Object.defineProperties(server, {
    storeDir: { value: storeDir },
    remove: {
      value: async () => {
        await server.kill9();
        await rm(storeDir, { recursive: true, force: true });
      },
    },
  }) as TestServer;
}

async function testBinary(): Promise<string> {
  const named = process.env['EMEND_TEST_NATS_SERVER'];
  if (named) return named;
  const found = await findServer({ env: process.env, folder: join(workspaceRoot(), '.emend'), allowInstall: false, say: () => undefined });
  return found.binary;
}

/** The folder that holds the whole workspace, seen from this file; the working directory where there is none. */
export function workspaceRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (folder !== dirname(folder)) {
    if (existsSync(join(folder, 'pnpm-workspace.yaml'))) return folder;
    folder = dirname(folder);
  }
  return process.cwd();
}
