import { parseArgs } from 'node:util';
import { runIdOf } from '@emend/contracts';
import { type Ledger, LedgerError } from '@emend/ledger';
import { type Config, guardIds, loadConfig, WrongUse } from '@emend/runtime';
import { COMMAND_CONNECT_MS, connectBroker } from './adapters/brokerConnection.js';
import { nodeDisk } from './adapters/nodeDisk.js';
import { openLedgerOnce } from './adapters/ownLedger.js';
import { thisWriter } from './adapters/thisWriter.js';
import { exporterConfig } from './config.js';
import type { ExportPolicy } from './domain/exportPolicy.js';
import { explainExport, explanationText } from './explainExport.js';
import { ExportFolder } from './exportFolder.js';
import { exportPolicyOf } from './exportPolicyOf.js';
import { foldToEnd } from './foldToEnd.js';
import { planExport } from './planExport.js';
import type { FoldedRuns } from './ports.js';
import { type Written, writeExport } from './writeExport.js';

/** Exit codes of the one-shot command; `usage` and `refused` are those of every program. */
export const commandExitCodes = { ok: 0, failed: 1, usage: 2, refused: 3, notFound: 4 } as const;

export const usage = '[serve | export [--out DIR] [--json] [--why RUN|PRODUCER/REFERENCE]]';

export interface CommandIo {
  readonly env: NodeJS.ProcessEnv;
  /** Results. */
  readonly say: (line: string) => void;
  /** Progress and remarks: never mixed with a result that a program reads. */
  readonly remark: (line: string) => void;
}

/** `export`: folds everything that the log holds now, writes one export, says what was written and what was withheld. */
export async function exportCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const options = readOptions(args);
  const config = loadConfig(exporterConfig, io.env);
  const out = options.out ?? config.exportDir;
  const opened = openLedgerOnce(config.file);
  if (opened.isTemporary) io.remark('A running exporter holds the ledger: folding the log anew into a temporary one.');
  const request = { config, options, ledger: opened.ledger, out, io };
  try {
    return await exportOnce(request);
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== 'ledger_corrupt') throw error;
    io.remark('The ledger does not hold what was written: folding the log anew.');
    opened.ledger.clear();
    return await exportOnce(request);
  } finally {
    opened.close();
  }
}

interface Request {
  readonly config: Config<typeof exporterConfig>;
  readonly options: Options;
  readonly ledger: Ledger;
  readonly out: string;
  readonly io: CommandIo;
}

async function exportOnce({ config, options, ledger, out, io }: Request): Promise<number> {
  const policy = await exportPolicyOf(config, out, ledger.facts);
  const broker = await connectBroker(config, { name: 'exporter-command', connectBoundMs: COMMAND_CONNECT_MS });
  try {
    const onBatch = (position: number, of: number): void => io.remark(`folded ${position} of ${of}`);
    const onCleared = (): void => io.remark('The ledger belonged to another log: folding anew.');
    await foldToEnd({ ledger, log: broker.log, onCleared, onBatch: everyTenth(onBatch) });
  } finally {
    await broker.close();
  }
  if (options.why !== undefined) return why(ledger, policy, { named: options.why, json: options.json, io });
  const folder = new ExportFolder({ disk: nodeDisk, root: out, writer: thisWriter() });
  const plan = await planExport(ledger, policy);
  const written = await writeExport({ folded: ledger, policy, plan, folder, when: 'always' });
  io.say(options.json ? JSON.stringify(reportOf(out, written)) : reportText(out, written));
  return commandExitCodes.ok;
}

interface Options {
  readonly out?: string | undefined;
  readonly why?: string | undefined;
  readonly json: boolean;
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: guardIds(args, ['why']),
    options: { out: { type: 'string' }, why: { type: 'string' }, json: { type: 'boolean' } },
  });
  if (values.out === '' || values.why === '') throw new WrongUse();
  return { out: values.out, why: values.why, json: values.json ?? false };
}

function why(
  folded: FoldedRuns,
  policy: ExportPolicy,
  { named, json, io }: { readonly named: string; readonly json: boolean; readonly io: CommandIo },
): number {
  const slash = named.indexOf('/');
  const run = slash > 0 ? runIdOf({ producer: named.slice(0, slash), reference: named.slice(slash + 1) }) : named;
  const dossier = folded.dossier(run);
  const explained = dossier && explainExport(dossier, policy);
  if (json) io.say(JSON.stringify({ run, position: folded.position(), known: explained !== null, candidates: explained ?? [] }));
  else io.say(explained === null ? `${run}: nothing of this run is in the log` : explanationText(run, explained));
  return explained === null ? commandExitCodes.notFound : commandExitCodes.ok;
}

/** Progress in at most ten lines, the last one included; a short fold says nothing. */
function everyTenth(tell: (position: number, of: number) => void): (position: number, of: number) => void {
  let told = 0;
  return (position, of) => {
    const tenth = Math.floor((position * 10) / of);
    if (tenth <= told) return;
    told = tenth;
    tell(position, of);
  };
}

/** A manifest without its lists of content ids: those stand in the file. */
function reportOf(out: string, written: Written) {
  if (written.kind === 'unchanged') return { outcome: written.kind, out };
  const { rows: _rows, withdrawn, excluded: _excluded, ...counts } = written.manifest;
  return { outcome: written.kind, out, directory: written.directory, ...counts, withdrawn: withdrawn.length };
}

function reportText(out: string, written: Written): string {
  if (written.kind === 'unchanged') return `${out}: nothing changed`;
  const { manifest, directory, kind } = written;
  const counts = (of: Readonly<Record<string, number>>): readonly string[] =>
    Object.entries(of).map(([name, count]) => `  ${name}: ${count}`);
  return [
    `${out}/${directory}: ${kind === 'already' ? 'this very export is there already' : 'written'}, at position ${manifest.position}`,
    ...Object.entries(manifest.files).map(([file, { rows, bytes }]) => `  ${file}: ${rows} rows, ${bytes} bytes`),
    `${manifest.runs} runs, ${manifest.considered} considered, ${manifest.exported} exported`,
    ...counts(manifest.trajectories),
    `${manifest.considered - manifest.exported} withheld`,
    ...counts(manifest.withheld),
    `${manifest.withdrawn.length} rows of earlier exports no longer hold`,
  ].join('\n');
}
