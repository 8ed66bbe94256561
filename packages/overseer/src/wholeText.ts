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
  if (text.includes('\\"') && !/(?<!\\)"/.test(text)) {
    const plain = unescaped(text);
    return plain === null ? null : { code: 'text_unescaped', text: plain };
  }
  if (text.includes('&quot;') && !text.includes('"') && !/&(?!quot;)[#A-Za-z]/.test(text)) {
    return { code: 'entities_decoded', text: text.replaceAll('&quot;', '"') };
  }
  return null;
}

function unescaped(text: string): string | null {
  try {
    return JSON.parse(`"${text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}"`) as string;
  } catch {
    return null;
  }
}
