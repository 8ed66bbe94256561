import { plainWords } from '../words.js';

/** Words that a text of a language can hardly do without, and that say which it is. */
const functionWords: Readonly<Record<string, string>> = {
  en: 'the a an and or of to in is are was were be it its this that they we you he she i not with for on at by from have has had before after do does will would there',
  de: 'der die das und oder nicht ist sind war ein eine einen dem den des zu mit auf für von ich wir sie er es im um auch noch bei wird haben hat',
  nl: 'de het een en of niet is zijn was van in op te er nog dat die met voor aan ik we wij je hij zij ook bij naar maar heb heeft wordt',
  fr: 'le la les un une et ou ne pas est sont de des du à au en que qui je nous vous il elle ce cette avec pour sur dans plus a ont',
  es: 'el la los las un una y o no es son de del al en que yo nosotros él ella se con por para más está han muy pero',
  it: 'il lo la gli le un una e o non è sono di del della in che io noi lui lei si con per più ha hanno ma',
  pt: 'o a os as um uma e ou não é são de do da em no na que eu nós ele ela se com por para mais está têm mas',
};
const wordsByLanguage = new Map(Object.entries(functionWords).map(([language, words]) => [language, new Set(words.split(' '))]));

/** Sounds of hesitation, by language. A word that is one in English may be a word elsewhere. */
const fillerWords: Readonly<Record<string, string>> = {
  en: 'um umm uh uhm er erm ah eh hm hmm mm',
  de: 'äh ähm öh hm hmm mhm',
  nl: 'eh ehm uh uhm hm hmm',
  fr: 'euh heu hum hm hmm ben',
  es: 'eh em este hm hmm',
  it: 'eh ehm uhm mah hm hmm',
  pt: 'hum é eh hm hmm',
};
const fillersByLanguage = new Map(Object.entries(fillerWords).map(([language, words]) => [language, new Set(words.split(' '))]));

export const languages: readonly string[] = Object.keys(functionWords);

/** Whether a word is a filler of this language; without one, of any. */
export const isFiller = (word: string, language: string | null): boolean =>
  language === null
    ? [...fillersByLanguage.values()].some((words) => words.has(word))
    : (fillersByLanguage.get(language)?.has(word) ?? false);

/** How many words of a text belong to a language's own. */
export function functionWordsIn(text: string, language: string): number {
  const known = wordsByLanguage.get(language);
  return known === undefined ? 0 : plainWords(text).filter((word) => known.has(word)).length;
}

/** Words that two languages share say little: fewer than these say nothing. */
const hitsMin = 2;

/** The language of a text, where its function words leave no doubt; else null. */
export function languageOf(text: string): string | null {
  const [first, second] = languages
    .map((language) => ({ language, hits: functionWordsIn(text, language) }))
    .sort((a, b) => b.hits - a.hits);
  return first !== undefined && first.hits >= hitsMin && first.hits > (second?.hits ?? 0) ? first.language : null;
}
