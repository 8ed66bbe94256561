import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalText } from '@emend/contracts';
import { listRows, Producer, readHistory } from '@emend/client';
import { historyText, type IngestReport, ingest, readServiceCommand, type ServiceName, type Stack, startShippedStack } from '@emend/cli';
import { reviewRowOf, selectEffective } from '@emend/history';
import { type Broker, connect } from '@emend/log';
import { requireFreeStore } from '@emend/log/server';
import { countRuns, type Counts } from './counts.js';
import { FoldedLog } from './foldedLog.js';
import { type AppliedJudgment, applyJudgments, type DemoJudgment } from './judgments.js';
import { sampleProducer, writeLines } from './samples.js';
import { sandboxReason } from './sandboxReason.js';
import { waitFor } from './waitFor.js';

export interface DemoOptions {
  /** The root of the repository. */
  readonly root: string;
  /** Everything the demo writes. It is emptied first, unless a server is alive in it. */
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Lines of an ingest file. */
  readonly lines: readonly string[];
  readonly judgments: readonly DemoJudgment[];
  readonly say: (line: string) => void;
}

/** What happened: everything here was counted, nothing is written down beforehand. */
export interface Story {
  readonly ingested: IngestReport;
  /** Failed runs that got no request, by reason; a run with several reasons counts under each. */
  readonly ineligible: Readonly<Record<string, number>>;
  readonly counts: Counts;
  /** Why no repair was done on this machine; null where they were. */
  readonly noSandbox: string | null;
  /** Recorded generations that were made from another prompt than the one in hand. */
  readonly promptsThatDiffered: number;
  readonly judgments: readonly AppliedJudgment[];
  /** One run's whole history, as `emend show` prints it. */
  readonly shown: string;
  readonly rebuilt: Readonly<Record<string, unknown>>;
  readonly exported: Readonly<Record<string, unknown>>;
  /** The effective rows as canonical text, run by run: what two demos are compared by. */
  readonly rows: readonly string[];
  readonly stack: Stack;
}

/** The recordings stand in for whatever endpoint the environment names: beside one they are refused. */
const noEndpoint = {
  EMEND_MODEL_CATALOGUE_FILE: '',
  EMEND_REPAIR_ENDPOINT: '',
  EMEND_REPAIR_PROVIDER: '',
  EMEND_REPAIR_API_KEY_FILE: '',
  EMEND_REPAIR_STRUCTURED_OUTPUT: '',
};

/** The main job on real input, end to end: from recorded answers to training files. The stack is left running; the caller stops it. */
export async function runDemo(options: DemoOptions): Promise<Story> {
  const { root, dataDir, env, say } = options;
  requireFreeStore(join(dataDir, 'jetstream'));
  await rm(dataDir, { recursive: true, force: true });
  await mkdir(dataDir, { recursive: true });
  const stack = await startShippedStack({
    env,
    dataDir,
    declarations: [join(root, 'demo', 'declarations')],
    settings: {
      'repair-agent': {
        ...noEndpoint,
        EMEND_REPAIR_ENABLED: 'true',
        THOUGHTSTREAM_TINKER_ESCALATION_MODEL: 'recorded/SmolLM2-135M-Instruct-Q4_1',
        EMEND_REPAIR_PLAYER_FILE: join(root, 'samples', 'escalation.jsonl'),
      },
    },
    say,
  });
  const broker = await connect({ servers: stack.url, name: 'demo', stream: 'THOUGHT' });
  try {
    return { ...(await tell(options, broker, stack)), stack };
  } catch (error) {
    await stack.stop();
    throw error;
  } finally {
    await broker.close();
  }
}

