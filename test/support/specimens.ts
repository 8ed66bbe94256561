import { type AgentDeclared, type Diagnostic, declareAgent, type JsonValue, type OutputContract, type Provenance } from '@emend/contracts';

/** The n-th minute of the tests' day. */
export const minute = (n: number): string => new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString();

/** A valid output of the shipped contract. */
export const observed = (title: string): JsonValue => ({
  title,
  summary: `${title}, in short.`,
  tags: ['test'],
  confidence: 0.5,
  evidence: [],
});

/** An output that the shipped contract refuses. */
export const unfit: JsonValue = { title: 'only a title' };

export const provenance = (change: Partial<Provenance> = {}): Provenance => ({
  provider: 'example',
  model: 'small-1',
  executionAdapter: 'chat',
  learnedAdapter: null,
  catalog: { digest: 'c'.repeat(64), generation: 1 },
  ...change,
});

export const agentDeclaration = (
  contract: OutputContract,
  change: Partial<Omit<AgentDeclared, 'promptHash' | 'fingerprint'>> = {},
): AgentDeclared =>
  declareAgent({
    id: 'example.observer',
    version: 1,
    role: 'standard',
    tier: 'small',
    subscriptions: ['stream.thought.source.note.captured.>'],
    contract: contract.ref,
    prompt: 'Say what you observe.',
    outputPrivacy: 'public',
    learnedAdapter: null,
    limits: { outputTokensMax: 1_000, generationMs: 30_000 },
    enabled: true,
    ...change,
  });

export const diagnosed = (contract: OutputContract, change: Partial<Diagnostic> = {}): Diagnostic => ({
  class: 'contract_violation',
  contract: contract.ref,
  issues: [{ code: 'required', path: '/summary' }],
  issueCount: 1,
  candidateBytes: 120,
  ...change,
});
