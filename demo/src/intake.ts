import { join } from 'node:path';
import { ingest } from '@emend/cli';
import { Producer } from '@emend/client';
import type { Broker } from '@emend/log';
import type { DemoOptions } from './demoOptions.js';
import { ingestLinesOf, noteKind, sampleProducer, writeLines } from './samples.js';

/** The notes as sources: the runner answers them. */
export async function submitNotes({ samples, say }: DemoOptions, broker: Broker): Promise<void> {
  const producer = new Producer({ log: broker.log, producer: sampleProducer });
  for (const { id, text } of samples.notes) {
    await producer.capture({ kind: noteKind, capture: id, text, privacy: 'public', sourceClass: 'public-source' });
  }
  say(`captured ${samples.notes.length} notes`);
}

/** Without a sandbox: the recorded answers as runs that have ended, under the strict judge alone. */
export async function ingestAnswers({ samples, dataDir, say }: DemoOptions, broker: Broker): Promise<void> {
  const file = join(dataDir, 'answers.ingest.jsonl');
  const lines = ingestLinesOf(samples);
  await writeLines(file, lines);
  const ingested = await ingest({
    producer: new Producer({ log: broker.log, producer: sampleProducer }),
    lines: each(lines),
    agent: 'field-note-observer.plain@1',
    privacy: 'public',
    sourceClass: 'public-source',
    onBroken: ({ number, code, at }) => say(`${file}:${number}: ${code}: ${at}`),
  });
  say(`ingested ${ingested.lines} recorded answers from ${file}`);
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}
