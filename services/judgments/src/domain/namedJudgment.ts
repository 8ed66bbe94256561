import type { JudgedRun, JudgmentFact } from './judgedRun.js';
import type { Link } from './link.js';

/** What is known of a judgment that a command names, seen from the command's own chain. */
export const namedStates = [
  'active',
  'itself',
  'superseded',
  'retracted',
  'retraction',
  'void',
  'other_target',
  'other_authority',
  'unknown',
] as const;
export type NamedState = (typeof namedStates)[number];

export interface Asker {
  readonly run: JudgedRun;
  readonly link: Link;
  readonly authority: string;
}

/** Which of the chain's states the named id is in. Only `active` may be superseded or retracted. */
export function stateOfNamed({ run, link, authority }: Asker, id: string): NamedState {
  if (link.chain.active?.eventId === id) return 'active';
  if (link.eventId === id) return 'itself';
  const named = run.judgments.find((fact) => fact.eventId === id);
  if (named === undefined) return 'unknown';
  if (named.chain !== link.chainId) return otherChain(named, authority);
  if (named.kind === 'void') return 'void';
  if (named.kind === 'retracted') return 'retraction';
  // It is in this chain, was valid and is not active, so a later one of this chain has ended it.
  return run.judgments.some(({ kind, ends }) => kind === 'retracted' && ends === id) ? 'retracted' : 'superseded';
}

function otherChain(named: JudgmentFact, authority: string): NamedState {
  if (named.authority === null) return 'unknown';
  return named.authority === authority ? 'other_target' : 'other_authority';
}
