import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effectiveRowText, selectEffective } from '@emend/history';
import { foldLog, openLedger } from '@emend/ledger';
import Database from 'better-sqlite3';
import type { Comparison } from '../measure.js';
import type { Stage } from './stage.js';

const eventsPerRound = 20_000;
const transactionEvents = 500;

/** The fold of dossiers with their rows, against reading, parsing and one raw insert an event, 500 a transaction. */
export function foldComparison(stage: Stage): Comparison {
  return {
    name: 'dossier fold with rows',
    bar: 0.3,
    unit: 'events',
    calibration: { name: 'read, JSON.parse, raw insert', work: () => inFolder((folder) => insertRaw(stage, join(folder, 'raw.sqlite'))) },
    subject: { name: 'fold', work: () => inFolder((folder) => foldWithRows(stage, join(folder, 'ledger.sqlite'))) },
  };
}

async function inFolder(work: (folder: string) => Promise<number>): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'emend-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function insertRaw({ broker }: Stage, file: string): Promise<number> {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.exec('CREATE TABLE events (sequence INTEGER PRIMARY KEY, subject TEXT NOT NULL, body BLOB NOT NULL)');
  const insert = db.prepare('INSERT INTO events VALUES (?, ?, ?)');
  const decoder = new TextDecoder();
  let count = 0;
  db.exec('BEGIN');
  for await (const { sequence, subject, bytes } of broker.log.read({ from: 1, to: eventsPerRound })) {
    JSON.parse(decoder.decode(bytes));
    insert.run(sequence, subject, bytes);
    count += 1;
    if (count % transactionEvents === 0) db.exec('COMMIT; BEGIN');
  }
  db.exec('COMMIT');
  db.close();
  return count;
}

async function foldWithRows({ broker }: Stage, file: string): Promise<number> {
  const ledger = openLedger({ file, version: 'bench' });
  let rowBytes = 0;
  await foldLog({
    ledger,
    log: broker.log,
    to: eventsPerRound,
    onBatch: ({ changed }) => {
      for (const dossier of changed) {
        const row = selectEffective(dossier);
        if (row !== null) rowBytes += effectiveRowText(row).length;
      }
    },
  });
  ledger.close();
  if (rowBytes === 0) throw new Error('no rows');
  return eventsPerRound;
}
