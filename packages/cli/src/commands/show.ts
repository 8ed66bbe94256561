import { type HistoryEvent, readHistory } from '@emend/client';
import { type ThoughtEvent, placeOf, readEvent, subjects } from '@emend/contracts';
import { type Dossier, effectiveRowText, evolveDossier, emptyDossier, FactsSoFar, selectEffective } from '@emend/history';
import type { EventLog } from '@emend/log';
import { exitCodes } from '../exitCodes.js';
import { withBroker } from '../stack/brokerUrl.js';
import type { CommandContext } from './context.js';

/** The whole history of one run, as the log has it, and what is effective now. */
export async function showCommand({ env, voice }: CommandContext, run: string): Promise<number> {
  return withBroker(env, async ({ log }) => {
    const history = await readHistory(log, run);
    if (history.length === 0) {
      voice.result({ run, events: [] }, `${run}: nothing of this run is in the log`);
      return exitCodes.notFound;
    }
    const dossier = await foldHistory(log, run, history);
    const events = history.map(eventFacts);
    const row = selectEffective(dossier);
    voice.result({ run, events, ignored: dossier.ignored, effective: row }, historyText(run, history, dossier));
    return exitCodes.ok;
  });
}

/** Folds one run's events with the source and the contract that they name. */
export async function foldHistory(log: EventLog, run: string, history: readonly HistoryEvent[]): Promise<Dossier> {
  const facts = new FactsSoFar();
  const started = history
    .map(({ read }) => read)
    .find((read) => read.kind === 'event' && read.event.name === 'runStarted' && !read.event.data.repair);
  if (started?.kind === 'event' && started.event.name === 'runStarted') {
    for (const subject of [started.event.data.trigger, subjects.contract(started.event.data.contract)]) {
      const stored = await log.get(subject);
      const read = stored && readEvent(stored);
      if (read?.kind === 'event') facts.learn(read.event);
    }
  }
  return history.reduce<Dossier>((dossier, { stored, read }) => {
    if (read.kind === 'unknown_version') return dossier;
    return evolveDossier(dossier, { subject: stored.subject, sequence: stored.sequence, read }, facts);
  }, emptyDossier(run));
}

function eventFacts({ stored, read }: HistoryEvent) {
  const base = { sequence: stored.sequence, subject: stored.subject };
  return read.kind === 'event' ? { ...base, event: read.event } : { ...base, void: read.kind === 'void' ? read.code : read.kind };
}

export function historyText(run: string, history: readonly HistoryEvent[], dossier: Dossier): string {
  const row = selectEffective(dossier);
  return [
    `run ${run} (producer ${dossier.producer ?? 'unknown'})`,
    ...history.map((one) => `  ${String(one.stored.sequence).padStart(6)}  ${lineOf(one)}`),
    ...dossier.ignored.map(({ subject, code }) => `  without effect: ${subject} (${code})`),
    ...(dossier.ignoredCount > dossier.ignored.length
      ? [`  and ${dossier.ignoredCount - dossier.ignored.length} more without effect`]
      : []),
    `  effective: ${row === null ? 'nothing yet' : `${row.status}${row.authority ? ` by ${row.authority}` : ''}`}`,
    ...(row && row.output !== null ? [`  ${effectiveRowText({ ...row }).length} bytes of row, privacy ${row.privacy}`] : []),
  ].join('\n');
}

function lineOf({ stored, read }: HistoryEvent): string {
  if (read.kind !== 'event')
    return `${placeOf(stored.subject)?.place ?? stored.subject}: ${read.kind === 'void' ? `void (${read.code})` : read.kind}`;
  return `${read.event.time}  ${said(read.event)}`;
}

/** One event in a few words of ours: codes, ids and counts. */
function said(event: ThoughtEvent): string {
  switch (event.name) {
    case 'runStarted':
      return `${event.data.repair ? 'repair claimed' : 'run started'}: ${event.data.model.model}, agent ${event.data.agent.id}@${event.data.agent.version}`;
    case 'outputProduced':
      return `output produced: ${event.id}, contract ${event.data.contract.id}@${event.data.contract.version}`;
    case 'runFailed':
      return `${event.data.repair ? 'repair failed' : 'run failed'}: ${event.data.diagnostic.class}`;
    case 'repairRequested':
      return `repair requested: ${event.id}, policy ${event.data.policy.id}@${event.data.policy.version}`;
    case 'correctionProposed':
      return `correction proposed: ${event.id} by ${event.data.repair.model}`;
    case 'judgmentRecorded':
      return `judgment recorded: ${event.data.verdict} by ${event.data.authority}${event.data.supersedes ? `, in place of ${event.data.supersedes}` : ''}`;
    case 'judgmentRetracted':
      return `judgment retracted by ${event.data.authority}: ${event.data.retracts}`;
    default:
      return event.name;
  }
}
