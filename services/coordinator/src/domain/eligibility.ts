import {
  canonicalHash,
  type EventDraft,
  joinPrivacy,
  joinSourceClass,
  type PolicyDefinition,
  pathsBelongTo,
  policyIdentityOf,
  runIdOf,
  sameContract,
} from '@emend/contracts';
import type { Evidence } from './evidence.js';

/** One rule of eligibility. `test` returns every reason code it finds; none means that the rule is kept. */
export interface Rule {
  readonly id: string;
  /** When a run is ineligible, in one sentence. */
  readonly sentence: string;
  /** The codes it can give. `<…>` stands for a word from a short list. */
  readonly codes: string;
  readonly covers: string;
  readonly test: (evidence: Evidence, policy: PolicyDefinition) => readonly string[];
}

export interface Reason {
  readonly rule: string;
  readonly code: string;
}

export type Decision =
  | { readonly kind: 'eligible'; readonly request: EventDraft<'repairRequested'> }
  /** All reasons, in the order of the rules. */
  | { readonly kind: 'ineligible'; readonly reasons: readonly Reason[] };

const when = (broken: boolean, code: string): readonly string[] => (broken ? [code] : []);

/** The table of eligibility; `docs/decision-tables/eligibility.md` is compared with it. */
export const rules: readonly Rule[] = [
  {
    id: 'E1',
    sentence: 'The run has not ended in failure.',
    codes: 'run_not_failed',
    covers: 'T13',
    test: ({ ended }) => when(ended.outcome !== 'failed', 'run_not_failed'),
  },
  {
    id: 'E2',
    sentence: 'The run or its declaration has another role than `standard`.',
    codes: 'role_not_standard',
    covers: 'T14, T42',
    test: ({ started, declaration }) =>
      when(
        (declaration !== null && declaration.role !== 'standard') || (started !== null && started.role !== 'standard'),
        'role_not_standard',
      ),
  },
  {
    id: 'E3',
    sentence: 'The run has an output event.',
    codes: 'output_exists',
    covers: 'T15',
    test: ({ ended }) => when(ended.outcome === 'produced', 'output_exists'),
  },
  {
    id: 'E4',
    sentence: 'The run was triggered by a repair request.',
    codes: 'repair_origin',
    covers: 'T16, T42',
    test: ({ ended, trigger }) => when(trigger?.place === 'repairRequested' || isRequestPlace(ended.trigger), 'repair_origin'),
  },
  {
    id: 'E5',
    sentence: 'The policy does not name the contract of the run.',
    codes: 'contract_unsupported',
    covers: 'T17, T43, T46, T50',
    test: ({ ended }, policy) =>
      when(
        !policy.contracts.some(({ id, version }) => id === ended.contract.id && version === ended.contract.version),
        'contract_unsupported',
      ),
  },
  {
    id: 'E6',
    sentence: 'A part of the evidence is missing, or was stored after the end of the run.',
    codes: 'evidence_missing:<started|trigger|declaration|contract|diagnostic>',
    covers: 'T18–T24, T40',
    test: missingParts,
  },
  {
    id: 'E7',
    sentence: 'Two parts of the evidence contradict each other; a contract hash that differs is one of these.',
    codes: 'evidence_inconsistent:<pair>',
    covers: 'T25, T41, T49',
    test: contradictions,
  },
  {
    id: 'E8',
    sentence: 'The policy does not name the class of the diagnostic.',
    codes: 'diagnostic_not_repairable',
    covers: 'T26–T28, T30–T39',
    test: ({ ended: { diagnostic } }, policy) =>
      when(
        diagnostic !== null && diagnostic !== 'unsanitized' && !policy.classes.some((named) => named === diagnostic.class),
        'diagnostic_not_repairable',
      ),
  },
  {
    id: 'E9',
    sentence: 'The semantic rule that was broken is not on the allow-list of the policy.',
    codes: 'rule_not_allowlisted',
    covers: 'T28, T44',
    test: ({ ended: { diagnostic } }, policy) =>
      when(
        diagnostic !== null &&
          diagnostic !== 'unsanitized' &&
          diagnostic.class === 'semantic_validation' &&
          !policy.ruleIds.includes(diagnostic.ruleId ?? ''),
        'rule_not_allowlisted',
      ),
  },
  {
    id: 'E10',
    sentence: 'The diagnostic holds anything but bounded counts, fixed identifiers and cleaned issues.',
    codes: 'diagnostic_unsanitized',
    covers: 'T24, T29',
    test: unsanitized,
  },
];

