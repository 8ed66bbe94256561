import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Privacy, SourceClass } from '@emend/contracts';
import { Producer } from '@emend/client';
import { CliError } from '../errors.js';
import { exitCodes } from '../exitCodes.js';
import { ingest, type IngestReport } from '../ingest/ingest.js';
import { boundedLines } from '../ingest/boundedLines.js';
import { agentOf } from '../ingest/line.js';
import { withBroker } from '../stack/brokerUrl.js';
import type { CommandContext } from './context.js';

export interface IngestFlags {
  readonly agent: string;
  readonly producer: string;
  readonly privacy: Privacy;
  readonly sourceClass: SourceClass;
  readonly quarantine?: boolean;
}

/** Turns a file of recorded answers into runs. Broken lines are named with their numbers; the others go on. */
export async function ingestCommand({ env, voice }: CommandContext, file: string, flags: IngestFlags): Promise<number> {
  agentOf(flags.agent);
  const isFile = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) throw new CliError('ingest_unreadable', file, 'a readable file');
  return withBroker(env, async (broker) => {
    const quarantine = flags.quarantine ? { quarantine: await broker.view('quarantine') } : {};
    const report = await ingest({
      producer: new Producer({ log: broker.log, producer: flags.producer, ...quarantine }),
      lines: boundedLines(createReadStream(file, 'utf8') as AsyncIterable<string>),
      agent: flags.agent,
      privacy: flags.privacy,
      sourceClass: flags.sourceClass,
      onLine: ({ lines }) => voice.progress(`${lines} lines`),
      onBroken: ({ number, code, at }) => voice.complain(`${file}:${number}: ${code}: ${at}`),
    });
    voice.result(report, `${reportText(report)}\nemend show ${flags.producer}/ID shows one of them`);
    return report.broken > 0 ? exitCodes.someLinesRefused : exitCodes.ok;
  });
}

export function reportText({ lines, valid, failed, already, broken }: IngestReport): string {
  const classes = Object.entries(failed).map(([kind, count]) => `${kind} ${count}`);
  return [
    `${lines} lines: ${valid} valid, ${lines - valid - broken} failed${classes.length > 0 ? ` (${classes.join(', ')})` : ''}`,
    ...(already > 0 ? [`${already} were in the log already`] : []),
    ...(broken > 0 ? [`${broken} broken ${broken === 1 ? 'line' : 'lines'} left out`] : []),
  ].join('\n');
}
