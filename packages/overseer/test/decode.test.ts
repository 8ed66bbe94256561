import { ContractsError, type JsonObject } from '@emend/contracts';
import { describe, expect, it } from 'vitest';
import { type Decoded, decode, decoder, noWrapping } from '../src/index.js';

const schema = {
  type: 'object',
  properties: {
    note: { type: 'string' },
    n: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
    open: { type: 'boolean' },
  },
  additionalProperties: false,
} as const;
const read = (text: string, finishReason: string | null = 'stop', more: object = {}): Decoded =>
  decode(text, { schema, finishReason, ...more });

/** In one word: the value as text, or the status with its fault. */
function inShort(decoded: Decoded): string {
  if (decoded.status === 'exact' || decoded.status === 'repaired') return JSON.stringify(decoded.value);
  return 'fault' in decoded ? `${decoded.status} ${decoded.fault}` : decoded.status;
}

describe('the order of steps', () => {
  it.each([
    // text, finish reason, what it is
    ['{"n":1}', 'stop', 'exact'],
    ['{"n":1}', 'length', 'truncated'],
    ['{"n":1}', 'content_filter', 'refused'],
    ['{"n":1}', 'tool_calls', 'invalid'],
    ['{"n":1}', 'eventually', 'exact'],
    ['{"n":1}', null, 'exact'],
    ['{"n":1,}', null, 'truncated'],
    ['```json\n{"n":1}\n```', null, 'repaired'],
    ['```json\n{"n":1}', null, 'truncated'],
    ['Here: {"n":1}', null, 'truncated'],
    ['<think>so</think>{"n":1}', null, 'repaired'],
    ['{"n":1} and then', null, 'truncated'],
    ['{"n":1}{"n":1}', null, 'truncated'],
    ['{"n":1}}', null, 'truncated'],
    ['{\\"n\\":1}', null, 'truncated'],
    ['', 'stop', 'empty'],
    ['', 'length', 'truncated'],
    ['', 'tool_calls', 'empty'],
    [' \n', null, 'truncated'],
    ['```json\n```', 'stop', 'empty'],
    ['<think>{"n":1}', 'stop', 'empty'],
    ['{"n":1', 'stop', 'truncated'],
    ['{"n":[1}', 'stop', 'invalid'],
    ['{"n":"x"}', 'stop', 'invalid'],
    ['{"refusal":"no"}', 'stop', 'refused'],
    ['I cannot help with that.', 'stop', 'refused'],
    ['I cannot help with that.', 'eventually', 'refused'],
    ['nothing', 'stop', 'invalid'],
    ['!!', 'stop', 'invalid'],
  ])('%j after %j is %s', (text, finishReason, status) => {
    expect(read(text, finishReason).status).toBe(status);
  });

  it('the arguments of a call end well with a tool-call stop, where the caller says that they are arguments', () => {
    expect(read('{"n":1}', 'tool_calls', { carrier: 'tool_call' }).status).toBe('exact');
    expect(read('{"n":1}', 'length', { carrier: 'tool_call' }).status).toBe('truncated');
  });

  it('the beginning of a number is a number, so a bare one needs a clean stop', () => {
    const number = { type: 'integer' } as const;
    expect(decode('25', { schema: number, finishReason: 'stop' }).status).toBe('exact');
    expect(decode('25', { schema: number }).status).toBe('truncated');
  });

  it('bytes are measured before anything is read, and one more than the limit is too many', () => {
    const text = `{"note":"${'箱'.repeat(20)}"}`;
    const bytesMax = Buffer.byteLength(text);
    expect(read(text, 'stop', { limits: { bytesMax } })).toMatchObject({ status: 'exact', bytes: bytesMax });
    expect(read(text, 'stop', { limits: { bytesMax: bytesMax - 1 } })).toMatchObject({
      status: 'too_large',
      limit: 'bytes',
      bytes: bytesMax,
    });
  });

  it('nesting past the limit is too large, well formed or not', () => {
    const any = { type: 'array' } as const;
    const nested = (levels: number, after = ''): Decoded =>
      decode('['.repeat(levels) + ']'.repeat(levels) + after, { schema: any, finishReason: 'stop' });
    expect(nested(60).status).toBe('exact');
    expect(nested(61)).toMatchObject({ status: 'too_large', limit: 'levels' });
    expect(nested(20_000, ',')).toMatchObject({ status: 'too_large', limit: 'levels' });
    expect(decode('{"a":'.repeat(5_000), { schema: any, finishReason: 'stop' }).status).toMatch(/too_large/);
  });

  it('work past the budget stops, whatever was found', () => {
    expect(inShort(read(`{"note":${' '.repeat(5_000)}"a",}`, 'stop', { limits: { stepsPerByte: 0.1 } }))).toBe('invalid steps');
  });

  it('a schema that does not compile is the one throw, when the decoder is made', () => {
    const broken = { type: 'no such type' } as unknown as JsonObject;
    expect(() => decoder({ schema: broken })).toThrow(ContractsError);
    expect(() => decode('{}', { schema: broken })).toThrow(ContractsError);
  });
});

