import type { Chance } from './chance.js';
import {
  all,
  beforeIs,
  content,
  cutAfter,
  delimited,
  doubleOne,
  doubleQuoted,
  isName,
  isString,
  isText,
  loseOne,
  omission,
  one,
  pythonRepr,
  remark,
  singles,
  strayOne,
  swapTwo,
  twice,
  unquoted,
} from './changes.js';
import { join, type Piece } from './lexed.js';

/** What may be done to a document: to its pieces, or to the text that they give. False or null where this document offers no place for it. */
export type Fault =
  | { readonly name: string; readonly pieces: (pieces: Piece[], chance: Chance) => boolean }
  | { readonly name: string; readonly text: (text: string, chance: Chance) => string | null };

const piecesFaults: readonly Extract<Fault, { pieces: unknown }>[] = [
  {
    name: 'trailing comma',
    pieces: (p, c) =>
      one(
        p,
        c,
        ({ kind }, at) => kind === 'closer' && beforeIs(p, at, 'opener', false),
        ({ raw }) => `,${raw}`,
      ),
  },
  {
    name: 'missing comma',
    pieces: (p, c) =>
      one(
        p,
        c,
        ({ kind }) => kind === 'comma',
        () => '',
      ),
  },
  {
    name: 'doubled comma',
    pieces: (p, c) =>
      one(
        p,
        c,
        ({ kind }) => kind === 'comma',
        () => ',,',
      ),
  },
  {
    name: 'missing colon',
    pieces: (p, c) =>
      one(
        p,
        c,
        ({ kind }) => kind === 'colon',
        () => '',
      ),
  },
  { name: 'python quotes', pieces: (p) => all(p, isString, pythonRepr) },
  { name: 'single quotes, nothing escaped', pieces: (p) => all(p, isString, singles) },
  { name: 'one single-quoted string', pieces: (p, c) => one(p, c, isText, pythonRepr) },
  {
    name: 'python literals',
    pieces: (p) =>
      all(
        p,
        ({ kind }) => kind === 'literal',
        ({ raw }) => ({ true: 'True', false: 'False', null: 'None' })[raw] ?? raw,
      ),
  },
  { name: 'bare names', pieces: (p) => all(p, (piece, at) => isName(piece, at) && /^[A-Za-z_]\w*$/.test(content(piece)), content) },
  { name: 'one bare name', pieces: (p, c) => one(p, c, (piece, at) => isName(piece, at) && /^[\w ]+$/.test(content(piece)), content) },
  { name: 'bare text', pieces: (p, c) => one(p, c, (piece, at) => isText(piece, at) && /^[A-Za-z][^"\\]*$/.test(content(piece)), content) },
  { name: 'bare word', pieces: (p, c) => one(p, c, (piece, at) => isText(piece, at) && /^\w+$/.test(content(piece)), content) },
  {
    name: 'raw newlines',
    pieces: (p, c) =>
      one(
        p,
        c,
        (piece) => /\\[nt]/.test(piece.raw),
        ({ raw }) => raw.replaceAll('\\n', '\n').replaceAll('\\t', '\t'),
      ),
  },
  {
    name: 'bad escapes',
    pieces: (p, c) =>
      one(
        p,
        c,
        ({ raw }) => raw.includes('\\\\'),
        ({ raw }) => raw.replaceAll('\\\\', '\\'),
      ),
  },
  {
    name: 'needless escapes',
    pieces: (p, c) =>
      one(
        p,
        c,
        ({ kind, raw }) => kind === 'string' && /['_*-]/.test(raw),
        ({ raw }) => raw.replace(/(['_*-])/g, '\\$1'),
      ),
  },
  {
    name: 'inner quotes',
    pieces: (p, c) =>
      one(
        p,
        c,
        ({ raw }) => raw.includes('\\"'),
        ({ raw }) => unquoted(raw),
      ),
  },
  {
    name: 'one inner quote',
    pieces: (p, c) =>
      one(
        p,
        c,
        ({ raw }) => raw.includes('\\"'),
        ({ raw }) => unquoted(raw, true),
      ),
  },
  {
    name: 'all inner quotes',
    pieces: (p) =>
      all(
        p,
        ({ raw }) => raw.includes('\\"'),
        ({ raw }) => unquoted(raw),
      ),
  },
  { name: 'curly quotes', pieces: (p) => all(p, isString, delimited('“', '”')) },
  { name: 'one curly closer', pieces: (p, c) => one(p, c, isString, delimited('"', '”')) },
  { name: 'one curly string', pieces: (p, c) => one(p, c, isString, delimited('“', '”')) },
  {
    name: 'full-width commas and colons',
    pieces: (p) =>
      all(
        p,
        ({ kind }) => kind === 'comma' || kind === 'colon',
        ({ raw }) => (raw === ',' ? '，' : '：'),
      ),
  },
  { name: 'block comment', pieces: (p, c) => remark(p, c, (words) => ` /* ${words} */`) },
  { name: 'line comment', pieces: (p, c) => remark(p, c, (words) => ` // ${words}\n`) },
  { name: 'hash comment', pieces: (p, c) => remark(p, c, (words) => ` # ${words}\n`) },
  { name: 'ellipsis for a member', pieces: (p, c) => omission(p, c, '...') },
  {
    name: 'remark for a member',
    pieces: (p, c) => omission(p, c, c.pick(['/* 12 more rows */', '// the rest as before\n', '# and so on\n'])),
  },
  {
    name: 'extra closer inside',
    pieces: (p, c) =>
      one(
        p,
        c,
        ({ kind }) => kind === 'closer',
        ({ raw }) => raw + raw,
      ),
  },
  {
    name: 'wrong extra closer',
    pieces: (p, c) =>
      one(
        p,
        c,
        ({ kind }) => kind === 'closer',
        ({ raw }) => raw + c.pick(['}', ']']),
      ),
  },
  {
    name: 'swapped closer',
    pieces: (p, c) =>
      one(
        p,
        c,
        ({ kind }) => kind === 'closer',
        ({ raw }) => (raw === '}' ? ']' : '}'),
      ),
  },
  {
    name: 'lost closer',
    pieces: (p, c) =>
      one(
        p,
        c,
        ({ kind }) => kind === 'closer',
        () => '',
      ),
  },
  {
    name: 'lost opener',
    pieces: (p, c) =>
      one(
        p,
        c,
        ({ kind }) => kind === 'opener',
        () => '',
      ),
  },
  { name: 'lost closing quote', pieces: (p, c) => one(p, c, isString, ({ raw }) => raw.slice(0, -1)) },
  { name: 'lost opening quote', pieces: (p, c) => one(p, c, isString, ({ raw }) => raw.slice(1)) },
  { name: 'lost character', pieces: loseOne },
  { name: 'doubled quote', pieces: (p, c) => one(p, c, isString, ({ raw }) => (c.chance(0.5) ? `"${raw}` : `${raw}"`)) },
  {
    name: 'plus sign',
    pieces: (p, c) =>
      one(
        p,
        c,
        ({ kind, raw }) => kind === 'number' && !raw.startsWith('-'),
        ({ raw }) => `+${raw}`,
      ),
  },
  {
    name: 'leading zero',
    pieces: (p, c) =>
      one(
        p,
        c,
        ({ kind }) => kind === 'number',
        ({ raw }) => `0${raw}`,
      ),
  },
  {
    name: 'thousands separator',
    pieces: (p, c) =>
      one(
        p,
        c,
        ({ kind, raw }) => kind === 'number' && /^\d{4,}$/.test(raw),
        ({ raw }) => raw.replace(/(\d{3})$/, c.pick([',$1', ' $1', '_$1'])),
      ),
  },
  {
    name: 'not a number',
    pieces: (p, c) =>
      one(
        p,
        c,
        ({ kind }) => kind === 'number',
        () => c.pick(['NaN', 'Infinity', '-Infinity', 'undefined', 'N/A', '...']),
      ),
  },
  { name: 'doubled character', pieces: doubleOne },
  { name: 'stray character', pieces: strayOne },
  { name: 'swapped characters', pieces: swapTwo },
  { name: 'member twice, other value', pieces: (p, c) => twice(p, c, () => '"0 changed"') },
  { name: 'member twice, equal', pieces: (p, c) => twice(p, c, (value) => value) },
];

const intros = [
  'Here you go:\n',
  'The record, following the {tide} template: ',
  'Counted on sheet [2]. ',
  'I’m done. Result:\n\n',
  'json\n',
] as const;
const outros = [
  '\nI kept the order as it was.',
  ' as of noon.',
  '\n\nSwap {crate} for {pallet} if the shed is full.',
  '\nLet me know!',
] as const;
const thoughts = ['Count them first.', 'Perhaps {"rating":2}? No.', 'The list is [1, 2], I think.', 'It says "yes".'] as const;

const textFaults: readonly Extract<Fault, { text: unknown }>[] = [
  { name: 'fence', text: (t, c) => `\`\`\`${c.pick(['json', 'JSON', ''])}\n${t}\n\`\`\`` },
  { name: 'unclosed fence', text: (t) => `\`\`\`json\n${t}` },
  { name: 'fence and prose', text: (t, c) => `${c.pick(intros)}\`\`\`json\n${t}\n\`\`\`${c.pick(outros)}` },
  { name: 'prose before', text: (t, c) => `${c.pick(intros)}${t}` },
  { name: 'prose after', text: (t, c) => `${t}${c.pick(outros)}` },
  { name: 'prose around', text: (t, c) => `${c.pick(intros)}${t}${c.pick(outros)}` },
  { name: 'thought', text: (t, c) => `<think>${c.pick(thoughts)}</think>\n${t}` },
  { name: 'end of a thought', text: (t, c) => `${c.pick(thoughts)}\n</think>\n\n${t}` },
  { name: 'undeclared thought', text: (t, c) => `<musing>${c.pick(thoughts)}</musing>${t}` },
  { name: 'thought without end', text: (t, c) => `<think>${c.pick(thoughts)} ${t}` },
  { name: 'tool-call tag', text: (t) => `<tool_call>\n${t}\n</tool_call>` },
  {
    name: 'control token',
    text: (t, c) => (c.chance(0.5) ? `${t}<|im_end|>` : `<|channel|>final <|constrain|>json<|message|>${t}<|end|>`),
  },
  { name: 'invisible characters', text: (t) => `\ufeff\u200b${t}\u200b` },
  { name: 'extra closers at the end', text: (t, c) => t + c.pick(['}', ']', '}}', ']}', '}]']) },
  { name: 'twice the same', text: (t, c) => `${t}${c.pick(['', '\n'])}${t}` },
  { name: 'two that differ', text: (t, c) => `${t}\n${t.replace(/[a-z0-9]/, 'q')}${c.pick(['', '\n'])}` },
  { name: 'every quote escaped', text: (t) => (doubleQuoted(t) ? t.replaceAll('\\', '\\\\').replaceAll('"', '\\"') : null) },
  { name: 'entities', text: (t) => (doubleQuoted(t) ? t.replaceAll('"', '&quot;') : null) },
  // A cut is the end of a text, so it comes last.
  { name: 'cut', text: (t, c) => (t.length < 4 ? null : t.slice(0, 1 + c.below(t.length - 2))) },
  { name: 'cut after a closer', text: (t, c) => cutAfter(t, c, /[}\]]/g) },
];

export const faults: readonly Fault[] = [...piecesFaults, ...textFaults];

export interface Spoiled {
  readonly text: string;
  /** What each change to the pieces would have given by itself. */
  readonly alone: readonly string[];
}

/** Carries out the faults in the order of the list. Null where one finds no place. */
export function spoil(pieces: Piece[], chosen: readonly Fault[], chance: Chance): Spoiled | null {
  const ordered = faults.filter((fault) => chosen.includes(fault));
  const alone: string[] = [];
  for (const fault of ordered) {
    if (!('pieces' in fault)) continue;
    const before = pieces.map(({ raw }) => raw);
    if (!fault.pieces(pieces, chance)) return null;
    alone.push(pieces.map(({ raw, original }, at) => (raw === before[at] ? original : raw)).join(''));
  }
  let text: string | null = join(pieces);
  for (const fault of ordered) if ('text' in fault && text !== null) text = fault.text(text, chance);
  return text === null ? null : { text, alone };
}
