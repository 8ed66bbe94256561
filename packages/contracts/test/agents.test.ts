import { describe, expect, it } from 'vitest';
import {
  type AgentWritten,
  agentIsIntact,
  agentRefOf,
  declareAgent,
  derivedPrivacy,
  encodeEvent,
  fingerprintOf,
  type Privacy,
  promptHashOf,
  readEvent,
  sha256,
} from '../src/index.js';
import { agentWritten, drafts } from './controls.js';

const learned = (privacy: Privacy) => ({ id: 'tuned', privacy, exportPolicy: 'allowed' as const });

/** One change for every field that a declaration has. */
const changes: { readonly [Field in keyof AgentWritten]-?: AgentWritten[Field] } = {
  id: 'notes.other',
  version: 2,
  role: 'repair',
  tier: 'large',
  subscriptions: [],
  contract: { ...agentWritten.contract, version: 2 },
  prompt: `${agentWritten.prompt} `,
  outputPrivacy: 'private',
  learnedAdapter: learned('public'),
  limits: { ...agentWritten.limits, generationMs: 1 },
  enabled: false,
};

describe('a declaration (T20 to T22)', () => {
  it.each(Object.entries(changes))('another %s is another fingerprint', (field, value) => {
    expect(fingerprintOf({ ...agentWritten, [field]: value })).not.toBe(fingerprintOf(agentWritten));
  });

  it('the order of its keys and fields that it does not have change nothing', () => {
    const turned = Object.fromEntries(Object.entries({ ...agentWritten, note: 'x' }).reverse()) as unknown as AgentWritten;
    expect(fingerprintOf(turned)).toBe(fingerprintOf(agentWritten));
    expect(declareAgent(turned)).toEqual(declareAgent(agentWritten));
  });

  it('the prompt hash is the hash of the prompt as it stands, to the byte', () => {
    expect(promptHashOf('é\n')).toBe(sha256(new TextEncoder().encode('é\n')));
    expect(promptHashOf('a')).not.toBe(promptHashOf('a '));
  });

  it('is intact as declared, and after it went through the log', () => {
    const declared = declareAgent(agentWritten);
    expect(agentIsIntact(declared)).toBe(true);
    const read = readEvent(encodeEvent(drafts.agentDeclared));
    expect(read.kind === 'event' && read.event.name === 'agentDeclared' && agentIsIntact(read.event.data)).toBe(true);
  });

  it.each([...Object.entries(changes), ['promptHash', 'a'.repeat(64)], ['fingerprint', 'a'.repeat(64)]])(
    'a declared agent with another %s is not intact',
    (field, value) => {
      expect(agentIsIntact({ ...declareAgent(agentWritten), [field]: value })).toBe(false);
    },
  );

  it('a run names its id, version, fingerprint and prompt hash', () => {
    const declared = declareAgent(agentWritten);
    expect(agentRefOf(declared)).toEqual({
      id: declared.id,
      version: declared.version,
      fingerprint: declared.fingerprint,
      promptHash: declared.promptHash,
    });
  });
});

describe('privacy of a derived event', () => {
  it.each([
    [['public'], 'public', null, 'public'],
    [['public', 'public'], 'sensitive', null, 'sensitive'],
    [['public'], 'private', null, 'private'],
    [['public'], 'public', 'public', 'public'],
    [['public'], 'public', 'sensitive', 'sensitive'],
    [['public'], 'sensitive', 'private', 'private'],
    [['sensitive'], 'public', null, 'private'],
    [['public', 'sensitive'], 'public', null, 'private'],
    [['private'], 'public', 'public', 'private'],
    [[], 'public', null, 'private'],
  ] as const)('from inputs %o, a declaration that says %s and an adapter that is %s: %s', (inputs, outputPrivacy, adapter, derived) => {
    const learnedAdapter = adapter === null ? null : learned(adapter);
    expect(derivedPrivacy(inputs, { outputPrivacy, learnedAdapter })).toBe(derived);
  });
});
