import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { historyText, readServiceCommand, type ServiceName, type Stack } from '@emend/cli';
import { readHistory } from '@emend/client';
import { type Broker, connect } from '@emend/log';
import { requireFreeStore } from '@emend/log/server';
import { type Answers, countAnswers, countRuns, type Counts, type Tally } from './counts.js';
import type { DemoOptions } from './demoOptions.js';
import { startDemoStack } from './demoStack.js';
import { FoldedLog } from './foldedLog.js';
import { ingestAnswers, submitNotes } from './intake.js';
import { type AppliedJudgment, applyJudgments } from './judgments.js';
import { observersOf } from './observers.js';
import { playedBy, sandboxReason } from './serviceLogs.js';
import { effectiveRows, viewsAgree } from './views.js';
import { waitFor } from './waitFor.js';

/** What happened: everything here was counted, nothing is written down beforehand. */
export interface Story {
  /** The sources that were captured, and the declarations that answer them. */
  readonly notes: number;
  readonly observers: number;
  readonly answers: Answers;
  /** Failed runs that got no request, by reason; a run with several reasons counts under each. */
  readonly ineligible: Tally;
  readonly counts: Counts;
  /** Why nothing was answered or repaired on this machine; null where it was. */
  readonly noSandbox: string | null;
  /** What the players of recordings were asked, by outcome. */
  readonly played: { readonly runner: Tally; readonly repairAgent: Tally };
  readonly judgments: readonly AppliedJudgment[];
  /** One run's whole history, as `emend show` prints it. */
  readonly shown: string;
  readonly rebuilt: Readonly<Record<string, unknown>>;
  readonly exported: Readonly<Record<string, unknown>>;
  /** The effective rows as canonical text, run by run: what two demos are compared by. */
  readonly rows: readonly string[];
  readonly stack: Stack;
}

/** The main job on real input, end to end: from notes to training files. The stack is left running; the caller stops it. */
export async function runDemo(options: DemoOptions): Promise<Story> {
  const { dataDir } = options;
  requireFreeStore(join(dataDir, 'jetstream'));
  await rm(dataDir, { recursive: true, force: true });
  await mkdir(dataDir, { recursive: true });
  const stack = await startDemoStack(options);
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

async function tell(options: DemoOptions, broker: Broker, stack: Stack): Promise<Omit<Story, 'stack'>> {
  const { root, dataDir, env, samples, judgments } = options;
  const noSandbox = await sandboxReason(dataDir);
  await (noSandbox === null ? submitNotes(options, broker) : ingestAnswers(options, broker));
  const folded = new FoldedLog();
  await waitFor('every recorded answer is a run that ended', async () => {
    await folded.catchUp(broker.log);
    return samples.answers.every((answer) => folded.runOf(answer)?.ended);
  });

  const command = commandOf(root, dataDir, stack.url, env);
  const scanned = await command('coordinator', ['scan', '--policy', 'stream.thought.agent.output-repair@1', '--dry-run', '--json']);
  await waitFor('every eligible run has a request, and every request is settled', async () => {
    await folded.catchUp(broker.log);
    const { requested, proposed, repairFailed } = countRuns([...folded.dossiers.values()]);
    const failed = Object.values(repairFailed).reduce((sum, count) => sum + count, 0);
    return requested === scanned['eligible'] && (noSandbox !== null || proposed + failed === requested);
  });

  const answerOf = new Map(samples.answers.map((answer) => [answer.id, answer]));
  const runOf = (id: string) => {
    const answer = answerOf.get(id);
    return answer && folded.runOf(answer);
  };
  const applied = await applyJudgments(broker, judgments, async (id) => {
    await folded.catchUp(broker.log);
    return runOf(id);
  });
  await waitFor('the views show what a fold of the log shows', async () => {
    await folded.catchUp(broker.log);
    return viewsAgree(broker, folded);
  });

  const rebuilt = await command('projector', ['rebuild', '--json']);
  const exported = await command('exporter', ['export', '--out', join(dataDir, 'export'), '--json']);
  const shown = runOf(judgments.at(0)?.answer ?? '');
  return {
    notes: folded.events.filter(({ name }) => name === 'sourceCaptured').length,
    observers: observersOf(samples.answers).length,
    answers: countAnswers(folded.events),
    ineligible: scanned['ineligible'] as Tally,
    counts: countRuns([...folded.dossiers.values()]),
    noSandbox,
    played: { runner: await playedBy(dataDir, 'runner'), repairAgent: await playedBy(dataDir, 'repair-agent') },
    judgments: applied,
    shown: shown ? historyText(shown.run, await readHistory(broker.log, shown.run), shown) : 'no run was judged',
    rebuilt,
    exported,
    rows: effectiveRows(folded),
  };
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
