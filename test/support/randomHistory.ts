import {
  chainIdOf,
  type EncodedEvent,
  type JsonValue,
  outputRepairPolicy,
  type PolicyDefinition,
  privacyLevels,
  sourceClasses,
  subjects,
} from '@emend/contracts';
import fc from 'fast-check';
import type { ChainStory, JudgmentFacts } from './chainStory.js';
import { type RunFacts, type RunStory, runStory } from './history.js';
import { minute, observed, provenance, unfit } from './specimens.js';
import { garbageOn, StoredLog, tampered } from './storedLog.js';

/** What a writer sends to a place. Where the place is taken, the log refuses it. */
export type Attempt = Pick<EncodedEvent, 'subject' | 'bytes'>;

/** A log as random writers left it. */
export interface RandomHistory {
  readonly log: StoredLog;
  /** All appends in order, those that were refused too. */
  readonly attempts: readonly Attempt[];
  /** The run ids, and each run's own attempts in order. */
  readonly runs: readonly { readonly run: string; readonly attempts: readonly Attempt[] }[];
  /** What stands before any run: the declarations and, mostly, the contract. */
  readonly declared: readonly Attempt[];
}

export const secondPolicy: PolicyDefinition = { ...outputRepairPolicy, id: 'example.other-repair' };

const authorities = ['anna', 'ben', 'cleo'] as const;
const acts = ['accept', 'correct', 'reject', 'retract', 'accept', 'correct', 'prefer'] as const;
const voidActs = ['garbage', 'unfit', 'no_replacement', 'supersedes_nothing', 'leap', 'rejudge'] as const;
const endings = ['unfit', 'garbage', 'other_start', 'none'] as const;
const repairs = ['none', 'requested', 'claimed', 'failed', 'unfit', 'garbage', 'other_claim'] as const;

