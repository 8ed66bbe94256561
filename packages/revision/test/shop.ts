import {
  type Assessment,
  type Complaint,
  type Exchange,
  type Feedback,
  locateSpan,
  noEffectCode,
  replyContract,
  type RevisionStage,
  type SpanEdit,
  type Validator,
} from '@emend/revision';

/** The field that all tests share: edits to the texts of one product page, checked against what its maker can prove. */
export type Fact = 'span' | 'sheet';
export type Check = Validator<SpanEdit, Fact>;

export const page = { title: 'Rain jacket', description: 'A light jacket for the whole familiy, made of wool. It is very very warm.' };

export const edit = (original: string, replacement: string, target = 'description'): SpanEdit => ({ target, original, replacement });

export const exchange: Exchange = {
  messages: [
    { role: 'system', content: 'You correct product pages.' },
    { role: 'user', content: 'Here is an example page.' },
    { role: 'assistant', content: '{"edits": []}' },
    { role: 'user', content: JSON.stringify(page) },
  ],
  reply: 'My edits, as asked:\n{"edits": [ … ]}',
};

const placeOf = ({ target, original }: SpanEdit) => {
  const text = new Map(Object.entries(page)).get(target);
  return text === undefined ? ({ kind: 'target_unknown' } as const) : locateSpan(text, original);
};

const finding = (code: string, explanation: string, more: Partial<Complaint> = {}): Assessment => ({
  kind: 'findings',
  findings: [{ code, explanation, ...more }],
});

export const target: Check = {
  id: 'target',
  kind: 'deterministic',
  needs: [],
  assess({ proposal }) {
    const { kind } = placeOf(proposal);
    return kind === 'found' ? { kind: 'approved' } : finding(kind, 'The original has to stand once in the text that it names.');
  },
};

export const effect: Check = {
  id: 'effect',
  kind: 'deterministic',
  needs: [],
  assess: ({ proposal }) =>
    proposal.original === proposal.replacement ? finding(noEffectCode, 'It replaces a text by itself.') : { kind: 'approved' },
};

const unproven = ['organic', 'waterproof', 'the warmest'];

export const claims: Check = {
  id: 'claims',
  kind: 'deterministic',
  needs: ['span'],
  assess({ proposal }) {
    const made = unproven.filter((claim) => proposal.replacement.includes(claim));
    if (made.length === 0) return { kind: 'approved' };
    return finding('claim_unproven', 'The sheet of the maker does not say so.', { evidence: made, constraints: ['no claim'] });
  },
};

/** A model-backed check that says what it is told to, and counts. */
export function judge(say: (proposal: SpanEdit) => Assessment | Promise<Assessment>): Check & { readonly seen: readonly SpanEdit[] } {
  const seen: SpanEdit[] = [];
  return {
    id: 'meaning',
    kind: 'model_backed',
    needs: ['span'],
    seen,
    assess({ proposal }) {
      seen.push(proposal);
      return say(proposal);
    },
  };
}

const reply = replyContract({
  type: 'object',
  properties: { target: { type: 'string' }, original: { type: 'string' }, replacement: { type: 'string' } },
  required: ['target', 'original', 'replacement'],
  additionalProperties: false,
});

/** Names the proposal, its version and everything that is held against it, so that a test can read it back. */
export const instruction = ({ ref, version, firstProposed, proposed, findings, unavailable, replyFault }: Feedback<SpanEdit>): string =>
  [
    `About ${ref}, version ${version}, and no other proposal.`,
    `First proposed: ${firstProposed.original} -> ${firstProposed.replacement}`,
    `Now proposed: ${proposed.original} -> ${proposed.replacement}`,
    ...findings.map(({ validator, code, explanation, evidence = [] }) =>
      `${validator}/${code}: ${explanation} ${evidence.join(', ')}`.trim(),
    ),
    ...unavailable.map(({ validator }) => `Not assessed: ${validator}`),
    ...(replyFault === null ? [] : [`Your previous reply: ${replyFault}`]),
  ].join('\n');

export const stageOf = (chain: readonly Check[] = [target, effect, claims]): RevisionStage<SpanEdit, Fact> => ({
  chain,
  factsOf: (proposal) => (placeOf(proposal).kind === 'found' ? ['span'] : []),
  reply,
  proposalOf: (correction) => correction as unknown as SpanEdit, // the schema has passed it
  instruction,
});
