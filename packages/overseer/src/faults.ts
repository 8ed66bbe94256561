/** Why a text was not read: one closed list. A fault carries its place, never the text that stands there. */
export const faultTable = {
  several_values: 'More than one value, and they differ.',
  no_value: 'Nothing that looks like the root of the contract.',
  residue: 'What stands around the value is not plain prose.',
  bracket: 'A closer that does not match, or an opener without one.',
  colon: 'A name without a colon.',
  name: 'Something that is not a name, where a name is due.',
  value: 'Something that is not a value, where a value is due.',
  separator: 'Two members with something else than a comma between them.',
  number: 'A number that JSON does not know, where no text is due.',
  literal: 'A word that JSON does not know: NaN, Infinity, undefined.',
  omission: 'A remark that may stand for data.',
  quote_in_doubt: 'A quotation mark that may be a delimiter or text.',
  escape_in_doubt: 'A backslash that may be an escape or text.',
  closer_in_doubt: 'An extra closer that may belong to another place.',
  strict: 'Strict JSON refuses it: see the issue.',
  contract: 'The contract refuses it: see the issues.',
  tool_call: 'Text beside a tool call is not the final answer.',
  accounting: 'A letter or digit of the text is not in the value.',
  steps: 'The work was more than the budget.',
  not_utf8: 'The bytes are not UTF-8.',
} as const;

export type FaultCode = keyof typeof faultTable;
