import {
  applyInOrder,
  applySpan,
  type CallPort,
  type Exchange,
  type Feedback,
  locateSpan,
  repairReport,
  replyContract,
  revise,
  type RevisionStage,
  type SpanEdit,
  spanDocument,
  textsOf,
  type Validator,
} from '@emend/revision';

/** The page of one product, and the claims that its maker can prove. */
export const page = { title: 'Rain jacket', text: 'Keeps the whole familiy dry. Made of wool.' };
const proven = ['recycled'];

const claims = ['organic', 'recycled', 'waterproof'];
const placeOf = ({ target, original }: SpanEdit) => locateSpan(new Map(Object.entries(page)).get(target) ?? '', original);

const chain: readonly Validator<SpanEdit, 'span'>[] = [
  {
    id: 'target',
    kind: 'deterministic',
    needs: [],
    assess({ proposal }) {
      const { kind } = placeOf(proposal);
      if (kind === 'found') return { kind: 'approved' };
      return { kind: 'findings', findings: [{ code: kind, explanation: 'The original must stand exactly once in its text.' }] };
    },
  },
  {
    id: 'claims',
    kind: 'deterministic',
    needs: ['span'], // without its place in the page there is nothing to judge
    assess({ proposal }) {
      const made = claims.filter((claim) => proposal.replacement.includes(claim) && !proven.includes(claim));
      if (made.length === 0) return { kind: 'approved' };
      const explanation = 'The page would claim what the maker cannot prove.';
      return { kind: 'findings', findings: [{ code: 'claim_unproven', explanation, evidence: made, constraints: proven }] };
    },
  },
];

const stage: RevisionStage<SpanEdit, 'span'> = {
  chain,
  factsOf: (proposal) => (placeOf(proposal).kind === 'found' ? ['span'] : []),
  reply: replyContract({
    type: 'object',
    properties: { target: { enum: ['title', 'text'] }, original: { type: 'string' }, replacement: { type: 'string' } },
    required: ['target', 'original', 'replacement'],
    additionalProperties: false,
  }),
  proposalOf: (correction) => correction as unknown as SpanEdit, // the schema has passed it
  instruction,
};

function instruction({ ref, version, proposed, findings }: Feedback<SpanEdit>): string {
  return [
    `This is about edit ${ref} of your list, version ${version}, and about no other edit.`,
    `It replaces "${proposed.original}" by "${proposed.replacement}". It was rejected:`,
    ...findings.map(({ explanation, evidence = [] }) => `- ${explanation} ${evidence.join(', ')}`),
    stage.reply.description,
  ].join('\n');
}

/** Corrects the page by the edits of one reply. */
export async function correctPage(exchange: Exchange, proposals: readonly SpanEdit[], call: CallPort) {
  const signal = AbortSignal.timeout(60_000);
  const { branches } = await revise(stage, { exchange, proposals }, { budget: 1, profile: 'small', call, signal });
  const { document, outcomes } = applyInOrder(branches, spanDocument(page, ['Rain']), applySpan);
  return { page: Object.fromEntries(textsOf(document)), report: repairReport(outcomes) };
}
