import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseDefinitions } from '@emend/log';
import { workspaceRoot } from '@emend/log/server';

/** The shipped definitions, small enough for a test's disk. */
export function definitions() {
  const shipped: unknown = JSON.parse(readFileSync(path.join(workspaceRoot(), 'deploy/jetstream.json'), 'utf8'));
  const parsed = parseDefinitions(shipped);
  return {
    streams: parsed.streams.map((stream) => ({ ...stream, maxBytes: 64 * 1024 * 1024 })),
    buckets: parsed.buckets.filter(({ name }) => name === 'quarantine').map((bucket) => ({ ...bucket, maxBytes: 64 * 1024 * 1024 })),
    durables: parsed.durables.filter(({ name }) => name === 'runner'),
  };
}
