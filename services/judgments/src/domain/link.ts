import {
  chainIdOf,
  type EventData,
  eventIdOf,
  type JudgmentTarget,
  joinPrivacy,
  joinSourceClass,
  type Privacy,
  type SourceClass,
  subjects,
} from '@emend/contracts';
import { type Chain, chainOf, judgmentContentOf, repairOf } from '@emend/history';
import { type JudgmentCommand, targetOf } from './command.js';
import type { JudgedRun } from './judgedRun.js';

/** Where a command's judgment would stand: the next free place of its authority's chain on its target. */
export interface Link {
  readonly target: JudgmentTarget;
  readonly chainId: string;
  /** The chain as it was read. */
  readonly chain: Chain;
  readonly n: number;
  readonly eventId: string;
}

export function linkOf({ dossier }: JudgedRun, command: JudgmentCommand): Link {
  const target = targetOf(command);
  const chainId = chainIdOf({ authority: command.authority, target: target.id });
  const chain = chainOf(dossier, chainId);
  const n = firstFree(chain);
  return { target, chainId, chain, n, eventId: eventIdOf(subjects.judgment({ run: command.run, chain: chainId, n })) };
}

/** A void judgment takes its place, also one that leapt ahead, so the chain goes on at the first place that is free. */
function firstFree(chain: Chain): number {
  const taken = new Set(chain.links.map((link) => link.n));
  let n = 1;
  while (taken.has(n)) n += 1;
  return n;
}

export type SaidJudgment =
  | { readonly name: 'judgmentRecorded'; readonly data: EventData<'judgmentRecorded'> }
  | { readonly name: 'judgmentRetracted'; readonly data: EventData<'judgmentRetracted'> };

/** The body of the judgment: what the command says and where it stands. */
export function saidBy(command: JudgmentCommand, { target, chainId, n }: Link, observedAt: string): SaidJudgment {
  const { run, authority, action, claimedAt } = command;
  const link = { run, chain: chainId, n, authority, target, action, observedAt, ...(claimedAt === undefined ? {} : { claimedAt }) };
  if (command.operation === 'retract') return { name: 'judgmentRetracted', data: { ...link, retracts: command.retracts } };
  const { verdict, supersedes, replacementOutput, prefer, quality, externalExport } = command;
  const data = {
    ...link,
    verdict,
    supersedes,
    ...(replacementOutput === undefined ? {} : { replacementOutput }),
    ...(prefer === undefined ? {} : { prefer: { preferred: prefer.preferred.id, over: prefer.over.id } }),
    quality,
    externalExport,
  };
  return { name: 'judgmentRecorded', data };
}

/** What the act says, as history compares it: two sendings of one act have one content. */
export const contentOf = (command: JudgmentCommand, link: Link): string => judgmentContentOf(saidBy(command, link, ''));

/** Whom a judgment takes its class from, and the event it was caused by. */
export interface Witness {
  readonly eventId: string;
  readonly privacy: Privacy;
  readonly sourceClass: SourceClass;
}

/** The events that a judgment is about, the cause first. A judgment of a run is caused by its end, and has seen both outputs it names. */
export function witnessesOf({ dossier }: JudgedRun, command: JudgmentCommand): readonly Witness[] {
  const ended = dossier.ended?.kind === 'produced' || dossier.ended?.kind === 'failed' ? [dossier.ended] : [];
  const proposalAt = (policy: string): readonly Witness[] => {
    const settlement = repairOf(dossier, policy).settlement;
    return settlement?.kind === 'proposed' ? [settlement] : [];
  };
  if (command.target.kind === 'proposal') return proposalAt(command.target.policy);
  if (command.operation === 'retract' || !command.prefer) return ended;
  const { preferred, over } = command.prefer;
  return [...ended, ...[preferred, over].flatMap((one) => (one.kind === 'proposal' ? proposalAt(one.policy) : []))];
}

/** The closest of the command's own word and all that it is about. */
export const classOf = (command: JudgmentCommand, witnesses: readonly Witness[]): Pick<Witness, 'privacy' | 'sourceClass'> => ({
  privacy: joinPrivacy([command.privacy, ...witnesses.map(({ privacy }) => privacy)]),
  sourceClass: joinSourceClass([command.sourceClass, ...witnesses.map(({ sourceClass }) => sourceClass)]),
});
