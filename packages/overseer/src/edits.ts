import { canonicalHash } from '@emend/contracts';

/**
 * Every change that the decoder may make to a text, and there is no other. Each is lossless: what it takes away is a delimiter,
 * a remark or the wrapping, never a letter or a digit of the value. A change of what a code does is a new version.
 */
export const editTable = {
  // Around the value.
  invisible_removed: {
    version: 1,
    sentence: 'White space that JSON does not know, a byte order mark or a zero-width character outside strings.',
  },
  thought_removed: { version: 1, sentence: 'A closed block of reasoning before the answer.' },
  control_token_removed: { version: 1, sentence: 'A chat control token before or after the answer.' },
  tag_removed: { version: 1, sentence: 'One known wrapper tag around the answer.' },
  fence_removed: { version: 1, sentence: 'A Markdown fence, or the label that is left of one.' },
  prose_removed: { version: 1, sentence: 'Prose before or after the one balanced value.' },
  copies_collapsed: { version: 1, sentence: 'Equal copies of the value, of which one is kept.' },
  text_unescaped: { version: 1, sentence: 'A backslash before every structural quote.' },
  entities_decoded: { version: 1, sentence: '&quot; for every structural quote.' },
  // The structure.
  trailing_comma: { version: 1, sentence: 'A comma before a closer.' },
  missing_comma: { version: 1, sentence: 'A comma between two members that stand side by side.' },
  extra_closer: { version: 1, sentence: 'Closers after the end of an object.' },
  comment_removed: { version: 1, sentence: 'A pure remark between the members of an object.' },
  full_width: { version: 1, sentence: 'A full-width comma, colon, brace or bracket.' },
  // Tokens.
  quote_style: { version: 1, sentence: 'A single, curly or full-width quotation mark as the delimiter of a string.' },
  key_quoted: { version: 1, sentence: 'A bare name that the contract knows, before a colon.' },
  text_quoted: { version: 1, sentence: 'A bare token where the contract wants text and nothing else.' },
  python_literal: { version: 1, sentence: 'True, False and None.' },
  plus_sign: { version: 1, sentence: 'A plus before a number.' },
  // Inside strings.
  control_escaped: { version: 1, sentence: 'A raw control character in a string.' },
  backslash_kept: { version: 1, sentence: 'A backslash that begins no escape is text.' },
  apostrophe: { version: 1, sentence: 'An escaped apostrophe, or one between two letters.' },
  inner_quote: { version: 1, sentence: 'A pair of quotation marks inside a string, where one reading exists.' },
} as const;

export type EditCode = keyof typeof editTable;

/** Codes of edits that leave what is between the root's brackets as it is. */
export const outsideCodes: ReadonlySet<EditCode> = new Set<EditCode>([
  'invisible_removed',
  'thought_removed',
  'control_token_removed',
  'tag_removed',
  'fence_removed',
  'prose_removed',
]);

/** Names the list in a policy: a list with another hash is another decoder. */
export const editListVersion = 'lossless-edits@1';
export const editListHash = canonicalHash({ list: editListVersion, edits: editTable });

/** What was done under one code. */
export interface Edit {
  readonly code: EditCode;
  /** How often. */
  readonly count: number;
  /** UTF-8 bytes of the text as it came: where the first one begins and the last one ends. */
  readonly bytes: { readonly from: number; readonly to: number };
}

/** One change to the text: UTF-16 positions and what stands there instead. */
export interface Mark {
  readonly code: EditCode;
  readonly from: number;
  readonly to: number;
  readonly text: string;
}
