import {
  type Diagnostic,
  type EventOf,
  judgeCompletion,
  type OutputContract,
  type SemanticRule,
  semanticRules,
  semanticRulesOf,
} from '@emend/contracts';

/** The contract's own rules, then two that need nothing but the output. The first that is broken ends the run. */
export const rulesFor = (contract: OutputContract): readonly SemanticRule[] => [
  ...semanticRulesOf(contract.ref.id),
  semanticRules.noControlCharacters,
  semanticRules.noRepetitionLoop,
];

/** What its rules say against an output that fits its contract, from its canonical form; null where they hold. */
export function ruledOut(contract: OutputContract, canonical: string, source: EventOf<'sourceCaptured'>): Diagnostic | null {
  const context = { sources: new Map([[source.id, source.data.text]]) };
  const judged = judgeCompletion(contract, { text: canonical, finishReason: 'stop' }, context, rulesFor(contract));
  return judged.kind === 'failed' ? judged.diagnostic : null;
}
