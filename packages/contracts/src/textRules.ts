import type { JsonValue } from './outputContracts/definition.js';

/** A string of a value with its JSON pointer. */
interface TextAt {
  readonly path: string;
  readonly text: string;
}

/** Where strings break a rule, as JSON pointers. A name in them may be the model's own: `judgeCompletion` cleans it. */
export const textsThat =
  (breaks: (text: string) => boolean) =>
  (value: JsonValue): readonly string[] =>
    textsOf(value, '').flatMap(({ path, text }) => (breaks(text) ? [path] : []));

function textsOf(value: JsonValue, path: string): readonly TextAt[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => textsOf(member, `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`));
}

/** A C0 or C1 control or DEL, other than newline and tab: what `\frac` and `\beta` become when a model writes them unescaped. */
export function hasControlCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if ((code < 0x20 && code !== 0x0a && code !== 0x09) || (code >= 0x7f && code < 0xa0)) return true;
  }
  return false;
}

/** UTF-16 units of the longest phrase that is looked for. The time is this many passes over the text. */
export const phraseUnitsMax = 200;
/** A phrase in a loop stands there at least so often, one directly after the other, */
export const phraseTimesMin = 8;
/** and over at least so many UTF-16 units. */
export const loopUnitsMin = 200;
/** Different letters in a phrase: a drawn line, a column of zeros or padding is no phrase. */
export const phraseLettersMin = 3;

/** Whether one phrase is repeated over and over, as a model does that cannot stop. */
export function repeatsOnePhrase(text: string): boolean {
  const longest = Math.min(phraseUnitsMax, Math.floor(text.length / phraseTimesMin));
  for (let period = phraseLettersMin; period <= longest; period += 1) if (loopsWith(text, period)) return true;
  return false;
}

function loopsWith(text: string, period: number): boolean {
  const wanted = Math.max(phraseTimesMin * period, loopUnitsMin);
  let run = period;
  for (let at = period; at < text.length; at += 1) {
    run = text.charCodeAt(at) === text.charCodeAt(at - period) ? run + 1 : period;
    if (run === wanted && isPhrase(text.slice(at - period + 1, at + 1))) return true;
  }
  return false;
}

const isPhrase = (text: string): boolean => new Set(text.match(/\p{L}/gu) ?? []).size >= phraseLettersMin;
