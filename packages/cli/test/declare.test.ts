import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Producer } from '@emend/client';
import { memoryBroker } from '@emend/log/memory';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { declare } from '../src/declare/declare.js';
import { readDeclarations, shippedContracts, shippedPolicies } from '../src/declare/folder.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emend-declare-'));
  for (const kind of ['contracts', 'agents', 'policies']) await mkdir(join(folder, kind));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const agentFile = (change = ''): string => `id: my.observer
version: 1
role: standard
tier: small
subscriptions: [stream.thought.source.note.captured]
contract: stream.thought.output.observation@1
prompt: observer.md
outputPrivacy: private
limits: { outputTokensMax: 100, generationMs: 1000 }
enabled: true
${change}`;

async function writeAgent(text = agentFile(), prompt = 'Observe.'): Promise<void> {
  await writeFile(join(folder, 'agents', 'observer.yaml'), text);
  await writeFile(join(folder, 'agents', 'observer.md'), prompt);
}

describe('a folder of declarations', () => {
  it("is read with the shipped ones, and an agent carries its prompt and its contract's hash", async () => {
    await writeAgent();
    const read = await readDeclarations([folder]);
    expect(read.contracts).toEqual(shippedContracts);
    expect(read.policies).toEqual(shippedPolicies);
    expect(read.agents).toMatchObject([{ id: 'my.observer', prompt: 'Observe.', contract: { id: 'stream.thought.output.observation' } }]);
    expect(read.agents[0]?.contract.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  const shipped = async () => (await readDeclarations([join(import.meta.dirname, '../../../deploy/declarations')])).agents;

  it('that ships declares one repair agent: of the escalation tier, for repair requests alone, disabled (T55 to T58)', async () => {
    expect((await shipped()).filter(({ role }) => role === 'repair')).toMatchObject([
      {
        role: 'repair',
        tier: 'escalation',
        subscriptions: ['stream.thought.agent.repair.requested'],
        contract: { id: 'stream.thought.output.observation', version: 1 },
        enabled: false,
      },
    ]);
  });

  it('and one standard agent: for transcripts alone, disabled', async () => {
    expect((await shipped()).filter(({ role }) => role === 'standard')).toMatchObject([
      {
        subscriptions: ['stream.thought.source.transcript.captured'],
        contract: { id: 'stream.thought.output.transcript-correction', version: 1 },
        enabled: false,
      },
    ]);
  });

  const bad: readonly (readonly [string, () => Promise<void>, RegExp])[] = [
    ['text that is no YAML', () => writeAgent('id: [', 'x'), /observer\.yaml: expected YAML/],
    ['a key that is no key of ours', () => writeAgent(agentFile('colour: red')), /observer\.yaml: expected known keys only/],
    [
      'a contract that nobody declares',
      () => writeAgent(agentFile().replace('observation@1', 'other@1')),
      /a contract that is shipped or in the folder/,
    ],
    [
      'a prompt that is not there',
      () => writeAgent(agentFile().replace('observer.md', 'missing.md')),
      /declaration_unreadable: .*missing\.md/,
    ],
    [
      'a contract without a schema',
      () => writeFile(join(folder, 'contracts', 'c.yaml'), 'id: c\nversion: 1\n'),
      /c\.yaml: expected id, version, schema/,
    ],
    [
      'a policy without its limits',
      () => writeFile(join(folder, 'policies', 'p.yaml'), 'id: p\nversion: 1\n'),
      /p\.yaml: expected id, version, contracts/,
    ],
  ];
  it.each(bad)('with %s is refused, and the file is named', async (_what, write, message) => {
    await write();
    await expect(readDeclarations([folder])).rejects.toThrow(message);
  });
});

it('a folder that is not there, or holds nothing of ours, is refused rather than found empty', async () => {
  await expect(readDeclarations([join(folder, 'missing')])).rejects.toThrow(/declaration_unreadable/);
  await expect(readDeclarations([join(folder, 'agents')])).rejects.toThrow(/declaration_unreadable/);
});

describe('a declaration', () => {
  const run = async (log: ReturnType<typeof memoryBroker>['log'], wanted = true) => {
    const declarations = await readDeclarations([folder]);
    return declare({ log, producer: new Producer({ log, producer: 'declare' }), declarations, onPlan: () => wanted });
  };
  const states = (plan: readonly { readonly state: string }[]) => plan.map((step) => step.state);

  it('is planned before it is written, and planned again it is the same', async () => {
    await writeAgent();
    const { log } = memoryBroker();
    expect(states((await run(log)).plan)).toEqual(['new', 'new', 'new', 'new', 'new']);
    expect(states((await run(log)).plan)).toEqual(['same', 'same', 'same', 'same', 'same']);
    expect(await log.lastSequence()).toBe(5);
  });

  it('that stays at the plan writes nothing', async () => {
    const { log } = memoryBroker();
    await run(log, false);
    expect(await log.lastSequence()).toBe(0);
  });

  it('with other content under a declared version is refused whole: nothing is written', async () => {
    const { log } = memoryBroker();
    await writeAgent();
    await run(log);
    await writeAgent(agentFile(), 'Another prompt.');
    await writeFile(
      join(folder, 'policies', 'p.yaml'),
      'id: my.policy\nversion: 1\ncontracts: []\nclasses: []\nruleIds: []\nlimits: { issuesMax: 1, issuePathMax: 1 }\ndecoder: d\nsanitizer: s\n',
    );
    const declared = await run(log);
    expect(declared.kind).toBe('refused');
    expect(states(declared.plan)).toEqual(['same', 'same', 'same', 'differs', 'same', 'new']);
    expect(await log.lastSequence()).toBe(5);
  });

  it('of a policy version without the one before it is refused', async () => {
    const { log } = memoryBroker();
    const policy =
      'id: my.policy\nversion: 2\ncontracts: []\nclasses: []\nruleIds: []\nlimits: { issuesMax: 1, issuePathMax: 1 }\ndecoder: d\nsanitizer: s\n';
    await writeFile(join(folder, 'policies', 'p2.yaml'), policy);
    expect(states((await run(log)).plan).at(-1)).toBe('gap');
    expect(await log.lastSequence()).toBe(0);
    await writeFile(join(folder, 'policies', 'p1.yaml'), policy.replace('version: 2', 'version: 1'));
    expect((await run(log)).kind).toBe('declared');
  });
});
