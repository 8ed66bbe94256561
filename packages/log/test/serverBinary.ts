import { join } from 'node:path';
import { findServer, workspaceRoot } from '../src/server/index.js';

/** The server that `startTestServer` uses, for tests that start it in their own way. */
export async function serverBinary(): Promise<string> {
  const named = process.env['EMEND_TEST_NATS_SERVER'];
  if (named) return named;
  const folder = join(workspaceRoot(), '.emend');
  return (await findServer({ env: process.env, folder, allowInstall: false, say: () => undefined })).binary;
}