/** Whether a failed run gets a repair request, and if not, why: a function of the evidence and the policy alone (T7). */
export function decideEligibility(evidence: Evidence, policy: PolicyDefinition): Decision {
  const reasons = rules.flatMap((rule) => rule.test(evidence, policy).map((code) => ({ rule: rule.id, code })));
  if (reasons.length > 0) return { kind: 'ineligible', reasons };
  const request = requestOf(evidence, policy);
  // Unreachable while E6 stands: a run without evidence has a reason.
  return request ? { kind: 'eligible', request } : { kind: 'ineligible', reasons: [{ rule: 'E6', code: 'evidence_missing:started' }] };
}

const isRequestPlace = (place: string): boolean => place.startsWith('stream.thought.agent.repair.requested.');

function missingParts({ ended, started, trigger, declaration, contract }: Evidence): readonly string[] {
  const parts = { started, trigger, declaration, contract, diagnostic: ended.outcome === 'produced' ? 'none needed' : ended.diagnostic };
  return Object.entries(parts).flatMap(([part, found]) => when(found === null, `evidence_missing:${part}`));
}

function contradictions({ run, ended, started, trigger, declaration, contract }: Evidence): readonly string[] {
  const agentsDiffer = (other: { fingerprint: string; promptHash: string }): boolean =>
    other.fingerprint !== ended.agent.fingerprint || other.promptHash !== ended.agent.promptHash;
  const diagnostic = ended.diagnostic === 'unsanitized' ? null : ended.diagnostic;
  const pairs: readonly (readonly [string, boolean])[] = [
    ['run/reference', runIdOf(ended) !== run],
    ['ended/started', started !== null && ended.started !== started.id],
    ['trigger', started !== null && started.trigger !== ended.trigger],
    ['root', [started, trigger].some((witness) => witness !== null && witness.rootId !== ended.rootId)],
    ['started/agent', started !== null && canonicalHash(started.agent) !== canonicalHash(ended.agent)],
    ['declaration/agent', declaration !== null && agentsDiffer(declaration)],
    ['declaration/prompt', declaration !== null && !declaration.intact],
    ['started/contract', started !== null && !sameContract(started.contract, ended.contract)],
    ['declaration/contract', declaration !== null && !sameContract(declaration.contract, ended.contract)],
    ['diagnostic/contract', diagnostic !== null && !sameContract(diagnostic.contract, ended.contract)],
    ['registry/contract', contract !== null && (contract.intact === null || !sameContract(contract.ref, ended.contract))],
  ];
  return pairs.flatMap(([pair, broken]) => when(broken, `evidence_inconsistent:${pair}`));
}

function unsanitized({ ended: { diagnostic }, contract }: Evidence, { limits }: PolicyDefinition): readonly string[] {
  if (diagnostic === null) return [];
  if (diagnostic === 'unsanitized') return ['diagnostic_unsanitized'];
  const withinLimits =
    diagnostic.issues.length <= limits.issuesMax && diagnostic.issues.every((issue) => issue.path.length <= limits.issuePathMax);
  const ownPaths = !contract?.intact || pathsBelongTo(contract.intact, diagnostic.issues);
  return when(!withinLimits || !ownPaths, 'diagnostic_unsanitized');
}

/** The request follows by rule from the failure alone, so equal evidence gives equal bytes: its time is the failure's. */
function requestOf(evidence: Evidence, policy: PolicyDefinition): EventDraft<'repairRequested'> | null {
  const { ended, started, trigger, declaration } = evidence;
  if (!started || !trigger || !declaration || ended.diagnostic === null || ended.diagnostic === 'unsanitized') return null;
  return {
    name: 'repairRequested',
    source: 'coordinator',
    time: ended.time,
    rootId: ended.rootId,
    causationId: ended.id,
    privacy: joinPrivacy([trigger.privacy, started.privacy, ended.privacy]),
    sourceClass: joinSourceClass([trigger.sourceClass, started.sourceClass, ended.sourceClass]),
    data: {
      producer: ended.producer,
      run: evidence.run,
      policy: policyIdentityOf(policy),
      failed: ended.id,
      started: started.id,
      trigger: ended.trigger,
      declaration: declaration.id,
      agent: ended.agent,
      contract: ended.contract,
      model: started.model,
      diagnostic: ended.diagnostic,
    },
  };
}
