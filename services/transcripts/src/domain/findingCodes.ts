/** Whose remit a code belongs to, who finds it, and what the model is told. */
interface FindingRow {
  readonly remit: string;
  readonly by: 'text' | 'model';
  readonly sentence: string;
}

/** Every reason against a correction. A code is never reused for another meaning. */
export const findingCodes = {
  segment_not_in_section: { remit: 'target', by: 'text', sentence: 'The segment number is not one of this section.' },
  span_not_found: { remit: 'target', by: 'text', sentence: 'The original is not in that segment; copy it exactly as it stands there.' },
  span_ambiguous: { remit: 'target', by: 'text', sentence: 'The original stands there more than once; widen it until it is unique.' },
  span_inside_word: { remit: 'target', by: 'text', sentence: 'The original is only a part of another word there.' },
  overlaps_accepted: { remit: 'target', by: 'text', sentence: 'An earlier correction of the same list already makes this change.' },
  no_effect: { remit: 'effect', by: 'text', sentence: 'It would change nothing.' },
  out_of_module: { remit: 'scope', by: 'text', sentence: 'Punctuation and capitals belong to another stage.' },
  needs_audio: {
    remit: 'scope',
    by: 'text',
    sentence: 'Nothing would be left of the segment; only the recording can tell whether it was said.',
  },
  protected_term_changed: { remit: 'protection', by: 'text', sentence: 'A protected name would no longer be there as it is written.' },
  protected_span_touched: { remit: 'protection', by: 'text', sentence: 'A protected reference would no longer be there as it is written.' },
  term_not_in_glossary: { remit: 'glossary', by: 'text', sentence: 'The replacement is not a listed term.' },
  casing_mismatch: { remit: 'glossary', by: 'text', sentence: 'A listed term is written exactly as it is listed.' },
  not_a_listed_form: { remit: 'glossary', by: 'text', sentence: 'What was heard is too far from the listed term.' },
  ambiguous_candidate: { remit: 'glossary', by: 'text', sentence: 'More than one listed term may be meant.' },
  not_close_enough: { remit: 'glossary', by: 'text', sentence: 'Another listed term is closer to what was heard.' },
  common_word_replaced: {
    remit: 'glossary',
    by: 'text',
    sentence: 'It is an ordinary word; a letter in common is no evidence for the term.',
  },
  not_a_homophone: { remit: 'homophone', by: 'text', sentence: 'The replacement does not sound the same as the original.' },
  language_changed: { remit: 'language', by: 'text', sentence: 'The replacement is in another language than the one spoken.' },
  not_a_filler_in_language: { remit: 'language', by: 'text', sentence: 'In the language spoken this is a word and no filler.' },
  number_changed: { remit: 'meaning', by: 'text', sentence: 'A number would become another number.' },
  number_added: { remit: 'meaning', by: 'text', sentence: 'A number would be there that nobody said.' },
  number_lost: { remit: 'meaning', by: 'text', sentence: 'A number that was said would be gone.' },
  number_reading_changed: {
    remit: 'meaning',
    by: 'text',
    sentence: 'The number can be read in more than one way, and one would be chosen.',
  },
  negation_lost: { remit: 'meaning', by: 'text', sentence: 'A negation would be gone: the opposite would be said.' },
  negation_added: { remit: 'meaning', by: 'text', sentence: 'A negation would be there that nobody said.' },
  hedge_removed: { remit: 'meaning', by: 'text', sentence: 'The speaker left it open, and that is part of what was said.' },
  answer_removed: { remit: 'meaning', by: 'text', sentence: 'It is an answer, not a filler.' },
  possessive_lost: { remit: 'meaning', by: 'text', sentence: 'The possessive ending that was said would be gone.' },
  wrong_side_of_backtrack: {
    remit: 'meaning',
    by: 'text',
    sentence: 'The speaker took the first version back; what follows the mark is what counts.',
  },
  rewritten: {
    remit: 'style',
    by: 'text',
    sentence: 'Most of what was said would be replaced; make the smallest change that mends the fault.',
  },
  meaning_changed: { remit: 'meaning', by: 'model', sentence: 'It would say something else.' },
  content_removed: { remit: 'meaning', by: 'model', sentence: 'Something that was said would be gone.' },
  content_added: { remit: 'meaning', by: 'model', sentence: 'Something would be there that was not said.' },
  content_changed: { remit: 'meaning', by: 'model', sentence: 'What was said would be put in other words.' },
  question_answered: { remit: 'meaning', by: 'model', sentence: 'A question is text to correct and not one to answer.' },
  tense_changed: { remit: 'meaning', by: 'model', sentence: 'It would happen at another time.' },
  dialect_normalised: { remit: 'style', by: 'model', sentence: 'It is how this speaker speaks.' },
  variant_not_error: { remit: 'style', by: 'model', sentence: 'Both forms are right.' },
  style_changed: { remit: 'style', by: 'model', sentence: 'It would no longer sound like this speaker.' },
  context_supports_original: { remit: 'homophone', by: 'model', sentence: 'The word that stands there fits its sentence.' },
  context_rejects_replacement: { remit: 'homophone', by: 'model', sentence: 'The replacement does not fit its sentence.' },
} as const satisfies Readonly<Record<string, FindingRow>>;

export type FindingCode = keyof typeof findingCodes;
export type TextFindingCode = { [Code in FindingCode]: (typeof findingCodes)[Code]['by'] extends 'text' ? Code : never }[FindingCode];
