import { wordsOf } from '../words.js';

const units =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const scales: Readonly<Record<string, number>> = { hundred: 100, thousand: 1_000, million: 1_000_000 };
const isNumberWord = (word: string): boolean => units.includes(word) || tens.includes(word) || Object.hasOwn(scales, word);

/** A number as a text says it: its value where it can be read in one way only, else the words themselves. */
export interface SpokenNumber {
  readonly reads: string;
  readonly digits: boolean;
}

/**
 * The numbers of a text, in digits and in English words. `one` alone is a pronoun as often as a number and counts as none.
 * In other languages only digits are known.
 */
export function numbersIn(text: string): readonly SpokenNumber[] {
  const digits = [...text.matchAll(/\d+(?:[.,:]\d+)*/g)].map(([reads]) => ({
    reads: reads.replace(/,(?=\d{3}(?:\D|$))/g, ''),
    digits: true,
  }));
  return [...digits, ...runsOf(text).map((run) => ({ reads: valueOf(run) ?? run.join(' '), digits: false }))];
}

function runsOf(text: string): readonly (readonly string[])[] {
  const runs: string[][] = [[]];
  for (const word of wordsOf(text).flatMap(({ plain }) => plain.split('-'))) {
    if (isNumberWord(word)) runs.at(-1)?.push(word);
    else if ((runs.at(-1)?.length ?? 0) > 0) runs.push([]);
  }
  return runs.filter((run) => run.length > 1 || (run.length === 1 && run[0] !== 'one'));
}

/** Twenty-one, three hundred five: each part smaller than the one before it, or a scale of it. Null where it is no such row. */
function valueOf(run: readonly string[]): string | null {
  let [total, part, smallest] = [0, 0, Number.POSITIVE_INFINITY];
  for (const word of run) {
    const scale = scales[word];
    if (scale !== undefined) {
      if (part === 0 || part >= scale) return null;
      part *= scale;
      smallest = scale;
      if (scale > 100) [total, part] = [total + part, 0];
      continue;
    }
    const value = tens.includes(word) ? (tens.indexOf(word) + 2) * 10 : units.indexOf(word);
    const room =
      smallest === Number.POSITIVE_INFINITY || (smallest >= 100 && value < smallest) || (smallest >= 20 && smallest < 100 && value < 10);
    if (!room || (value === 0 && run.length > 1)) return null;
    part += value;
    smallest = Math.max(value, 1);
  }
  return String(total + part);
}

export interface NumberDifference {
  readonly lost: readonly SpokenNumber[];
  readonly added: readonly SpokenNumber[];
}

/** What numbers a change loses and adds; the same value written otherwise is neither. */
export function numberDifference(before: string, after: string): NumberDifference {
  return { lost: minus(numbersIn(before), numbersIn(after)), added: minus(numbersIn(after), numbersIn(before)) };
}

function minus(numbers: readonly SpokenNumber[], others: readonly SpokenNumber[]): readonly SpokenNumber[] {
  const left = others.map(({ reads }) => reads);
  return numbers.filter(({ reads }) => {
    const at = left.indexOf(reads);
    if (at < 0) return true;
    left.splice(at, 1);
    return false;
  });
}
