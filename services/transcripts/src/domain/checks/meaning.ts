import { afterBacktrack, answersLost, hedgesLost, negationsIn } from '../lexicon/speech.js';
import { numberDifference } from '../lexicon/numbers.js';
import { plainWords } from '../words.js';
import type { Change } from '../correction.js';
import type { Check, CheckContext } from './check.js';
import { homophone } from './homophone.js';

/** Whether the speaker took something back within the span: then one side of it may go, in the stage that is there for it. */
const takesBack = ({ correction }: Change, { module }: CheckContext): boolean =>
  module === 'spoken_word' && afterBacktrack(correction.original) !== null;

/** Whether the change is one of sound in the stage of sounds: `too` and `two`, `know` and `no`. Which one was meant the context says. */
const onlySounds = (change: Change, context: CheckContext): boolean =>
  context.module === 'homophones' && homophone.judge(change, context).length === 0;

export const numbers: Check = {
  id: 'numbers',
  needs: [],
  sentence:
    'No number is added, lost or changed, and none that can be read in two ways is read in one; `too` for `two` is a matter of sound.',
  judge(change, context) {
    const { lost, added } = numberDifference(change.correction.original, change.correction.replacement);
    const evidence = [...lost, ...added].map(({ reads }) => reads);
    if ((lost.length === 0 || added.length === 0) && onlySounds(change, context)) return [];
    if (added.length === 0) return lost.length === 0 || takesBack(change, context) ? [] : [{ code: 'number_lost', evidence }];
    if (lost.length === 0) return [{ code: 'number_added', evidence }];
    const rereads = lost.some(({ reads, digits }) => !digits && !/^\d+$/.test(reads)) && added.every(({ digits }) => digits);
    return [{ code: rereads ? 'number_reading_changed' : 'number_changed', evidence }];
  },
};

export const negation: Check = {
  id: 'negation',
  needs: [],
  sentence: 'What was said with a negation is not said without one, nor the other way round.',
  judge(change, context) {
    const [before, after] = [negationsIn(change.correction.original), negationsIn(change.correction.replacement)];
    if (onlySounds(change, context)) return [];
    if (before.length > 0 && after.length === 0 && !takesBack(change, context)) return [{ code: 'negation_lost', evidence: before }];
    return before.length === 0 && after.length > 0 ? [{ code: 'negation_added', evidence: after }] : [];
  },
};

/** What sounds like a filler and is none. */
export const voice: Check = {
  id: 'voice',
  needs: [],
  sentence: 'Neither a hedge nor an answer is taken out.',
  judge({ correction: { original, replacement } }) {
    const [hedges, answers] = [hedgesLost(original, replacement), answersLost(original, replacement)];
    return [
      ...(hedges.length > 0 ? [{ code: 'hedge_removed', evidence: hedges } as const] : []),
      ...(answers.length > 0 ? [{ code: 'answer_removed', evidence: answers } as const] : []),
    ];
  },
};

export const backtrack: Check = {
  id: 'backtrack',
  needs: [],
  sentence: 'Where a speaker took something back, what follows the mark stays.',
  judge({ correction: { original, replacement } }) {
    const meant = afterBacktrack(original);
    if (meant === null || afterBacktrack(replacement) !== null) return [];
    const kept = plainWords(replacement);
    const missing = meant.filter((word) => !kept.includes(word));
    return missing.length > 0 ? [{ code: 'wrong_side_of_backtrack', evidence: missing, constraints: [meant.join(' ')] }] : [];
  },
};
