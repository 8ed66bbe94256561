import { randomBytes } from 'node:crypto';
import { type EncodedEvent, outputRepairPolicy, type PolicyDefinition } from '@emend/contracts';
import { expect, it } from 'vitest';
import { diagnosed, garbageOn, observed, provenance, runStory, tampered } from '../../../test/support/history.js';
import { exportTo, filesUnder, freshFolder } from './exports.js';
import { foldedEvents } from './folded.js';

/** A secret that is a token of a subject as well. */
const secret = (): string => `canary${randomBytes(9).toString('hex')}`;

const frozenColumns = [
  'emend_contract',
  'emend_contract_hash',
  'emend_order',
  'emend_original_catalog',
  'emend_original_completion',
  'emend_original_edits',
  'emend_original_execution_adapter',
  'emend_original_learned_adapter',
  'emend_original_model',
  'emend_original_provider',
  'emend_repair_catalog',
  'emend_repair_execution_adapter',
  'emend_repair_learned_adapter',
  'emend_repair_model',
  'emend_repair_provider',
  'emend_source_class',
  'emend_source_kind',
  'emend_trajectory',
];

/** A history with a secret in every field that a row must not offer; some outputs cite what the log calls their source. */
function planted() {
  const secrets: string[] = [];
  const plant = (): string => {
    const one = secret();
    secrets.push(one);
    return one;
  };
  const policy: PolicyDefinition = { ...outputRepairPolicy, id: plant() };
  const facts = { producer: plant(), reference: plant(), capture: plant(), text: `A note about ${plant()}.`, policy };
  const [failing, answering] = [runStory(facts), runStory({ ...facts, reference: plant(), capture: plant(), text: plant() })];
  const cites = (title: string, id: string) => ({ ...(observed(title) as object), evidence: [{ eventId: id, quote: `see ${id}` }] });
  const leaky = diagnosed(failing.contract, { class: 'semantic_validation', ruleId: plant() });
  const events: Pick<EncodedEvent, 'subject' | 'bytes'>[] = [
    ...failing.declared,
    failing.started(),
    failing.failed({ data: { diagnostic: { ...leaky, message: plant(), candidate: plant() } } }),
    failing.request({ data: { diagnostic: leaky } }),
    failing.claim({ data: { claimant: randomBytes(16).toString('base64url') } }),
    failing.proposal(cites('proposed', failing.idOf.source)),
    failing.chain(plant(), failing.proposed).correct(cites('corrected', failing.idOf.ended), { action: plant() }),
    ...answering.declared.slice(3),
    answering.started(),
    answering.produced(cites('original', answering.idOf.source), {
      data: { completion: 'repaired', edits: [{ code: plant(), count: 1 }] },
    }),
    answering.chain(plant(), answering.output).correct(cites('better', answering.run), { action: plant() }),
    garbageOn(`stream.thought.judgment.${failing.run}.x.1`, plant()),
  ];
  const ids = [failing, answering].flatMap(({ idOf, run, repairRun, policy: token, trigger, agent }) => [
    ...Object.values(idOf),
    run,
    repairRun,
    token,
    trigger,
    agent.promptHash,
    agent.fingerprint,
    agent.prompt,
  ]);
  return { events, secrets: [...secrets, ...ids] };
}

it('no secret and no identifier of the log is in any byte of an export (T129, F41)', async () => {
  for (let times = 0; times < 10; times += 1) {
    const { events, secrets } = planted();
    const root = freshFolder();
    const written = await exportTo(foldedEvents(...events), { root });
    expect(written).toMatchObject({ kind: 'written', manifest: { exported: 2 } });
    const files = filesUnder(root);
    expect(Object.keys(files)).toHaveLength(4);
    for (const one of secrets)
      for (const [name, text] of Object.entries(files)) expect(text.includes(one), `${one} in ${name}`).toBe(false);
  }
});

it('a row has the columns of the frozen list, and a message has role and content', async () => {
  const root = freshFolder();
  const { events } = planted();
  await exportTo(foldedEvents(...events), { root });
  for (const [name, text] of Object.entries(filesUnder(root))) {
    if (!name.endsWith('.jsonl')) continue;
    const messages = name.endsWith('pairs.jsonl') ? ['chosen', 'rejected', 'prompt'] : ['completion', 'prompt'];
    for (const line of text.trimEnd().split('\n')) {
      const row = JSON.parse(line) as Record<string, unknown>;
      expect(Object.keys(row).sort()).toEqual([...frozenColumns, ...messages].sort());
      for (const one of messages.flatMap((column) => row[column] as object[])) expect(Object.keys(one).sort()).toEqual(['content', 'role']);
    }
  }
});

it('an adapter that is not public is in no byte, the manifest included', async () => {
  const id = secret();
  const run = runStory({ model: provenance({ learnedAdapter: { id, privacy: 'sensitive', exportPolicy: 'allowed' } }) });
  const root = freshFolder();
  await exportTo(foldedEvents(...run.repaired(), run.chain('anna', run.proposed).accept()), { root });
  expect(JSON.stringify(filesUnder(root))).not.toContain(id);
});

/** What T129 names and the log has no field for: a careless producer may write it beside its fields all the same. */
const beside = [
  'malformedCandidate',
  'prompt',
  'providerRequest',
  'providerResponse',
  'reasoning',
  'toolArguments',
  'imageBytes',
  'message',
  'actor',
  'route',
  'externalId',
  'idempotencyKey',
  'traceHash',
  'checkpoint',
  'quarantined',
];

it.each(beside)('a field called %s beside those of an event is in no byte of an export (T129)', async (field) => {
  const [inData, inEnvelope] = [secret(), secret()];
  const run = runStory();
  const careless = [...run.repaired(), run.chain('anna', run.proposed).correct(observed('better'))].map((event) =>
    // The definitions are hashed whole: a field more makes them void.
    event.subject.includes('declared')
      ? event
      : tampered(event, { data: { [field]: inData }, envelope: { [field.toLowerCase()]: inEnvelope } }),
  );
  const root = freshFolder();
  expect(await exportTo(foldedEvents(...careless), { root })).toMatchObject({ kind: 'written', manifest: { exported: 1 } });
  const written = JSON.stringify(filesUnder(root));
  expect(written).toContain('better');
  for (const one of [inData, inEnvelope]) expect(written).not.toContain(one);
});
