import {
  agentRefOf,
  conceptualizationGraph,
  diagnosticClasses,
  type DiagnosticClass,
  type EncodedEvent,
  encodeEvent,
  outputRepairPolicy,
  type PolicyDefinition,
  policyIdentityOf,
  repairableClasses,
  subjects,
} from '@emend/contracts';
import { describe, expect, it } from 'vitest';
import { agentDeclaration, diagnosed, provenance, runStory, tampered } from '../../../test/support/history.js';
import { decideEligibility, rules } from '../src/domain/eligibility.js';
import { assembleEvidence } from '../src/domain/evidence.js';
import { factsOf } from './support.js';

type Events = readonly Pick<EncodedEvent, 'subject' | 'bytes'>[];

const run = runStory();
const control: Events = [...run.declared, run.started(), run.failed()];

async function decide(events: Events, policy: PolicyDefinition = outputRepairPolicy) {
  return decideEligibility(assembleEvidence(await factsOf(events)), policy);
}

async function codesOf(events: Events, policy?: PolicyDefinition): Promise<readonly string[]> {
  const decision = await decide(events, policy);
  return decision.kind === 'eligible' ? [] : decision.reasons.map(({ code }) => code);
}

const failedWith = (data: Parameters<typeof run.failed>[0]): Events => [...run.declared, run.started(), run.failed(data)];
const failedAs = (kind: DiagnosticClass, change: object = {}): Events =>
  failedWith({ data: { diagnostic: diagnosed(run.contract, { class: kind, ...change }) } });

