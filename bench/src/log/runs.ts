import {
  agentRefOf,
  compileContract,
  declareAgent,
  type EncodedEvent,
  type EventDraft,
  encodeEvent,
  eventIdOf,
  observation,
  runIdOf,
  subjects,
} from '@emend/contracts';

const time = '2026-01-01T00:00:00.000Z';
const open = { source: 'bench', time, privacy: 'public', sourceClass: 'public-source' } as const;
const contract = compileContract(observation);
const agent = declareAgent({
  id: 'bench.observer',
  version: 1,
  role: 'standard',
  tier: 'small',
  subscriptions: [],
  contract: contract.ref,
  prompt: 'Say what you observe.',
  outputPrivacy: 'public',
  learnedAdapter: null,
  limits: { outputTokensMax: 512, generationMs: 30_000 },
  enabled: true,
});
const model = {
  provider: 'bench',
  model: 'bench-1',
  executionAdapter: 'bench@1',
  learnedAdapter: null,
  catalog: { digest: '0'.repeat(64), generation: 0 },
};

/** About what a small model writes of a field note: the event is close to a kilobyte and a half. */
const output = {
  title: 'Water level at the north gauge',
  summary:
    'The gauge at the north pier stood at 2.14 m at six in the morning, eleven centimetres above the table, with a light swell from the west.',
  tags: ['gauge', 'tide', 'north pier'],
  confidence: 0.8,
  evidence: [{ eventId: 'q7Wm2ZtKc0aVhB4xYdR1Lg', quote: 'stood at 2.14 m at six in the morning' }],
};

export const contractEvent = (): EncodedEvent =>
  encodeEvent({ name: 'contractDeclared', ...open, data: { definition: observation, hash: contract.ref.hash } });

/** The drafts of one healthy run (source, start, output); every fifth run fails instead. */
export function runDrafts(
  series: string,
  number: number,
): readonly [EventDraft<'sourceCaptured'>, EventDraft<'runStarted'>, EventDraft<'outputProduced'> | EventDraft<'runFailed'>] {
  const producer = 'bench';
  const reference = `${series}-${number}`;
  const trigger = subjects.source({ kind: 'note', producer, capture: reference });
  const run = runIdOf({ producer, reference });
  const common = { producer, reference, run, trigger, agent: agentRefOf(agent), contract: contract.ref };
  const envelope = { ...open, rootId: eventIdOf(trigger), causationId: eventIdOf(trigger) };
  const started = eventIdOf(subjects.runStarted({ producer, run }));
  const end = { ...envelope, causationId: started };
  return [
    {
      name: 'sourceCaptured',
      ...open,
      data: { producer, capture: reference, kind: 'note', text: 'The gauge at the north pier stood at 2.14 m at six in the morning.' },
    },
    { name: 'runStarted', ...envelope, data: { ...common, role: 'standard', model, manifest: { sources: [trigger] } } },
    number % 5 === 4
      ? {
          name: 'runFailed',
          ...end,
          data: {
            ...common,
            started,
            diagnostic: {
              class: 'invalid_json',
              contract: contract.ref,
              issues: [{ code: 'not_json', path: '' }],
              issueCount: 1,
              candidateBytes: 212,
            },
          },
        }
      : { name: 'outputProduced', ...end, data: { ...common, started, output, completion: 'exact' } },
  ];
}

export const encodeRun = (series: string, number: number): readonly EncodedEvent[] =>
  runDrafts(series, number).map((draft) => encodeEvent(draft as never));
