import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effectiveRowText, selectEffective } from '@emend/history';
import { foldLog, openLedger } from '@emend/ledger';
import { connect } from '@emend/log';
import { type MemorySample, memoryTo } from './memory.js';

/** Folds the log of the given server and reports the resident size after each batch. */
const folder = await mkdtemp(join(tmpdir(), 'emend-bench-'));
const broker = await connect({ servers: process.argv[2] ?? '', name: 'bench-memory', stream: 'THOUGHT' });
const ledger = openLedger({ file: join(folder, 'ledger.sqlite'), version: 'bench' });
try {
  await foldLog({
    ledger,
    log: broker.log,
    to: memoryTo,
    onBatch: ({ changed }) => {
      for (const dossier of changed) {
        const row = selectEffective(dossier);
        if (row !== null) effectiveRowText(row);
      }
      const sample: MemorySample = { position: ledger.position(), residentBytes: process.memoryUsage.rss() };
      process.send?.(sample);
    },
  });
} finally {
  ledger.close();
  await broker.close();
  await rm(folder, { recursive: true, force: true });
  process.disconnect?.();
}
