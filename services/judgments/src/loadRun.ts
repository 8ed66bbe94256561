import { chainIdOf, eventIdOf, subjects } from '@emend/contracts';
import type { FoldedEvent } from '@emend/history';
import { type JudgmentCommand, judgmentNamedBy, placesNamedBy, targetOf } from './domain/command.js';
import { foldRun, type JudgedRun } from './domain/judgedRun.js';
import type { Patience } from '@emend/runtime';
import type { JudgmentLog, PlacedEvent } from './ports.js';

export type LoadedRun =
  | { readonly kind: 'loaded'; readonly run: JudgedRun }
  /** An event from a newer writer: nothing is decided beside it. */
  | { readonly kind: 'unknown_version' };

/** Reads what a command rests on: the places it names, the run's contract, and the judgments of the run. */
export async function loadRun(log: JudgmentLog, command: JudgmentCommand, patience: Patience): Promise<LoadedRun> {
  const named = await readNamed(log, placesNamedBy(command), patience);
  const contract = await readNamed(log, named.flatMap(contractPlace), patience);
  const judgments = await readJudgments(log, command, patience);
  const events: FoldedEvent[] = [];
  for (const { subject, sequence, read } of [...named, ...contract, ...judgments]) {
    if (read.kind === 'unknown_version') return { kind: 'unknown_version' };
    events.push({ subject, sequence, read });
  }
  return { kind: 'loaded', run: foldRun(command.run, events) };
}

/** Reads places side by side, and those that are not found again, as long as there is patience. */
async function readNamed(log: JudgmentLog, places: readonly string[], patience: Patience): Promise<readonly PlacedEvent[]> {
  const found: PlacedEvent[] = [];
  let missing = places;
  do {
    const read = await Promise.all(missing.map(async (place) => ({ place, event: await log.get(place) })));
    found.push(...read.flatMap(({ event }) => event ?? []));
    missing = read.flatMap(({ place, event }) => (event === null ? [place] : []));
  } while (missing.length > 0 && (await patience.again()));
  return found;
}

/** The contract that the run itself names. A repair's claim names the same one, or its proposal is void. */
function contractPlace({ read }: PlacedEvent): readonly string[] {
  if (read.kind !== 'event' || read.event.name !== 'runStarted' || read.event.data.repair !== undefined) return [];
  return [subjects.contract(read.event.data.contract)];
}

/** A judgment that the command names is a reference like any other: not found, it is asked for again. */
async function readJudgments(log: JudgmentLog, command: JudgmentCommand, patience: Patience): Promise<readonly PlacedEvent[]> {
  const wanted = judgmentNamedBy(command);
  for (;;) {
    const judgments = await readOnce(log, command);
    const isThere = wanted === null || judgments.some(({ subject }) => eventIdOf(subject) === wanted);
    if (isThere || !(await patience.again())) return judgments;
  }
}

/** All authorities' judgments, and along the command's own chain also what that read did not see yet. */
async function readOnce(log: JudgmentLog, command: JudgmentCommand): Promise<readonly PlacedEvent[]> {
  const { run, authority } = command;
  const chain = chainIdOf({ authority, target: targetOf(command).id });
  const byPlace = new Map((await log.judgmentsOf(run)).map((event) => [event.subject, event]));
  for (let n = 1; ; n += 1) {
    const place = subjects.judgment({ run, chain, n });
    const event = byPlace.get(place) ?? (await log.get(place));
    if (event === null) return [...byPlace.values()];
    byPlace.set(place, event);
  }
}
