import { canonicalText, type ContractRef, type Issue, type JsonValue, joinPrivacy, type Privacy, type Verdict } from '@emend/contracts';
import { activeJudgments } from './activeJudgments.js';
import { type Dossier, type Judgment, proposalsOf } from './dossier.js';

/** An item of the review queue. `awaiting`: a proposal is unjudged; `contested`: one authority stands behind a proposal and another rejects it. */
export interface ReviewItem {
  readonly run: string;
  readonly producer: string;
  readonly state: 'awaiting' | 'contested';
  readonly contract: ContractRef;
  readonly privacy: Privacy;
  readonly failure: { readonly class: string; readonly issues: readonly Issue[] };
  readonly proposals: readonly { readonly id: string; readonly policy: string; readonly output: JsonValue }[];
  readonly judgments: readonly { readonly id: string; readonly authority: string; readonly verdict: Verdict; readonly target: string }[];
}

/** `closed` is a row too: live writers never delete. Null: the run never needed review. */
export type ReviewRow = ReviewItem | { readonly run: string; readonly closed: true };

export function reviewRowOf(dossier: Dossier): ReviewRow | null {
  const { started, ended, run, producer } = dossier;
  const proposals = proposalsOf(dossier);
  if (ended?.kind !== 'failed' || started?.kind !== 'started' || producer === null || proposals.length === 0) return null;
  const ids = proposals.map(({ proposal }) => proposal.eventId);
  const state = stateOf(dossier, ids);
  if (state === 'closed') return { run, closed: true };
  return {
    run,
    producer,
    state,
    contract: started.contract,
    privacy: joinPrivacy([
      started.source?.privacy ?? 'private',
      started.privacy,
      ended.privacy,
      ...proposals.map(({ proposal }) => proposal.privacy),
    ]),
    failure: { class: ended.diagnostic?.class ?? 'unknown', issues: ended.diagnostic?.issues ?? [] },
    proposals: proposals.map(({ policy, proposal }) => ({
      id: proposal.eventId,
      policy,
      output: JSON.parse(proposal.output) as JsonValue,
    })),
    judgments: judgmentsOn(dossier, ids).map(({ eventId, authority, verdict, target }) => ({
      id: eventId,
      authority,
      verdict,
      target: target.id,
    })),
  };
}

export const reviewRowText = (row: ReviewRow): string => canonicalText(row);

/** Whether some authority stands behind a proposal while another rejects it: then it is never exported. */
export function isContested(dossier: Dossier, proposalId: string): boolean {
  const on = activeJudgments(dossier).filter((one) => one.target.id === proposalId);
  return on.some((one) => one.verdict === 'reject') && on.some(standsBehind);
}

const standsBehind = (judgment: Judgment): boolean => judgment.verdict === 'accept' || judgment.verdict === 'correct';

function judgmentsOn(dossier: Dossier, proposalIds: readonly string[]): readonly Judgment[] {
  return activeJudgments(dossier).filter((judgment) => proposalIds.includes(judgment.target.id));
}

/** A proposal that nobody has judged awaits one, unless somebody stands behind another of the same run. */
function stateOf(dossier: Dossier, proposalIds: readonly string[]): 'awaiting' | 'contested' | 'closed' {
  if (proposalIds.some((id) => isContested(dossier, id))) return 'contested';
  if (judgmentsOn(dossier, proposalIds).some(standsBehind)) return 'closed';
  return proposalIds.every((id) => judgmentsOn(dossier, [id]).length > 0) ? 'closed' : 'awaiting';
}