describe('no content', () => {
  it.each([null, undefined])('%s is read as no text', (nothing) => {
    expect(decode(nothing, { schema, finishReason: 'stop' })).toMatchObject({ status: 'empty', bytes: 0 });
  });
});

describe('only what is declared is removed', () => {
  it.each([
    ['```json\n{"n":1}\n```', { fences: false }],
    ['Here: {"n":1}', { prose: false }],
    ['<think>so</think>{"n":1}', { thoughts: [] }],
    ['<answer>{"n":1}</answer>', { tags: [] }],
    ['{"n":1}<|im_end|>', { controlTokens: false }],
  ])('%j is read by default, and refused with %j', (text, wrapping) => {
    expect(inShort(read(text))).toBe('{"n":1}');
    expect(read(text, 'stop', { wrapping }).status).toBe('invalid');
    expect(read(text, 'stop', { wrapping: noWrapping }).status).toBe('invalid');
  });

  it('a tag of the user’s own can be declared', () => {
    const text = '<musing>maybe {"n":0}</musing>{"n":1}';
    expect(inShort(read(text))).toBe('invalid residue');
    expect(inShort(read(text, 'stop', { wrapping: { thoughts: ['musing'] } }))).toBe('{"n":1}');
  });
});

describe('what comes out, and what does not', () => {
  it.each([
    // Around the value.
    ['\ufeff\u00a0{"n":1}\u200b', '{"n":1}'],
    ['<|channel|>analysis<|message|>maybe {"n":0}<|end|><|start|>assistant<|channel|>final<|message|>{"n":1}<|return|>', '{"n":1}'],
    ['<|channel|>analysis<|message|>maybe {"n":0}', 'empty'],
    ['{"note":"a</think>b","n":1,}', '{"note":"a</think>b","n":1}'],
    ['{"n":1}\n{"n":1}', '{"n":1}'],
    ['{"n":1}\n{"n":2}', 'ambiguous several_values'],
    ['Here: {"note":{"n":1}, "n": oops', 'truncated'],
    ['Here: {"note":{"n":1}, "n": oops}', 'invalid value'],
    ['"note":"x","tags":{"n":1}}', 'invalid residue'],
    ['{"n":1},"note":"x"}', 'invalid residue'],
    ['"x" {"n":1} as said', 'invalid residue'],
    ['<note>{"n":1}</note>', 'invalid residue'],
    ['I return {} since nothing fits', 'invalid no_value'],
    ['{op: delete} is what I did', 'invalid name'],
    ['{"n":1}5', 'invalid residue'],
    ['{"n":1}-5', 'invalid residue'],
    ['{"n":1}.', '{"n":1}'],
    ['5{"n":1}', 'invalid residue'],
    ['{"n":1}so it is', 'invalid residue'],
    ['{"n":1} so it is', '{"n":1}'],
    ['```json\n{"n":1}\n```\nor\n```json\n{m: 2}\n```', 'invalid name'],
    ['```json\n{"n":1}\n```\nor\n```json\n{*}\n```', 'invalid name'],
    ['```json\n{"n":1}\n```\nor {*}, [2] {crate}', '{"n":1}'],
    ['```json\n{"n":1}\n```\nor\n```json\n// two\n{*}\n```', 'invalid name'],
    ['```json\n{"n":1}\n```\nor\n```json\n"n"{:2}\n```', 'invalid residue'],
    ['tags: {"n":1}}', 'ambiguous closer_in_doubt'],
    ['{"n":1}\u200b"x"', 'invalid residue'],
    // The structure.
    ['{"tags":["a","b",],"n":1,}', '{"tags":["a","b"],"n":1}'],
    ['{"tags":["a",,"b"]}', 'invalid quote_in_doubt'],
    ['{"tags":["a", ]}', 'invalid separator'],
    ['{"tags":["a",\n]}', '{"tags":["a"]}'],
    ['{"tags":["a" “b”]}', 'invalid quote_in_doubt'],
    ['{"tags":["a" "b","c"]}', '{"tags":["a","b","c"]}'],
    ['{"tags":["run {""a"": 1}"]}', 'invalid quote_in_doubt'],
    ['{"tags":[\u2028]}', 'invalid value'],
    ['{"tags":[ ],}', '{"tags":[]}'],
    ['{"tags":["a"],,"n":1}', 'invalid name'],
    ['{"n":1 "note":"x"}', '{"n":1,"note":"x"}'],
    ['{"note":"x,""n":1}', 'invalid quote_in_doubt'],
    ['{"n" 1}', 'invalid quote_in_doubt'],
    ['{n: 1, open true}', 'invalid name'],
    ['{"n":1}}}', '{"n":1}'],
    ['{"n":1}]', 'invalid residue'],
    ['{"tags":["a"}]', 'invalid quote_in_doubt'],
    ['{"tags":[[]}]', 'invalid bracket'],
    ['{"n":1, // two gates\n"note":"x"}', '{"n":1,"note":"x"}'],
    ['{"n":1, // 2 more\n"note":"x"}', 'invalid omission'],
    ['{"tags":["a", /* weitere */ "b"]}', 'invalid omission'],
    ['｛"n"：1，"note"："x"｝', '{"n":1,"note":"x"}'],
    // Tokens.
    ["{'n':1,'note':'it\\'s'}", '{"n":1,"note":"it\'s"}'],
    ["{'note':'it's \"so\"'}", '{"note":"it\'s \\"so\\""}'],
    ["{'note':'the dogs' bowl'}", 'invalid quote_in_doubt'],
    ['{“note”:“x”}', '{"note":"x"}'],
    ['{"note":"he said “hi”, "n":1}', 'invalid quote_in_doubt'],
    ['{note: low tide, n: 1}', '{"note":"low tide","n":1}'],
    ['{“note”: “low tide", n: 1}', 'invalid quote_in_doubt'],
    ['{"note": „low\\" tide", "n": 1}', 'invalid quote_in_doubt'],
    ["{'note': '\"low', 'n': 1}", 'invalid quote_in_doubt'],
    ["{'note': '\"low\"', 'n': 1}", '{"note":"\\"low\\"","n":1}'],
    ["{'note': 'a 5\" plank', 'n': 1}", '{"note":"a 5\\" plank","n":1}'],
    ['{\'"n"\': 1}', 'invalid quote_in_doubt'],
    ['{note: /* so */ low, n: 1}', 'invalid value'],
    ['{note: low/* so */, n: 1}', 'invalid value'],
    ['{n: 1, /* so */ note: low}', '{"n":1,"note":"low"}'],
    ['{note: \ufefflow, n: 1}', 'invalid value'],
    ['{note: low\u200b, n: 1}', 'invalid value'],
    ['{note: low, tide, n: 1}', 'invalid value'],
    ['{"note": x", "n": 1}', 'invalid value'],
    ['{"tags":[slow]}', 'invalid value'],
    ['{"strange": slow}', 'invalid value'],
    ['{"open":True}', '{"open":true}'],
    ['{"note":None}', 'invalid contract'],
    ['{"note":NaN}', 'invalid literal'],
    ['{"note":-Infinity}', 'invalid literal'],
    ['{"n":+5}', '{"n":5}'],
    ['{"n":.5}', 'invalid value'],
    ['{"n":05}', 'invalid number'],
    ['{"note":05}', '{"note":"05"}'],
    ['{"n":12345678901234567890,}', 'invalid strict'],
    ['{"n":1,"n":2,}', 'invalid strict'],
    ['{"note":"\\ud83c",}', 'invalid strict'],
    // Inside strings.
    ['{"note":"a\nb"}', '{"note":"a\\nb"}'],
    ['{"note":"a\n"}', 'invalid quote_in_doubt'],
    ['{"note":"a,\n  b"}', 'invalid quote_in_doubt'],
    ['{"note":"Dear all,\n\nb"}', '{"note":"Dear all,\\n\\nb"}'],
    ['{"no\nte":"a"}', 'invalid quote_in_doubt'],
    ['{"note":"\\d+\\s"}', '{"note":"\\\\d+\\\\s"}'],
    ['{"note":"\\d+"}', 'ambiguous escape_in_doubt'],
    ['{"note":"\\d+\\s\\n"}', 'ambiguous escape_in_doubt'],
    ['{"note":"\\*a\\*"}', 'ambiguous escape_in_doubt'],
    ['{"note":"say "hi" now","n":1}', '{"note":"say \\"hi\\" now","n":1}'],
    ['{"note":"say "hi" now","strange":1}', 'ambiguous quote_in_doubt'],
    ['{"note":"5" wide","n":1}', 'invalid quote_in_doubt'],
    ['{"note":"x,"n":1}', 'invalid quote_in_doubt'],
    ['{"note":"{"k":"v"}","n":1}', 'invalid quote_in_doubt'],
    ['{"tags":["say "hi" now"]}', '{"tags":["say \\"hi\\" now"]}'],
    ["{'note':'a\\d\\s'}", 'ambiguous escape_in_doubt'],
    ['{"note":"\\xa0\\xa0"}', 'ambiguous escape_in_doubt'],
    ['{"note":"about 5”, "n":1}', 'invalid quote_in_doubt'],
    ['{"note":-}', 'invalid number'],
    ['{\\"note\\":\\"x\\"}', '{"note":"x"}'],
    ['{\\"note\\":\\"C:\\\\new\\"}', 'invalid no_value'],
    ['{"tags":["(a"、"b)"]}', 'invalid quote_in_doubt'],
    ['{"note":"a „low"\\" tide","n":1}', 'invalid quote_in_doubt'],
    ['{"tags":["a","say "hi" now"]}', 'ambiguous quote_in_doubt'],
    // Two strings, of which the second lost its opening quotation mark.
    ['{"tags":[""low", and so on"]}', 'ambiguous quote_in_doubt'],
    ['{"tags":["say "hi\\"", and so on"]}', 'ambiguous quote_in_doubt'],
  ])('%j is %s', (text, result) => {
    expect(inShort(read(text))).toBe(result);
  });

  it.each([
    // One number of `[[1,2],[3]]` without its commas; with a comma left they are not all lost, and one digit is one number.
    ['[[12][3]]', 'invalid separator'],
    ['[[-1][3]]', 'invalid separator'],
    ['[[1][3]]', '[[1],[3]]'],
    ['[[][3]]', 'invalid separator'],
    ['[[12] [3]]', '[[12],[3]]'],
    ['[[1,22][3]]', '[[1,22],[3]]'],
  ])('numbers whose commas may be lost as well: %j is %s', (text, result) => {
    const numbers: JsonObject = { type: 'array', items: { type: 'array', items: { type: 'number' } } };
    expect(inShort(decode(text, { schema: numbers, finishReason: 'stop' }))).toBe(result);
  });

  it.each([
    // A closer that came too early, or too late: the member belongs to the container before, or to the one around it.
    ['[[null,] true]', 'invalid separator'],
    ['[{"a":1,} {"a":2}]', '[{"a":1},{"a":2}]'],
    ['{"a":{"b":1,}"c":2}', 'invalid separator'],
    ['{"a":["b",]"c":2}', '{"a":["b"],"c":2}'],
    ['[null[], null]', 'invalid separator'],
    ['[[]null, true]', 'invalid separator'],
    ['[[ ]"a"]', 'invalid separator'],
    ['["a"[]]', 'invalid quote_in_doubt'],
    ['[true\n  [\n  ],\n  null]', 'invalid separator'],
    ['[[\n  ]\n  true]', 'invalid separator'],
    ['[true\n  [],\n  null]', '[true,[],null]'],
    ['[["a"]["b"]]', '[["a"],["b"]]'],
    // Lines of one string, or elements that lost a quotation mark, a comma and a quotation mark.
    ['[\n  "low\n  tide"\n]', 'invalid quote_in_doubt'],
    ['[\n  "low\n\n  tide"\n]', 'invalid quote_in_doubt'],
    ['[\n"low\ntide"\n]', 'invalid quote_in_doubt'],
    ['[\n  "low\ntide"\n]', '["low\\ntide"]'],
    ['[\n  "low\n    tide"\n]', '["low\\n    tide"]'],
    ['["low\n tide"]', '["low\\n tide"]'],
    ['{\n  "a": "low\n  tide"\n}', '{"a":"low\\n  tide"}'],
  ])('what may have stood one place further: %j is %s', (text, result) => {
    expect(inShort(decode(text, { schema: {}, finishReason: 'stop' }))).toBe(result);
  });

  it('one escaped pair of quotation marks in an array may be a word whose own delimiters are lost', () => {
    const words: JsonObject = { type: 'array', items: { type: 'string' } };
    const short = (text: string): string => inShort(decode(text, { schema: words, finishReason: 'stop' }));
    expect(short('[\\"low\\"]')).toBe('invalid value');
    expect(short('[\\"low\\",\\"tide\\"]')).toBe('["low","tide"]');
  });

  it.each([
    ['Example: {"a": 1}. Now: [false]', 'ambiguous several_values'],
    ['See [1] or {"a": 1}', 'ambiguous several_values'],
    ['See [page 1]: {"a": 1}', '{"a":1}'],
  ])('where the root may be an object or an array, a list is a value: %j is %s', (text, result) => {
    expect(inShort(decode(text, { schema: {}, finishReason: 'stop' }))).toBe(result);
  });

  it('an extra closer is dropped only where no other could be the extra one', () => {
    const place: JsonObject = {
      type: 'object',
      properties: { inner: { $ref: '#' }, note: { type: 'string' } },
      additionalProperties: false,
    };
    expect(inShort(decode('{"inner":{"inner":{}}}}', { schema: place, finishReason: 'stop' }))).toBe('{"inner":{"inner":{}}}');
    for (const text of ['{"inner":{"inner":{}},"note":"x"}}', '{"inner":{}"note":"x"}}', '{"inner":{"inner":{}}"note":"x"}}']) {
      expect(inShort(decode(text, { schema: place, finishReason: 'stop' }))).toBe('ambiguous closer_in_doubt');
    }
  });
});

