import { type AgentDeclared, encodeEvent, observation, readEvent } from '@emend/contracts';
import { describe, expect, it } from 'vitest';
import { decideActivation, outcomes, refusals } from '../src/domain/activation.js';
import { agentDeclared, contract, contractDeclared, corrector, toldAt } from './scene.js';

const read = (agent: AgentDeclared) => readEvent(agentDeclared(agent));
const good = { declaration: read(corrector()), contract: readEvent(contractDeclared) };
const envelope = { source: 'declare', time: toldAt, privacy: 'public', sourceClass: 'public-source' } as const;
const another = { ...contract.ref, id: observation.id };

describe('an enabled service', () => {
  it('is ready with its declaration and the contract that it writes', () => {
    expect(decideActivation(contract.ref, good)).toMatchObject({ kind: 'ready', agent: { id: 'transcript-correction' } });
  });

  const cases: readonly (readonly [keyof typeof refusals, Partial<typeof good>])[] = [
    ['declaration_missing', { declaration: null as never }],
    ['declaration_unreadable', { declaration: readEvent(contractDeclared) }],
    ['declaration_unreadable', { declaration: { kind: 'void', code: 'not_json' } }],
    ['declaration_not_intact', { declaration: read({ ...corrector(), prompt: 'Another one.' }) }],
    ['declaration_role_not_standard', { declaration: read(corrector({ role: 'repair' })) }],
    ['contract_not_ours', { declaration: read(corrector({ contract: another })) }],
    ['contract_not_ours', { declaration: read(corrector({ contract: { ...contract.ref, hash: 'f'.repeat(64) } })) }],
    ['contract_missing', { contract: null as never }],
    [
      'contract_missing',
      {
        contract: readEvent(
          encodeEvent({ ...envelope, name: 'contractDeclared', data: { definition: observation, hash: contract.ref.hash } }),
        ),
      },
    ],
  ];
  it.each(cases)('is refused as %s, case %#', (reason, change) => {
    expect(decideActivation(contract.ref, { ...good, ...change })).toEqual({ kind: 'refuses', reason });
  });

  it('has a case here for every refusal', () => {
    expect([...new Set(cases.map(([reason]) => reason))].sort()).toEqual(Object.keys(refusals).sort());
    expect(Object.values(outcomes).filter(({ ok }) => !ok)).toHaveLength(1);
  });
});
