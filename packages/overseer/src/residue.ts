/** What stands around or between values. */
export type Residue = 'blank' | 'fence' | 'prose' | 'suspicious';

export type Side = 'before' | 'between' | 'after';

const invisible = /[\u200b-\u200f\u2060\ufeff]/g;
const fence = /(?:```|~~~)[A-Za-z0-9_+-]*/g;
const label = /^(?:json|jsonc|json5)\s?:?$/i;
const tag = /<\/?[A-Za-z|｜!?][^<>]{0,80}>|<\/|<$/;
const emptyContainer = /[[{]\s*[\]}]/;
const member = /["'“”‘’]\s*[:：]/;

/**
 * Judges what is left of a text once its value is taken out. Plain prose may go; what could be a piece of a document may not: brackets without a
 * partner, a quoted name, a comma or quotation mark that touches the value, a tag that nobody declared.
 */
export function judgeResidue(text: string, side: Side): Residue {
  if (text.trim() === '') return 'blank';
  if (side === 'before' && label.test(text.trim())) return 'fence';
  const unfenced = text.replace(fence, ' ').replace(invisible, '');
  const rest = unfenced.trim();
  if (rest === '' || (side === 'before' && label.test(rest))) return 'fence';
  return tag.test(rest) ||
    emptyContainer.test(rest) ||
    member.test(rest) ||
    !isBalanced(rest) ||
    touches(rest, side) ||
    isGlued(unfenced, side) ||
    holdsUnread(text)
    ? 'suspicious'
    : 'prose';
}

function touches(rest: string, side: Side): boolean {
  const before = side !== 'before' && /^[,:;?="'“”‘’[\]{})+&|\\]/.test(rest);
  const after = side !== 'after' && /[,="'“”‘’[\]{}(+&|\\]$/.test(rest);
  return before || after;
}

/** A word or number without a blank between it and the value may be a member that fell out of it. */
const isGlued = (text: string, side: Side): boolean =>
  (side !== 'before' && /^(?:[\p{L}_]|[-+.]?\p{N})/u.test(text)) || (side !== 'after' && /[\p{L}\p{N}_]$/u.test(text));

/** A whole fence beside the value, with brackets in it that nobody read. */
const holdsUnread = (text: string): boolean =>
  text.includes('```', text.indexOf('```') + 3) && /[[{]/.test(text.slice(text.indexOf('```')));

/** Every bracket has its partner, and double quotes come in pairs. */
function isBalanced(rest: string): boolean {
  const open: string[] = [];
  let quotes = 0;
  for (const character of rest) {
    if (character === '"') quotes += 1;
    else if (character === '{') open.push('}');
    else if (character === '[') open.push(']');
    else if ((character === '}' || character === ']') && open.pop() !== character) return false;
  }
  return open.length === 0 && quotes % 2 === 0;
}