async function tell(
  { root, dataDir, env, lines, judgments, say }: DemoOptions,
  broker: Broker,
  stack: Stack,
): Promise<Omit<Story, 'stack'>> {
  const file = join(dataDir, 'answers.ingest.jsonl');
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

  const command = commandOf(root, dataDir, stack.url, env);
  const scanned = await command('coordinator', ['scan', '--policy', 'stream.thought.agent.output-repair@1', '--dry-run', '--json']);
  const folded = new FoldedLog();
  let noSandbox: string | null = null;
  await waitFor('every eligible run has a request, and every request is settled', async () => {
    await folded.catchUp(broker.log);
    const { requested, proposed, repairFailed } = countRuns([...folded.dossiers.values()]);
    const failed = Object.values(repairFailed).reduce((sum, count) => sum + count, 0);
    noSandbox ??= await sandboxReason(dataDir);
    return requested === scanned['eligible'] && (noSandbox !== null || proposed + failed === requested);
  });

  const applied = await applyJudgments(broker, judgments, async (answer) => {
    await folded.catchUp(broker.log);
    return folded.runOf(answer);
  });
  await waitFor('the views show what a fold of the log shows', async () => {
    await folded.catchUp(broker.log);
    return viewsAgree(broker, folded);
  });

  const rebuilt = await command('projector', ['rebuild', '--json']);
  const exported = await command('exporter', ['export', '--out', join(dataDir, 'export'), '--json']);
  const shown = folded.runOf(judgments.at(0)?.answer ?? '');
  return {
    ingested,
    ineligible: scanned['ineligible'] as Readonly<Record<string, number>>,
    counts: countRuns([...folded.dossiers.values()]),
    noSandbox,
    promptsThatDiffered: (await readFile(join(dataDir, 'logs', 'repair-agent.log'), 'utf8')).split('"player_prompt_differs"').length - 1,
    judgments: applied,
    shown: shown ? historyText(shown.run, await readHistory(broker.log, shown.run), shown) : 'no run was judged',
    rebuilt,
    exported,
    rows: effectiveRows(folded),
  };
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

/** Runs a one-shot command of a service against this stack and reads its JSON. @throws Error with the command's exit code */
function commandOf(root: string, dataDir: string, url: string, env: NodeJS.ProcessEnv) {
  return async (service: ServiceName, args: readonly string[]): Promise<Readonly<Record<string, unknown>>> => {
    const settings = {
      ...env,
      EMEND_NATS_URL: url,
      EMEND_PROJECTOR_FILE: join(dataDir, 'projector.sqlite'),
      EMEND_EXPORTER_FILE: join(dataDir, 'export-once.sqlite'),
    };
    const { exitCode, output } = await readServiceCommand(root, service, args, settings);
    if (exitCode !== 0) throw new Error(`emend-${service} ${args.join(' ')} ended with exit code ${exitCode}`);
    return JSON.parse(output) as Readonly<Record<string, unknown>>;
  };
}

/** Whether both views hold, row by row, what the demo's own fold gives. */
async function viewsAgree(broker: Broker, folded: FoldedLog): Promise<boolean> {
  const wanted = [...folded.dossiers.values()];
  const effective = await rowTexts(broker, 'effective-output');
  const review = await rowTexts(broker, 'review-queue');
  return wanted.every((dossier) => {
    const [row, item] = [selectEffective(dossier), reviewRowOf(dossier)];
    return (
      (row === null || effective.get(dossier.run) === canonicalText(row)) &&
      (item === null || review.get(dossier.run) === canonicalText(item))
    );
  });
}

async function rowTexts(broker: Broker, bucket: string): Promise<ReadonlyMap<string, string>> {
  const rows = await listRows(await broker.view(bucket));
  return new Map(rows.map(({ row }) => [row.run, canonicalText(row)]));
}

const effectiveRows = (folded: FoldedLog): readonly string[] =>
  [...folded.dossiers.values()]
    .toSorted((a, b) => (a.run < b.run ? -1 : 1))
    .flatMap((dossier) => {
      const row = selectEffective(dossier);
      return row ? [canonicalText(row)] : [];
    });
