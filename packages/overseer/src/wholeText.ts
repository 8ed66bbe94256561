import type { EditCode } from './edits.js';

/** A text in which every structural quote is written in another way, throughout. */
export interface WholeEdit {
  readonly code: EditCode;
  readonly text: string;
}

/**
 * Undoes one spelling of the whole text: a backslash before every quote, or &quot; for every quote. What it gives is read strictly or not at all.
 * Null where the text mixes spellings.
 */
export function respell(text: string): WholeEdit | null {
  if (!/^[[{]/.test(text)) return null;
  // Another backslash has two readings: it was escaped with the quotes, or it was not.
  if (text.includes('\\"') && !isOneQuotedWord(text) && !/(?<!\\)"|\\(?!")/.test(text)) {
    return { code: 'text_unescaped', text: text.replaceAll('\\"', '"') };
  }
  if (text.includes('&quot;') && !text.includes('"') && !/&(?!quot;)[#A-Za-z]/.test(text)) {
    return { code: 'entities_decoded', text: text.replaceAll('&quot;', '"') };
  }
  return null;
}

/** One pair alone in an array may be a quoted word whose delimiters are lost. */
const isOneQuotedWord = (text: string): boolean => text.startsWith('[') && text.split('\\"', 4).length === 3;
