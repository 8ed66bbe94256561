import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Producer } from '@emend/client';
import { readDeclarations, readDefinitions } from '@emend/cli';
import { bootstrap, connect } from '@emend/log';
import { startTestServer } from '@emend/log/server';
import { expect, it } from 'vitest';
import { recordAnswer } from './readmeSample.js';

const root = join(import.meta.dirname, '..', '..');

it('the sample in the README is the one that runs here', async () => {
  const sample = await readFile(join(import.meta.dirname, 'readmeSample.ts'), 'utf8');
  expect(await readFile(join(root, 'README.md'), 'utf8')).toContain(sample);
});

it('the sample records an answer', async () => {
  const server = await startTestServer();
  try {
    await bootstrap({ servers: server.url, definitions: await readDefinitions(root) });
    const broker = await connect({ servers: server.url, name: 'declare', stream: 'THOUGHT' });
    const producer = new Producer({ log: broker.log, producer: 'declare' });
    const { contracts, agents } = await readDeclarations([join(root, 'demo', 'declarations')]);
    for (const contract of contracts) await producer.declareContract(contract);
    for (const agent of agents) await producer.declareAgent(agent);
    await broker.close();

    const good = { title: 'A title', summary: 'A summary.', tags: [], confidence: 1, evidence: [] };
    expect(await recordAnswer(server.url, JSON.stringify(good))).toEqual(good);
  } finally {
    await server.remove();
  }
});
