import { hasPhrase, plainWords } from '../words.js';

/** What a speaker says to leave something open: a part of the voice, not a filler. */
const hedges = [
  'i think',
  'i guess',
  'i suppose',
  'i believe',
  'maybe',
  'perhaps',
  'probably',
  'possibly',
  'sort of',
  'kind of',
  'i mean maybe',
];

/** Sounds and words that answer a question. */
const answers = ['mm-hmm', 'mhm', 'uh-huh', 'uh-uh', 'yes', 'yeah', 'yep', 'yup', 'nope', 'nah', 'aye'];

/** What takes back what was just said. */
const backtracks = ['i mean', 'i meant', 'sorry', 'scratch that', 'make that', 'no wait', 'or rather', 'correction'];

const negations = new Set(
  'not no never none nobody nothing nowhere neither nor cannot without nicht kein keine keinen keiner nie niemals nichts niet geen nooit niets ne pas jamais rien aucun aucune nunca nada nadie nao não non mai niente'.split(
    ' ',
  ),
);

const phrasesLost = (phrases: readonly string[], before: string, after: string): readonly string[] => {
  const [had, has] = [plainWords(before), plainWords(after)];
  return phrases.filter((phrase) => hasPhrase(had, phrase) && !hasPhrase(has, phrase));
};

export const hedgesLost = (before: string, after: string): readonly string[] => phrasesLost(hedges, before, after);
export const answersLost = (before: string, after: string): readonly string[] => phrasesLost(answers, before, after);

export const negationsIn = (text: string): readonly string[] =>
  plainWords(text).filter((word) => negations.has(word) || word.endsWith("n't"));

/** The words after the last mark that takes something back, or null where there is none. */
export function afterBacktrack(text: string): readonly string[] | null {
  const words = plainWords(text);
  const ends = backtracks.flatMap((phrase) => {
    const parts = phrase.split(' ');
    return words.flatMap((_, at) => (parts.every((part, index) => words[at + index] === part) ? [at + parts.length] : []));
  });
  if (ends.length === 0) return null;
  const rest = words.slice(Math.max(...ends));
  return rest.length === 0 ? null : rest;
}