/** Mostly the usual, so that what follows from it is reached as well. */
const mostly = <Usual, Other>(usual: readonly Usual[], others: readonly Other[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

const privacy = fc.constantFrom(...privacyLevels);
const sourceClass = fc.constantFrom(...sourceClasses);

const step = fc.record({
  authority: fc.constantFrom(...authorities),
  /** `own` is the output of a run that has one, else a proposal. */
  target: fc.constantFrom('own', 'own', 'own', 'own', 'own', 'own', 'first', 'second', 'output', 'run'),
  act: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...acts) }, { weight: 1, arbitrary: fc.constantFrom(...voidActs) }),
  /** Few minutes, so that many are equal. */
  observedMinute: fc.integer({ min: 10, max: 13 }),
  quality: fc.boolean(),
  externalExport: fc.boolean(),
  privacy,
  sourceClass,
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const plan = fc.record({
  privacy,
  sourceClass,
  sourcePrivacy: privacy,
  adapter: fc.option(fc.record({ privacy, exportPolicy: fc.constantFrom('allowed' as const, 'forbidden' as const) }), { freq: 2 }),
  ending: mostly(['failed', 'failed', 'failed', 'produced'] as const, endings),
  first: mostly(['proposed'] as const, repairs),
  second: mostly(['proposed', 'none'] as const, repairs),
  steps: fc.array(step, { maxLength: 10 }),
  /** Events that change places with the one after them: evidence that comes too late. */
  late: fc.option(fc.nat(20), { freq: 4 }),
  /** Events that an operator erased. */
  erased: fc.option(fc.nat(20), { freq: 6 }),
  /** Events that somebody writes again with other bytes. */
  again: fc.option(fc.nat(20), { freq: 2 }),
});
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

/**
 * Random histories: runs side by side, valid and failed originals, up to two proposals, three authorities, chains with supersessions and
 * retractions, equal observation times, mixed privacy, void events of every kind, tombstones, second writers of a place, late evidence.
 */
export const randomHistory = (options: { readonly runsMax?: number } = {}): fc.Arbitrary<RandomHistory> =>
  fc
    .record({
      plans: fc.array(plan, { minLength: 1, maxLength: options.runsMax ?? 3 }),
      turns: fc.array(fc.nat(5), { maxLength: 80 }),
      lateContract: fc.option(fc.nat(30), { freq: 10 }),
    })
    .map(({ plans, turns, lateContract }) => {
      const stories = plans.map((one, index) => attemptsOf(one, index));
      const { contractDeclared, agentDeclared, policyDeclared } = runStory();
      const before = [agentDeclared, policyDeclared, runStory({ policy: secondPolicy }).policyDeclared];
      const attempts = [...before, ...interleaved(stories, turns)];
      attempts.splice(lateContract ?? 0, 0, contractDeclared);
      const log = new StoredLog();
      log.append(...attempts);
      return { log, attempts, runs: stories, declared: [contractDeclared, ...before] };
    });

/** One order of all attempts in which each run keeps its own. */
export function interleaved(runs: readonly { readonly attempts: readonly Attempt[] }[], turns: readonly number[]): Attempt[] {
  const waiting = runs.map((one) => [...one.attempts]);
  const order: Attempt[] = [];
  for (const turn of turns) {
    const next = waiting[turn % waiting.length]?.shift();
    if (next !== undefined) order.push(next);
  }
  return [...order, ...waiting.flat()];
}

function attemptsOf(chosen: Plan, index: number): RandomHistory['runs'][number] {
  const facts: Partial<RunFacts> = {
    reference: `run-${index}`,
    privacy: chosen.privacy,
    sourceClass: chosen.sourceClass,
    repairModel: provenance({ model: 'large-1', learnedAdapter: chosen.adapter && { id: 'house-style', ...chosen.adapter } }),
  };
  const first = runStory(facts);
  const second = runStory({ ...facts, policy: secondPolicy });
  const attempts: Attempt[] = [
    first.source({ privacy: chosen.sourcePrivacy }),
    first.started(),
    ...endOf(first, chosen.ending),
    ...repairOf(first, chosen.first, 'one'),
    ...repairOf(second, chosen.second, 'two'),
    ...judgmentsOf(first, second, chosen),
  ];
  if (chosen.late !== null) swap(attempts, chosen.late);
  const erased = chosen.erased === null ? undefined : attempts[chosen.erased];
  if (erased !== undefined) attempts[chosen.erased ?? 0] = first.erased(erased.subject);
  const again = chosen.again === null ? undefined : attempts[chosen.again];
  if (again !== undefined) attempts.push(garbageOn(again.subject));
  return { run: first.run, attempts };
}

function endOf(story: RunStory, ending: Plan['ending']): readonly Attempt[] {
  if (ending === 'none') return [];
  if (ending === 'failed') return [story.failed()];
  if (ending === 'garbage') return [garbageOn(story.produced().subject)];
  if (ending === 'other_start') return [story.produced(observed('original'), { data: { started: story.idOf.source } })];
  return [story.produced(ending === 'unfit' ? unfit : observed('original'))];
}

function repairOf(story: RunStory, repair: Plan['first'], title: string): readonly Attempt[] {
  if (repair === 'none') return [];
  const claimed = [story.request(), story.claim()];
  const settled: Readonly<Partial<Record<Plan['first'], () => Attempt>>> = {
    proposed: () => story.proposal(observed(title)),
    failed: () => story.repairFailed(),
    unfit: () => story.proposal(unfit),
    garbage: () => garbageOn(story.proposal().subject),
    other_claim: () => story.proposal(observed(title), { data: { started: story.idOf.source } }),
  };
  const last = settled[repair];
  return repair === 'requested' ? claimed.slice(0, 1) : [...claimed, ...(last ? [last()] : [])];
}

function judgmentsOf(first: RunStory, second: RunStory, { steps, ending, second: other }: Plan): readonly Attempt[] {
  const targets = { first: first.proposed, second: second.proposed, output: first.output, run: first.wholeRun };
  const chains = new Map<string, ChainStory>();
  return steps.map((one, at) => {
    const own = ending === 'produced' ? 'output' : other === 'proposed' && at % 2 === 1 ? 'second' : 'first';
    const target = one.act === 'prefer' ? 'run' : one.target === 'own' ? own : one.target;
    const key = `${one.authority} ${target}`;
    const chain = chains.get(key) ?? first.chain(one.authority, targets[target]);
    chains.set(key, chain);
    return judged(chain, one, { title: observed(`correction ${at}`), first, second });
  });
}

interface Around {
  readonly title: JsonValue;
  readonly first: RunStory;
  readonly second: RunStory;
}

function judged(chain: ChainStory, { act, observedMinute, ...rest }: Step, { title, first, second }: Around): Attempt {
  const over: JudgmentFacts = { ...rest, observedAt: minute(observedMinute) };
  switch (act) {
    case 'accept':
      return chain.accept(over);
    case 'reject':
      return chain.reject(over);
    case 'correct':
      return chain.correct(title, over);
    case 'prefer':
      return chain.prefer(first.idOf.settlement, second.idOf.settlement, over);
    case 'retract':
      return chain.retract(over);
    case 'garbage':
      return chain.void(({ n, authority, target }) =>
        garbageOn(subjects.judgment({ run: first.run, chain: chainIdOf({ authority, target: target.id }), n })),
      );
    case 'unfit':
      return chain.void((link, supersedes) => first.judgment(link, { verdict: 'correct', supersedes, replacementOutput: unfit }, over));
    case 'no_replacement':
      return chain.void((link, supersedes) => first.judgment(link, { verdict: 'correct', supersedes }, over));
    case 'supersedes_nothing':
      return chain.void((link) => first.judgment(link, { verdict: 'accept', supersedes: first.idOf.source }, over));
    case 'leap':
      return chain.void((link, supersedes) => first.judgment({ ...link, n: link.n + 50 }, { verdict: 'accept', supersedes }, over));
    case 'rejudge':
      return chain.void((link) => tampered(first.judgment(link, { verdict: 'accept' }, over), { data: { verdict: 'adore' } }));
    default:
      return act satisfies never;
  }
}

function swap(attempts: Attempt[], at: number): void {
  const [one, other] = [attempts[at], attempts[at + 1]];
  if (one === undefined || other === undefined) return;
  attempts[at] = other;
  attempts[at + 1] = one;
}
