import { parseArgs } from 'node:util';
import { placeOf, runIdOf, subjects } from '@emend/contracts';
import type { Broker, EventLog, StoredEvent } from '@emend/log';
import { type Config, guardIds, loadConfig, systemClock, WrongUse } from '@emend/runtime';
import { brokerIncidents } from './adapters/brokerIncidents.js';
import { oneShotPatienceMs, logEventReader } from './adapters/logEventReader.js';
import { logRequestAppender } from './adapters/logRequestAppender.js';
import { loadPolicies } from './adapters/policyFile.js';
import { coordinatorConfig } from './config.js';
import { type Explanation, explainRun } from './explain.js';
import { scan, ScanStopped, type ScanReport } from './scan.js';
import { openBroker } from './service.js';

/** Exit codes of the one-shot commands beside those of every program. */
export const commandExitCodes = { ok: 0, failed: 1, notFound: 4 } as const;

export const usage = '[serve | explain RUN|PRODUCER/REFERENCE [--json] | scan --policy ID@V [--dry-run] [--json]]';

/** How long a command waits for a broker before it says that there is none. */
const connectBoundMs = 10_000;
/** A scan says where it is after this many ended runs. */
const progressEvery = 1_000;

type Say = (line: string) => void;

/** `explain <run>`: which rules a failed run breaks. A run is named by its id, or as `producer/reference`. */
export async function explainCommand(args: readonly string[], env: NodeJS.ProcessEnv, say: Say): Promise<number> {
  const { values, positionals } = parseArgs({ args: guardIds(args), allowPositionals: true, options: { json: { type: 'boolean' } } });
  const [named] = positionals;
  if (named === undefined || positionals.length > 1) throw new WrongUse();
  const config = loadConfig(coordinatorConfig, env);
  const definitions = await loadPolicies(config.policyFile);
  return withBroker(config, async (broker) => {
    const reader = logEventReader({ log: broker.log, patienceMs: oneShotPatienceMs });
    const explanation = await explainRun({ reader, definitions }, await findRunEnd(broker.log, named));
    say(values.json ? JSON.stringify({ run: named, ...explanation }) : explanationText(named, explanation));
    return explanation.kind === 'not_ended' ? commandExitCodes.notFound : commandExitCodes.ok;
  });
}

/** `scan --policy ID@V [--dry-run]`: the same decision over all of history. */
export async function scanCommand(args: readonly string[], env: NodeJS.ProcessEnv, say: Say): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { policy: { type: 'string' }, 'dry-run': { type: 'boolean' }, json: { type: 'boolean' } },
  });
  const config = loadConfig(coordinatorConfig, env);
  const definitions = await loadPolicies(config.policyFile);
  const policy = definitions.find(({ id, version }) => `${id}@${version}` === values.policy);
  if (!policy)
    throw new WrongUse(`scan --policy ${definitions.map(({ id, version }) => `${id}@${version}`).join('|')} [--dry-run] [--json]`);
  return withBroker(config, async (broker) => {
    const to = await broker.log.lastSequence();
    try {
      const report = await scan({
        reader: logEventReader({ log: broker.log, patienceMs: oneShotPatienceMs }),
        requests: values['dry-run'] ? null : logRequestAppender(broker.log, brokerIncidents(broker, systemClock)),
        policy,
        ends: broker.log.read({ from: 1, to, subject: 'stream.thought.agent.run.ended.>' }),
        onProgress: ({ ends }, sequence) => {
          if (!values.json && ends % progressEvery === 0) say(`${ends} ended runs, at ${sequence} of ${to}`);
        },
      });
      say(values.json ? JSON.stringify({ policy: values.policy, dryRun: values['dry-run'] ?? false, ...report }) : scanText(report));
      return commandExitCodes.ok;
    } catch (error) {
      if (!(error instanceof ScanStopped)) throw error;
      say(error.message);
      return commandExitCodes.failed;
    }
  });
}

async function withBroker(config: Config<typeof coordinatorConfig>, run: (broker: Broker) => Promise<number>): Promise<number> {
  const broker = await openBroker(config, { name: 'coordinator-command', connectBoundMs });
  try {
    return await run(broker);
  } finally {
    await broker.close();
  }
}

/** The end of a run: by its exact place, or by its id among all producers. */
async function findRunEnd(log: EventLog, named: string): Promise<StoredEvent | null> {
  const slash = named.indexOf('/');
  if (slash > 0) {
    const producer = named.slice(0, slash);
    return log.get(subjects.runEnded({ producer, run: runIdOf({ producer, reference: named.slice(slash + 1) }) }));
  }
  const anyProducer = subjects.runEnded({ producer: '*', run: named });
  for await (const stored of log.read({ from: 1, to: await log.lastSequence(), subject: anyProducer })) {
    if (placeOf(stored.subject)?.place === 'runEnded') return stored;
  }
  return null;
}

function explanationText(run: string, explanation: Explanation): string {
  switch (explanation.kind) {
    case 'not_ended':
      return `${run}: no end of this run is in the log`;
    case 'unreadable':
      return `${run}: its end has no effect (${explanation.code})`;
    case 'succeeded':
      return `${run}: succeeded, so there is nothing to repair`;
    case 'no_policy':
      return `${run}: no repair policy was declared before it ended`;
    case 'decided': {
      const head = `${run}: ${explanation.eligible ? 'eligible' : 'ineligible'} under ${explanation.policy}`;
      const reasons = explanation.reasons.map(({ rule, code }) => `  ${rule} ${code}`);
      return [head, ...reasons, `  a request ${explanation.requested ? 'is' : 'is not'} in the log`].join('\n');
    }
    default:
      return explanation satisfies never;
  }
}

function scanText(report: ScanReport): string {
  const { ends, failed, eligible, appended, already, conflict, ineligible, unreadable } = report;
  const reasons = Object.entries(ineligible).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    `${ends} ended runs: ${failed} failed, ${unreadable} unreadable`,
    `${eligible} eligible: ${appended} requests appended, ${already} already there, ${conflict} in conflict`,
    ...reasons.map(([code, count]) => `  ${code}: ${count}`),
  ].join('\n');
}
