import { canonicalHash, ContractsError, type Privacy, type Provenance, semanticRules, type SourceClass } from '@emend/contracts';
import { ClientError, type Producer } from '@emend/client';
import { LogError } from '@emend/log';
import { agentOf, type IngestLine, readLine } from './line.js';

/**
 * What a recorded answer is held to beside its contract. That evidence names a source by our event id is not asked of it:
 * whoever recorded it could not know the id.
 */
const rules = [semanticRules.evidenceQuoteVerbatim];

/** Lines in hand at once. Each appends three events, one after the other. */
const linesInHand = 32;

export interface IngestOptions {
  readonly producer: Producer;
  readonly lines: AsyncIterable<string>;
  /** Of lines that name none, as `id@version`. */
  readonly agent: string;
  readonly privacy: Privacy;
  readonly sourceClass: SourceClass;
  readonly onLine?: (report: IngestReport) => void;
  readonly onBroken: (line: { readonly number: number; readonly code: string; readonly at: string }) => void;
}

export interface IngestReport {
  readonly lines: number;
  readonly valid: number;
  /** Failed runs by class. */
  readonly failed: Readonly<Record<string, number>>;
  /** Lines whose run was in the log already. */
  readonly already: number;
  readonly broken: number;
}

/** Turns recorded answers into runs. A broken line is named and left out; the others go on. */
export async function ingest(options: IngestOptions): Promise<IngestReport> {
  const report = { lines: 0, valid: 0, failed: {} as Record<string, number>, already: 0, broken: 0 };
  const inHand = new Set<Promise<void>>();
  let number = 0;
  for await (const text of options.lines) {
    number += 1;
    if (text.trim() === '') continue;
    const work = ingestLine(options, number, text, report).finally(() => {
      inHand.delete(work);
      options.onLine?.(report);
    });
    work.catch(() => {}); // Heard below; until then it must not count as unheard.
    inHand.add(work);
    if (inHand.size >= linesInHand) await Promise.race(inHand);
  }
  await Promise.all(inHand);
  return { ...report, failed: Object.fromEntries(Object.entries(report.failed).sort(([a], [b]) => (a < b ? -1 : 1))) };
}

type Counts = { lines: number; valid: number; failed: Record<string, number>; already: number; broken: number };

async function ingestLine(options: IngestOptions, number: number, text: string, counts: Counts): Promise<void> {
  counts.lines += 1;
  const read = readLine(text);
  const broken = (code: string, at: string): void => {
    counts.broken += 1;
    options.onBroken({ number, code, at });
  };
  if (read.kind === 'broken') return broken(read.code, read.at);
  try {
    const end = await runOf(options, read.line);
    if (!end.fresh) counts.already += 1;
    if (end.kind === 'produced') counts.valid += 1;
    else counts.failed[end.diagnostic.class] = (counts.failed[end.diagnostic.class] ?? 0) + 1;
  } catch (error) {
    if (!isAboutTheLine(error)) throw error;
    broken(error.code, placeOf(error));
  }
}

/** What only this line is to blame for; a full log or a lost connection is not. */
function isAboutTheLine(error: unknown): error is ClientError | ContractsError | LogError {
  if (error instanceof ContractsError) return true;
  if (error instanceof LogError) return error.code === 'too_large' || error.code === 'header_invalid';
  return error instanceof ClientError && error.code !== 'log_full' && error.code !== 'append_unknown';
}

const placeOf = (error: ClientError | ContractsError | LogError): string =>
  (error instanceof LogError ? error.details[0] : error.place) ?? 'the line';

async function runOf({ producer, agent, privacy, sourceClass }: IngestOptions, line: IngestLine) {
  const at = line.time === undefined ? {} : { at: line.time };
  const captured = await producer.capture({
    kind: line.source.kind,
    capture: line.source.id,
    text: line.source.text,
    privacy: line.privacy ?? privacy,
    sourceClass: line.source_class ?? sourceClass,
    ...at,
  });
  const run = await producer.start({
    reference: line.id,
    agent: agentOf(line.agent ?? agent),
    trigger: captured.event.subject,
    model: provenanceOf(line.model),
    rules,
    ...(line.prompt_hash === undefined ? {} : { promptHash: line.prompt_hash }),
    ...at,
  });
  return run.end({ text: line.output, finishReason: line.finish_reason }, line.time);
}

/** What is known of a model whose answers were recorded elsewhere. */
function provenanceOf(model: IngestLine['model']): Provenance {
  const { provider, name } = typeof model === 'string' ? { provider: 'recorded', name: model } : model;
  return {
    provider,
    model: name,
    executionAdapter: 'emend-ingest@1',
    learnedAdapter: null,
    catalog: { digest: canonicalHash({ provider, name }), generation: 0 },
  };
}
