import { standsAlone } from '../words.js';
import type { Check } from './check.js';

/** Names and references that nobody may change stay as they are written; terms of the glossary that stand there are among them. */
export const protection: Check = {
  id: 'protection',
  needs: ['span'],
  sentence: 'Every protected term and every glossary term that stands in the segment still stands there as written.',
  judge({ segment, after }, { protectedTerms, glossary }) {
    if (segment === undefined || after === null) return [];
    return [...new Set([...protectedTerms, ...glossary])]
      .filter((term) => countOf(after, term) < countOf(segment.text, term))
      .map((term) => ({ code: isName(term) ? 'protected_term_changed' : 'protected_span_touched', evidence: [term], constraints: [term] }));
  },
};

const isName = (term: string): boolean => /^[\p{L}\s'’-]+$/u.test(term);

export function countOf(text: string, term: string): number {
  let count = 0;
  for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + term.length))
    if (standsAlone(text, at, at + term.length)) count += 1;
  return count;
}
