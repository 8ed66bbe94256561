import { readFile } from 'node:fs/promises';
import { Authority, readHistory } from '@emend/client';
import type { JudgmentReply, RecordJudgmentInput, Refusal, RetractJudgmentInput, Verdict } from '@emend/contracts';
import { type Dossier, proposalsOf } from '@emend/history';
import { CliError } from '../errors.js';
import { exitCodes } from '../exitCodes.js';
import { withBroker } from '../stack/brokerUrl.js';
import type { CommandContext } from './context.js';
import { foldHistory } from './show.js';

export interface JudgeFlags {
  readonly authority: string;
  /** The same action again gives the first result. */
  readonly action: string;
  readonly supersedes?: string;
  readonly replacement?: string;
  readonly preferred?: string;
  readonly over?: string;
  readonly proposal?: string;
  readonly quality?: boolean;
  readonly export?: boolean;
  readonly public?: boolean;
}

export type Judged = JudgmentReply | { readonly kind: 'no_target' };

/** Sends a judgment on the run's output, or on its proposal where the run failed. */
export async function judgeCommand(
  { env, voice }: CommandContext,
  verdict: Verdict | 'retract',
  run: string,
  flags: JudgeFlags,
): Promise<number> {
  const replacement = flags.replacement === undefined ? undefined : await readReplacement(flags.replacement);
  const reply = await withBroker(env, async (broker): Promise<Judged> => {
    const dossier = await foldHistory(broker.log, run, await readHistory(broker.log, run));
    const authority = new Authority(broker, flags.authority);
    if (verdict === 'retract') {
      const command = retraction(dossier, flags);
      return command ? authority.retract(command) : { kind: 'no_target' };
    }
    const command = judgmentOn(dossier, verdict, flags, replacement);
    return command ? authority.record(command) : { kind: 'no_target' };
  });
  voice.result({ run, ...reply }, replyText(run, reply));
  return codeOf(reply);
}

/** The command for a verdict: the target follows from how the run ended. Null where there is nothing to judge. */
export function judgmentOn(dossier: Dossier, verdict: Verdict, flags: JudgeFlags, replacement?: unknown): RecordJudgmentInput | null {
  const target = verdict === 'prefer' ? ({ kind: 'run' } as const) : targetOf(dossier, flags.proposal);
  if (target === null || dossier.producer === null) return null;
  const [preferred, over] = [outputRef(dossier, flags.preferred), outputRef(dossier, flags.over)];
  return {
    action: flags.action,
    run: dossier.run,
    producer: dossier.producer,
    target,
    verdict,
    supersedes: flags.supersedes ?? null,
    ...(replacement === undefined ? {} : { replacementOutput: replacement as never }),
    ...(preferred && over ? { prefer: { preferred, over } } : {}),
    quality: flags.quality ?? false,
    externalExport: flags.export ?? false,
    ...(flags.public ? { privacy: 'public', sourceClass: 'public-source' } : {}),
  };
}

/** A retraction names the exact judgment; its target is that judgment's. */
export function retraction(dossier: Dossier, flags: JudgeFlags): RetractJudgmentInput | null {
  const chain = Object.values(dossier.chains).find(({ links }) => links.some((link) => link.eventId === flags.supersedes));
  const active = chain?.active;
  if (!active || !flags.supersedes || dossier.producer === null) return null;
  const target = active.target.kind === 'run' ? ({ kind: 'run' } as const) : outputRef(dossier, active.target.id);
  return target && { action: flags.action, run: dossier.run, producer: dossier.producer, target, retracts: flags.supersedes };
}

function targetOf(dossier: Dossier, named: string | undefined) {
  if (dossier.ended?.kind === 'produced') return { kind: 'output', id: dossier.ended.eventId } as const;
  return outputRef(dossier, named ?? proposalsOf(dossier)[0]?.proposal.eventId);
}

function outputRef(dossier: Dossier, id: string | undefined) {
  if (id === undefined) return null;
  if (dossier.ended?.kind === 'produced' && dossier.ended.eventId === id) return { kind: 'output', id } as const;
  const found = proposalsOf(dossier).find(({ proposal }) => proposal.eventId === id);
  return found ? ({ kind: 'proposal', id, policy: found.policy } as const) : null;
}

async function readReplacement(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as unknown;
  } catch {
    throw new CliError('judgment_file_invalid', file, 'a JSON file');
  }
}

export function replyText(run: string, reply: Judged): string {
  switch (reply.kind) {
    case 'recorded':
      return `${run}: recorded as ${reply.event} (number ${reply.n} of its chain)`;
    case 'already_recorded':
      return `${run}: recorded before as ${reply.event}`;
    case 'refused':
      return [`${run}: refused`, ...reply.reasons.map(refusalText)].join('\n');
    case 'unavailable':
      return `${run}: not known to be recorded (${reply.cause}); send it again`;
    case 'no_target':
      return `${run}: nothing here can be judged so`;
    default:
      return reply satisfies never;
  }
}

const refusalText = ({ code, names, issues }: Refusal): string =>
  [
    `  ${code}${names ? `: ${names}` : ''}`,
    ...(issues ?? []).map((issue) => `    ${issue.code} at ${issue.path || '(whole output)'}`),
  ].join('\n');

function codeOf(reply: Judged): number {
  if (reply.kind === 'recorded' || reply.kind === 'already_recorded') return exitCodes.ok;
  if (reply.kind === 'no_target') return exitCodes.notFound;
  return reply.kind === 'refused' ? exitCodes.refused : exitCodes.failed;
}
