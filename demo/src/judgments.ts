import { readFile } from 'node:fs/promises';
import { Authority } from '@emend/client';
import { judgmentOn, retraction } from '@emend/cli';
import type { JudgmentReply } from '@emend/contracts';
import type { Dossier } from '@emend/history';
import type { Broker } from '@emend/log';

/** One line of `demo/judgments.json`. `answer` is the producer's reference of the run. */
export interface DemoJudgment {
  readonly act: 'accept' | 'correct' | 'reject' | 'retract';
  readonly answer: string;
  readonly authority: string;
  readonly action: string;
  readonly quality?: boolean;
  readonly export?: boolean;
  readonly public?: boolean;
  readonly replacement?: unknown;
  /** The action of the earlier judgment that this one supersedes or retracts. */
  readonly of?: string;
}

export interface AppliedJudgment {
  readonly judgment: DemoJudgment;
  readonly outcome: JudgmentReply['kind'] | 'no_target';
}

export async function readJudgments(file: string): Promise<readonly DemoJudgment[]> {
  return JSON.parse(await readFile(file, 'utf8')) as readonly DemoJudgment[];
}

/** Sends the judgments one after the other, each on the run as it stands then. */
export async function applyJudgments(
  broker: Broker,
  judgments: readonly DemoJudgment[],
  dossierOf: (answer: string) => Promise<Dossier | undefined>,
): Promise<readonly AppliedJudgment[]> {
  const ids = new Map<string, string>();
  const applied: AppliedJudgment[] = [];
  for (const judgment of judgments) {
    const dossier = await dossierOf(judgment.answer);
    const reply = dossier && (await send(broker, judgment, dossier, ids));
    if (reply?.kind === 'recorded' || reply?.kind === 'already_recorded') ids.set(judgment.action, reply.event);
    applied.push({ judgment, outcome: reply?.kind ?? 'no_target' });
  }
  return applied;
}

async function send(
  broker: Broker,
  judgment: DemoJudgment,
  dossier: Dossier,
  ids: ReadonlyMap<string, string>,
): Promise<JudgmentReply | undefined> {
  const { act, of, replacement, quality, export: mayLeave, public: isPublic } = judgment;
  const earlier = of === undefined ? undefined : ids.get(of);
  const flags = {
    authority: judgment.authority,
    action: judgment.action,
    ...(earlier === undefined ? {} : { supersedes: earlier }),
    ...(quality === undefined ? {} : { quality }),
    ...(mayLeave === undefined ? {} : { export: mayLeave }),
    ...(isPublic === undefined ? {} : { public: isPublic }),
  };
  const authority = new Authority(broker, judgment.authority);
  if (act === 'retract') {
    const command = retraction(dossier, flags);
    return command ? authority.retract(command) : undefined;
  }
  const command = judgmentOn(dossier, act, flags, replacement);
  return command ? authority.record(command) : undefined;
}