describe('what an outcome tells', () => {
  it('edits name a code, how often, and the bytes they span', () => {
    const decoded = read('箱 ok:\n{"n":1,"note":"x\ny\nz",}');
    expect(decoded).toMatchObject({
      status: 'repaired',
      edits: [
        { code: 'prose_removed', count: 1, bytes: { from: 0, to: 8 } },
        { code: 'control_escaped', count: 2, bytes: { from: 24, to: 27 } },
        { code: 'trailing_comma', count: 1, bytes: { from: 29, to: 30 } },
      ],
    });
  });

  it('a fault has its place in bytes, and how many readings there are', () => {
    expect(read('{"note":"箱","n":}')).toMatchObject({ status: 'invalid', at: 18, issues: [{ code: 'not_json', path: '' }] });
    expect(read('{"tags":["a "b", c","d"]}')).toMatchObject({ status: 'ambiguous', readings: 2 });
  });

  it('what broke the contract is evidence, with cleaned issues', () => {
    expect(read('{"n":"one"}')).toMatchObject({
      status: 'invalid',
      class: 'contract_violation',
      rejected: { n: 'one' },
      issues: [{ code: 'type', path: '/n' }],
      issueCount: 1,
    });
  });

  it('nothing but a value carries words of the text', () => {
    const canary = 'Zq7';
    for (const text of [`{"n":"${canary}`, `{"n":${canary}}`, `${canary}`, `{"note":"a "${canary}" ,"b":1}`, `{"n":1}{"n":"${canary}"}`]) {
      const { status, ...rest } = read(text);
      expect(['exact', 'repaired']).not.toContain(status);
      if (!('rejected' in rest)) expect(JSON.stringify(rest)).not.toContain(canary);
    }
  });
});
