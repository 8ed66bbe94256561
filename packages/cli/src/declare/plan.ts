import { canonicalHash, compileContract, declareAgent, type EventRead, policyIdentityOf, readEvent, subjects } from '@emend/contracts';
import type { EventLog } from '@emend/log';
import type { Declarations } from './folder.js';

export interface PlanStep {
  readonly what: 'contract' | 'agent' | 'policy';
  readonly name: string;
  readonly subject: string;
  /**
   * `same`: declared already. `differs`: this version is bound to other content, for ever: a new version is needed.
   * `gap`: a policy's versions follow one another, since a coordinator looks for the one after the newest it has.
   */
  readonly state: 'new' | 'same' | 'differs' | 'gap';
}

/** What a declaration would change, before anything is written. */
export async function planDeclarations(log: EventLog, declarations: Declarations): Promise<readonly PlanStep[]> {
  const wanted = [
    ...declarations.contracts.map((one) => ({
      what: 'contract' as const,
      name: `${one.id}@${one.version}`,
      subject: subjects.contract(one),
      identity: compileContract(one).ref.hash,
      before: null,
    })),
    ...declarations.agents.map((one) => ({
      what: 'agent' as const,
      name: `${one.id}@${one.version}`,
      subject: subjects.agent(one),
      identity: canonicalHash(declareAgent(one)),
      before: null,
    })),
    ...declarations.policies.map((one) => ({
      what: 'policy' as const,
      name: `${one.id}@${one.version}`,
      subject: subjects.policy(one),
      identity: policyIdentityOf(one).hash,
      before: one.version > 1 ? subjects.policy({ id: one.id, version: one.version - 1 }) : null,
    })),
  ];
  const isThere = async (subject: string): Promise<boolean> =>
    wanted.some((step) => step.subject === subject) || (await log.get(subject)) !== null;
  return Promise.all(
    wanted.map(async ({ identity, before, ...step }): Promise<PlanStep> => {
      const stored = await log.get(step.subject);
      if (stored === null) return { ...step, state: before !== null && !(await isThere(before)) ? 'gap' : 'new' };
      return { ...step, state: identityOf(readEvent(stored)) === identity ? 'same' : 'differs' };
    }),
  );
}

/** What is bound on the place, as one hash; null where nothing of ours can be read there. */
function identityOf(read: EventRead): string | null {
  if (read.kind !== 'event') return null;
  const { event } = read;
  if (event.name === 'contractDeclared' || event.name === 'policyDeclared') return event.data.hash;
  return event.name === 'agentDeclared' ? canonicalHash(event.data) : null;
}