describe('eligibility', () => {
  it('a failed standard run with complete, agreeing evidence is eligible (T13 to T25)', async () => {
    expect(await codesOf(control)).toEqual([]);
  });

  it("equal evidence gives equal request bytes, and the time is the failure's own (T7, T11)", async () => {
    const [first, second] = [await decide(control), await decide(control.toReversed().reverse())];
    if (first.kind !== 'eligible' || second.kind !== 'eligible') throw new Error('expected eligible');
    expect(encodeEvent(first.request)).toEqual(encodeEvent(second.request));
    expect(first.request.time).toBe((await factsOf(control)).ended.event.time);
    expect(encodeEvent(first.request).subject).toBe(subjects.repairRequested({ run: run.run, policy: run.policy }));
  });

  it('the request is the one that the shared builder writes, byte for byte', async () => {
    const decision = await decide(control);
    if (decision.kind !== 'eligible') throw new Error('expected eligible');
    const request = encodeEvent(decision.request);
    const built = run.request();
    const dataOf = (event: EncodedEvent): unknown => (JSON.parse(new TextDecoder().decode(event.bytes)) as { data: unknown }).data;
    expect([request.subject, request.id, dataOf(request)]).toEqual([built.subject, built.id, dataOf(built)]);
  });

  it.each(repairableClasses.filter((kind) => kind !== 'semantic_validation'))('%s is eligible (T26, T27)', async (kind) => {
    expect(await codesOf(failedAs(kind))).toEqual([]);
  });

  it('a semantic failure with an allow-listed rule is eligible (T28)', async () => {
    const broken = { ruleId: 'evidence-quote-verbatim', issues: [{ code: 'rule_broken', path: '/evidence/0/quote' }] };
    expect(await codesOf(failedAs('semantic_validation', broken))).toEqual([]);
  });

  it('a semantic failure that the policy does not allow-list is ineligible (T44)', async () => {
    expect(await codesOf(failedAs('semantic_validation', { ruleId: 'evidence-in-context' }))).toEqual(['rule_not_allowlisted']);
  });

  const terminal = diagnosticClasses.filter((kind) => !repairableClasses.some((one) => one === kind));
  it.each(terminal)('%s is never repaired (T30 to T39)', async (kind) => {
    expect(await codesOf(failedAs(kind))).toEqual(['diagnostic_not_repairable']);
  });

  it('a run that produced an output is not failed and has its output (T13, T15)', async () => {
    expect(await codesOf([...run.declared, run.started(), run.produced()])).toEqual(['run_not_failed', 'output_exists']);
  });

  it('a run of a repair declaration is ineligible (T14)', async () => {
    const agent = agentDeclaration(run.contract, { role: 'repair' });
    const declared = encodeEvent({
      name: 'agentDeclared',
      source: 'notes',
      time: '2026-01-01T00:00:00.000Z',
      privacy: 'public',
      sourceClass: 'public-source',
      data: agent,
    });
    const [contract, , policy, source] = run.declared;
    const data = { agent: agentRefOf(agent) };
    expect(
      await codesOf([contract, declared, policy, source, run.started({ data: { ...data, role: 'repair' } }), run.failed({ data })]),
    ).toEqual(['role_not_standard']);
  });

  it('a run that a repair request triggered is ineligible (T16, T42)', async () => {
    const other = runStory({ reference: 'the-original' });
    const trigger = subjects.repairRequested({ run: other.run, policy: other.policy });
    const events = [
      ...run.declared,
      ...other.declared,
      other.started(),
      other.failed(),
      other.request(),
      run.started({ data: { trigger } }),
      run.failed({ data: { trigger } }),
    ];
    expect(await codesOf(events)).toEqual(['repair_origin', 'evidence_inconsistent:root']);
  });

  it('another contract fails terminally (T43, T46, T50)', async () => {
    const graph = runStory({ contract: conceptualizationGraph });
    const events = [
      ...graph.declared,
      graph.started(),
      graph.failed({ data: { diagnostic: diagnosed(graph.contract, { issues: [], issueCount: 0 }) } }),
    ];
    expect(await codesOf(events)).toEqual(['contract_unsupported']);
  });

  const [contractDeclared, agentDeclared, policyDeclared, source] = run.declared;
  const missing: readonly (readonly [string, Events])[] = [
    ['started', [...run.declared, run.failed()]],
    ['trigger', [contractDeclared, agentDeclared, policyDeclared, run.started(), run.failed()]],
    ['declaration', [contractDeclared, policyDeclared, source, run.started(), run.failed()]],
    ['contract', [agentDeclared, policyDeclared, source, run.started(), run.failed()]],
  ];
  it.each(missing)('without its %s a run is ineligible (T18 to T24, T40)', async (part, events) => {
    expect(await codesOf(events)).toEqual([`evidence_missing:${part}`]);
  });

  it('what was stored after the end is no evidence for it', async () => {
    expect(await codesOf([contractDeclared, policyDeclared, source, run.started(), run.failed(), agentDeclared])).toEqual([
      'evidence_missing:declaration',
    ]);
  });

  const foreign = { id: run.contract.ref.id, version: 1, hash: 'e'.repeat(64) };
  const otherAgent = { ...agentRefOf(run.agent), promptHash: 'd'.repeat(64) };
  const contradictions: readonly (readonly [string, Events])[] = [
    ['run/reference', [...run.declared, run.started(), run.failed({ data: { reference: 'another' } })]],
    ['ended/started', [...run.declared, run.started(), run.failed({ data: { started: 'x'.repeat(22) } })]],
    ['root', [...run.declared, run.started(), tampered(run.failed(), { envelope: { rootid: 'r'.repeat(22) } })]],
    ['started/agent', [...run.declared, run.started({ data: { agent: otherAgent } }), run.failed()]],
    [
      'declaration/prompt',
      [
        contractDeclared,
        tampered(agentDeclared, { data: { prompt: 'Another prompt.' } }),
        policyDeclared,
        source,
        run.started(),
        run.failed(),
      ],
    ],
    ['started/contract', [...run.declared, run.started({ data: { contract: foreign } }), run.failed()]],
    ['diagnostic/contract', failedWith({ data: { diagnostic: { ...diagnosed(run.contract), contract: foreign } } })],
    [
      'registry/contract',
      [tampered(contractDeclared, { data: { hash: 'f'.repeat(64) } }), agentDeclared, policyDeclared, source, run.started(), run.failed()],
    ],
  ];
  it.each(contradictions)('evidence that contradicts itself (%s) makes a run ineligible (T25, T41)', async (pair, events) => {
    expect(await codesOf(events)).toEqual([`evidence_inconsistent:${pair}`]);
  });

  it('a trigger that the claim and the end name differently is a contradiction', async () => {
    const other = runStory({ reference: 'other-source' });
    const events = [...run.declared, other.source(), run.started({ data: { trigger: other.trigger } }), run.failed()];
    expect(await codesOf(events)).toEqual(['evidence_inconsistent:trigger']);
  });

  it('a declaration other than the one that ran is a contradiction', async () => {
    const events = [...run.declared, run.started({ data: { agent: otherAgent } }), run.failed({ data: { agent: otherAgent } })];
    expect(await codesOf(events)).toEqual(['evidence_inconsistent:declaration/agent']);
  });

  it('a contract hash that differs is bad evidence, never a reason to use a similar schema (T49)', async () => {
    const everywhere = { contract: foreign, diagnostic: { ...diagnosed(run.contract), contract: foreign } };
    const events = [...run.declared, run.started({ data: { contract: foreign } }), run.failed({ data: everywhere })];
    expect(await codesOf(events)).toEqual(['evidence_inconsistent:declaration/contract', 'evidence_inconsistent:registry/contract']);
  });

  const unclean: readonly (readonly [string, object])[] = [
    ['a field more', { note: 'the model said so' }],
    ['a free sentence as a code', { issues: [{ code: 'expected number, got "secret"', path: '' }] }],
    ["a name that is not the contract's", { issues: [{ code: 'type', path: '/invented' }] }],
    ['a class without its rule', { class: 'semantic_validation' }],
  ];
  it.each(unclean)('a diagnostic with %s disqualifies (T29)', async (_what, change) => {
    const codes = await codesOf(failedWith({ data: { diagnostic: { ...diagnosed(run.contract), ...change } } }));
    expect(codes).toEqual(['diagnostic_unsanitized']);
  });

  it('a policy with narrower limits refuses what is beyond them', async () => {
    const narrow = { ...outputRepairPolicy, limits: { issuesMax: 0, issuePathMax: 128 } };
    expect(await codesOf(control, narrow)).toEqual(['diagnostic_unsanitized']);
  });

  it('all reasons are returned, in the order of the rules', async () => {
    const events = [...run.declared, run.failed({ data: { contract: foreign, diagnostic: { class: 'timeout', raw: 'x' } } })];
    const codes = await codesOf(events, { ...outputRepairPolicy, contracts: [] });
    expect(codes).toEqual([
      'contract_unsupported',
      'evidence_missing:started',
      'evidence_inconsistent:declaration/contract',
      'evidence_inconsistent:registry/contract',
      'diagnostic_unsanitized',
    ]);
  });

  it('the original model of the request is the one of the claim (T69 to T72)', async () => {
    const model = provenance({ model: 'another' });
    const decision = await decide([...run.declared, run.started({ data: { model } }), run.failed()]);
    expect(decision.kind === 'eligible' && decision.request.data.model).toEqual(model);
  });

  it('the policy identity is id, version and hash of the definition (T8, T9)', async () => {
    const decision = await decide(control);
    expect(decision.kind === 'eligible' && decision.request.data.policy).toEqual(policyIdentityOf(outputRepairPolicy));
  });

  it('every rule has a code of its own', () => {
    expect(new Set(rules.map(({ codes }) => codes)).size).toBe(rules.length);
  });
});
