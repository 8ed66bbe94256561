import { canonicalHash, chainIdOf, type EventOf } from '@emend/contracts';
import { type Chain, type ChainLink, type Dossier, type Judgment, proposalsOf } from './dossier.js';
import type { FaultCode } from './faults.js';
import type { KnownFacts } from './facts.js';
import { checkOutput } from './runRules.js';

type JudgmentEvent = EventOf<'judgmentRecorded'> | EventOf<'judgmentRetracted'>;

interface LinkFacts {
  readonly dossier: Dossier;
  /** The chain as it stood before this event. */
  readonly chain: Chain;
  readonly event: JudgmentEvent;
  readonly facts: KnownFacts;
}

/** Takes a place without effect: what was active stays active. */
export function takePlace(chain: Chain, link: Pick<ChainLink, 'n' | 'eventId' | 'fault'>): Chain {
  return { ...chain, links: [...chain.links, { ...link, action: null, content: null }] };
}

/** Adds a judgment to its chain: with effect where it follows the rules, else void, its supersession included. */
export function judgeLink(link: LinkFacts): Chain {
  const { chain, event } = link;
  const fault = linkFault(link);
  if (fault !== null) return takePlace(chain, { n: event.data.n, eventId: event.id, fault });
  const links = [
    ...chain.links,
    { n: event.data.n, eventId: event.id, action: event.data.action, content: judgmentContentOf(event), fault: null },
  ];
  return { links, active: event.name === 'judgmentRetracted' ? null : judgmentOf(link, event) };
}

/** What an act said, apart from where and when it was recorded: two sendings of one act have one content. */
export function judgmentContentOf(event: Pick<JudgmentEvent, 'name' | 'data'>): string {
  const { n: _n, chain: _chain, observedAt: _observedAt, ...said } = event.data;
  return canonicalHash({ name: event.name, ...said });
}

/** The first rule of its place that a judgment breaks, or null. */
function linkFault(link: LinkFacts): FaultCode | null {
  const { chain, event } = link;
  const { n, authority, target } = event.data;
  if (event.data.chain !== chainIdOf({ authority, target: target.id })) return 'chain_mismatch';
  if (chain.links.filter((earlier) => earlier.n < n).length !== n - 1) return 'chain_gap';
  if (!targetStands(link.dossier, target)) return 'target_unknown';
  const active = chain.active?.eventId ?? null;
  if (event.name === 'judgmentRetracted') return event.data.retracts === active ? null : 'retracts_mismatch';
  if (event.data.supersedes !== active) return 'supersedes_mismatch';
  return verdictFault(link, event);
}

function targetStands(dossier: Dossier, target: JudgmentEvent['data']['target']): boolean {
  switch (target.kind) {
    case 'output':
      return dossier.ended?.kind === 'produced' && dossier.ended.eventId === target.id;
    case 'proposal':
      return proposalsOf(dossier).some(({ proposal }) => proposal.eventId === target.id);
    case 'run':
      return dossier.run === target.id;
    default:
      return target.kind satisfies never;
  }
}

function verdictFault({ dossier, facts }: LinkFacts, { data }: EventOf<'judgmentRecorded'>): FaultCode | null {
  if ((data.verdict === 'prefer') !== (data.target.kind === 'run')) return 'verdict_target_mismatch';
  if (data.verdict === 'prefer') return preferFault(dossier, data.prefer);
  if (data.verdict !== 'correct') return null;
  if (data.replacementOutput === undefined) return 'replacement_missing';
  const contract = contractOf(dossier);
  if (contract === null) return 'contract_unknown';
  const checked = checkOutput(data.replacementOutput, contract, facts);
  if (checked.kind === 'valid') return null;
  return checked.code === 'output_invalid' ? 'replacement_invalid' : checked.code;
}

/** `prefer` names two contract-valid outputs of its run. */
function preferFault(dossier: Dossier, prefer: Judgment['prefer'] | undefined): FaultCode | null {
  if (!prefer || prefer.preferred === prefer.over) return 'prefer_invalid';
  const outputs = new Set(proposalsOf(dossier).map(({ proposal }) => proposal.eventId));
  if (dossier.ended?.kind === 'produced') outputs.add(dossier.ended.eventId);
  return outputs.has(prefer.preferred) && outputs.has(prefer.over) ? null : 'prefer_invalid';
}

const contractOf = (dossier: Dossier) => (dossier.started?.kind === 'started' ? dossier.started.contract : null);

function judgmentOf({ dossier, facts }: LinkFacts, event: EventOf<'judgmentRecorded'>): Judgment {
  const { verdict, authority, target, observedAt, quality, externalExport, prefer } = event.data;
  const contract = contractOf(dossier);
  const replaced = verdict === 'correct' && contract ? checkOutput(event.data.replacementOutput, contract, facts) : null;
  return {
    eventId: event.id,
    privacy: event.privacy,
    sourceClass: event.sourceClass,
    verdict,
    authority,
    target,
    observedAt,
    quality,
    externalExport,
    replacement: replaced?.kind === 'valid' ? replaced.text : null,
    prefer: verdict === 'prefer' ? (prefer ?? null) : null,
  };
}
