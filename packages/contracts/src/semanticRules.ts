import type { JsonValue } from './outputContracts/definition.js';
import { hasControlCharacter, repeatsOnePhrase, textsThat } from './textRules.js';

/** What a rule may look at beside the output: the sources that the run was shown, by event id. */
export interface RuleContext {
  readonly sources: ReadonlyMap<string, string>;
}

/** A check that a schema cannot make. `id` is stable: policies allow-list it (T28). */
export interface SemanticRule {
  readonly id: string;
  /** Where the rule is broken; none means that it holds. JSON pointers; a name in them that is not the contract's own becomes `*`. */
  readonly brokenAt: (output: JsonValue, context: RuleContext) => readonly string[];
}

interface Evidence {
  readonly eventId: string;
  readonly quote: string;
}

const evidenceOf = (output: JsonValue): readonly Evidence[] => (output as { readonly evidence?: readonly Evidence[] }).evidence ?? [];

/** Each piece of evidence names a source that the run was shown. */
const evidenceInContext: SemanticRule = {
  id: 'evidence-in-context',
  brokenAt: (output, context) =>
    evidenceOf(output).flatMap((item, index) => (context.sources.has(item.eventId) ? [] : [`/evidence/${index}/eventId`])),
};

/** Each quote stands in its source, character for character. A source out of context is the other rule's business. */
const evidenceQuoteVerbatim: SemanticRule = {
  id: 'evidence-quote-verbatim',
  brokenAt: (output, context) =>
    evidenceOf(output).flatMap((item, index) => {
      const source = context.sources.get(item.eventId);
      return source === undefined || source.includes(item.quote) ? [] : [`/evidence/${index}/quote`];
    }),
};

/** No string holds a control character other than newline and tab: the text is ruined, though its JSON is good. */
const noControlCharacters: SemanticRule = { id: 'no-control-characters', brokenAt: textsThat(hasControlCharacter) };

/** No string repeats one phrase over and over. */
const noRepetitionLoop: SemanticRule = { id: 'no-repetition-loop', brokenAt: textsThat(repeatsOnePhrase) };

export const semanticRules = { evidenceInContext, evidenceQuoteVerbatim, noControlCharacters, noRepetitionLoop } as const;

/** The rules that go with a shipped contract, in the order in which they are tried. */
const rulesByContract: Readonly<Record<string, readonly SemanticRule[]>> = {
  'stream.thought.output.observation': [evidenceInContext, evidenceQuoteVerbatim],
};

export const semanticRulesOf = (contractId: string): readonly SemanticRule[] =>
  Object.hasOwn(rulesByContract, contractId) ? (rulesByContract[contractId] ?? []) : [];
