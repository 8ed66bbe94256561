import type { Feedback } from '@emend/revision';
import type { CheckContext } from './checks/check.js';
import { type Change, type Correction } from './correction.js';
import { findingCodes } from './findingCodes.js';
import { codesOf, type ModelCheckName } from './modelChecks.js';

/** What each prompt is rendered from. A variable that has no value is null, so that a template may ask for it. */
export const proposeVariables = ({ section, glossary, protectedTerms, language }: CheckContext) => ({
  section: section.segments.map(({ ref, segment }) => ({ ref, speaker: segment.speaker, text: segment.text })),
  glossary,
  protected: protectedTerms,
  language,
});

export const repairVariables = (
  { ref, version, firstProposed, proposed, findings, unavailable, replyFault }: Feedback<Correction>,
  { replyContract, language }: { readonly replyContract: string; readonly language: string | null },
): Readonly<Record<string, unknown>> => ({
  ref,
  version,
  first: firstProposed,
  proposed,
  findings: findings.map(({ validator, code, explanation, evidence, constraints }) => ({
    validator,
    code,
    explanation,
    evidence: evidence ?? null,
    constraints: constraints ?? null,
  })),
  unavailable,
  reply_fault: replyFault,
  reply_contract: replyContract,
  language,
});

export const checkVariables = (name: ModelCheckName, { correction, segment, after }: Change, context: CheckContext) => ({
  section: proposeVariables(context).section,
  language: context.language,
  proposed: correction,
  before: segment?.text ?? null,
  after,
  codes: codesOf(name).map((code) => ({ code, sentence: findingCodes[code].sentence })),
});
