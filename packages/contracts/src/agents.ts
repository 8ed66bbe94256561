import { canonicalHash, sha256 } from './canonical.js';
import type { AgentDeclared, AgentRef } from './events/data.js';
import { joinPrivacy, type Privacy } from './privacy.js';

/** What `emend declare` reads of an agent; hashes and fingerprint follow from it. */
export type AgentWritten = Omit<AgentDeclared, 'promptHash' | 'fingerprint'>;

/** The hash of a prompt's own UTF-8 bytes. */
export const promptHashOf = (prompt: string): string => sha256(prompt);

/** The declaration's identity: a hash over everything it says, with the hash of its prompt in the prompt's place (T22). */
export function fingerprintOf(written: AgentWritten): string {
  const { prompt, ...rest } = pickAgent(written);
  return canonicalHash({ ...rest, promptHash: promptHashOf(prompt) });
}

export const declareAgent = (written: AgentWritten): AgentDeclared => ({
  ...pickAgent(written),
  promptHash: promptHashOf(written.prompt),
  fingerprint: fingerprintOf(written),
});

/** Whether a declared agent is what its own hashes say (T20 to T22). */
export const agentIsIntact = (agent: AgentDeclared): boolean =>
  agent.promptHash === promptHashOf(agent.prompt) && agent.fingerprint === fingerprintOf(agent);

export const agentRefOf = (agent: AgentDeclared): AgentRef => ({
  id: agent.id,
  version: agent.version,
  fingerprint: agent.fingerprint,
  promptHash: agent.promptHash,
});

/** A derived event is private, unless all its inputs are public and the declaration says that it may be less. */
export function derivedPrivacy(inputs: readonly Privacy[], agent: Pick<AgentDeclared, 'outputPrivacy' | 'learnedAdapter'>): Privacy {
  if (joinPrivacy(inputs) !== 'public') return 'private';
  return joinPrivacy([agent.outputPrivacy, ...(agent.learnedAdapter ? [agent.learnedAdapter.privacy] : [])]);
}

function pickAgent(agent: AgentWritten): AgentWritten {
  const { id, version, role, tier, subscriptions, contract, prompt, outputPrivacy, learnedAdapter, limits, enabled } = agent;
  return { id, version, role, tier, subscriptions, contract, prompt, outputPrivacy, learnedAdapter, limits, enabled };
}
