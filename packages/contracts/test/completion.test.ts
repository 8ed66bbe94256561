import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Completion,
  candidateBytesMax,
  canonicalText,
  checkDiagnostic,
  compileContract,
  type Diagnostic,
  encodeEvent,
  finishMeaning,
  type Judged,
  type JsonObject,
  judgeCompletion,
  type RuleContext,
  type SemanticRule,
  semanticRules,
  semanticRulesOf,
} from '../src/index.js';
import { contract, drafts, output } from './controls.js';

const context: RuleContext = { sources: new Map([['e1', 'At nine the gauge fell to 0.4 m.']]) };
const judge = (completion: Completion): Judged => judgeCompletion(contract, completion, context);
const diagnosticOf = (judged: Judged): Diagnostic => {
  if (judged.kind === 'failed') return judged.diagnostic;
  throw new Error('expected a failed completion');
};
const classOf = (judged: Judged): string => (judged.kind === 'valid' ? 'valid' : judged.diagnostic.class);

const good = JSON.stringify(output);
const words: Readonly<Record<string, string>> = {
  good,
  fenced: `\`\`\`json\n${good}\n\`\`\``,
  'off contract': JSON.stringify({ ...output, title: '' }),
  empty: '',
  blank: ' \n',
  cut: good.slice(0, -20),
  'cut in a fence': `\`\`\`json\n${good.slice(0, -20)}`,
  'wrong closer': `${good.slice(0, -1)}]`,
  prose: 'The gauge fell.',
  'number past 2^53': '{"confidence":12345678901234567890}',
  'name twice': '{"title":"a","title":"b"}',
  nested: '['.repeat(500),
};

describe('the finish reason comes first', () => {
  /** Rows: what the answer is. Columns: a clean stop, a length stop, a refusal, a tool call, an unknown word, no word. */
  const table: readonly (readonly [string, string, string, string])[] = [
    // answer, with stop, with a word we do not know, code of its issue with stop
    ['good', 'valid', 'valid', ''],
    ['off contract', 'contract_violation', 'contract_violation', 'too_short'],
    ['fenced', 'invalid_json', 'truncated', 'not_json'],
    ['empty', 'invalid_json', 'truncated', 'empty'],
    ['blank', 'invalid_json', 'truncated', 'empty'],
    ['cut', 'truncated', 'truncated', 'not_json'],
    ['cut in a fence', 'truncated', 'truncated', 'not_json'],
    ['wrong closer', 'invalid_json', 'truncated', 'not_json'],
    ['prose', 'invalid_json', 'truncated', 'not_json'],
    ['number past 2^53', 'contract_violation', 'truncated', 'number_unsafe'],
    ['name twice', 'invalid_json', 'truncated', 'duplicate_name'],
    ['nested', 'too_large', 'too_large', 'too_deep'],
  ];

  it('the table has every answer', () => {
    expect(table.map(([answer]) => answer).sort()).toEqual(Object.keys(words).sort());
  });

  it.each(table)('%s: %s with stop, %s without a word that we know', (answer, withStop, withUnknown, code) => {
    const text = words[answer] ?? '';
    const judged = judge({ text, finishReason: 'stop' });
    expect(classOf(judged)).toBe(withStop);
    if (judged.kind === 'failed') expect(judged.diagnostic.issues.map((issue) => issue.code)).toEqual([code]);
    for (const finishReason of ['eventually', '', null, undefined]) expect(classOf(judge({ text, finishReason }))).toBe(withUnknown);
  });

  it.each(Object.keys(words))('%s is never judged further after a length stop, a refusal or a tool call', (answer) => {
    const text = words[answer] ?? '';
    for (const [finishReason, kind] of [
      ['length', 'truncated'],
      ['content_filter', 'refused'],
      ['tool_calls', 'tool_call'],
    ] as const) {
      expect(judge({ text, finishReason })).toEqual({
        kind: 'failed',
        diagnostic: { class: kind, contract: contract.ref, issues: [], issueCount: 0, candidateBytes: Buffer.byteLength(text) },
      });
    }
  });

  it.each([
    ['stop', 'complete'],
    ['STOP', 'complete'],
    ['end_turn', 'complete'],
    ['length', 'truncated'],
    ['MAX_TOKENS', 'truncated'],
    ['max_output_tokens', 'truncated'],
    ['content_filter', 'refused'],
    ['refusal', 'refused'],
    ['SAFETY', 'refused'],
    ['tool_use', 'tool_call'],
    ['function_call', 'tool_call'],
    ['tool-calls', 'tool_call'],
    ['content-filter', 'refused'],
    ['guardrail_intervened', 'refused'],
    ['COMPLETE', 'complete'],
    ['eos_token', 'complete'],
    ['ERROR_LIMIT', 'truncated'],
    ['constructor', 'unknown'],
    ['__proto__', 'unknown'],
    ['stop ', 'unknown'],
    ['', 'unknown'],
    [null, 'unknown'],
    [undefined, 'unknown'],
  ] as const)('%s means %s', (reason, meaning) => {
    expect(finishMeaning(reason)).toBe(meaning);
  });
});

describe('the size of an answer (O26)', () => {
  const padded = (bytes: number): string => good + ' '.repeat(bytes - Buffer.byteLength(good));

  it('64 KiB are read, one byte more is not', () => {
    expect(classOf(judge({ text: padded(candidateBytesMax), finishReason: 'stop' }))).toBe('valid');
    expect(classOf(judge({ text: padded(candidateBytesMax + 1), finishReason: 'stop' }))).toBe('too_large');
  });

  it('bytes are counted, not characters', () => {
    const diagnostic = diagnosticOf(judge({ text: '箱'.repeat(22_000), finishReason: 'stop' }));
    expect(diagnostic).toMatchObject({ class: 'too_large', candidateBytes: 66_000, issues: [], issueCount: 0 });
  });
});

describe('semantic rules (T28)', () => {
  const withEvidence = (...evidence: unknown[]): Completion => ({ text: JSON.stringify({ ...output, evidence }), finishReason: 'stop' });

  it('the rules of an observation are tried in their order', () => {
    expect(semanticRulesOf(contract.ref.id).map(({ id }) => id)).toEqual(['evidence-in-context', 'evidence-quote-verbatim']);
  });

  it.each([
    ['a source that was not shown', [{ eventId: 'e2', quote: 'fell' }], 'evidence-in-context', ['/evidence/0/eventId']],
    ['a quote that is not there', [output.evidence[0], { eventId: 'e1', quote: 'rose' }], 'evidence-quote-verbatim', ['/evidence/1/quote']],
    ['a quote in other letters', [{ eventId: 'e1', quote: 'FELL' }], 'evidence-quote-verbatim', ['/evidence/0/quote']],
    [
      'both faults, of which the first rule is named',
      [
        { eventId: 'e1', quote: 'rose' },
        { eventId: 'e2', quote: 'fell' },
      ],
      'evidence-in-context',
      ['/evidence/1/eventId'],
    ],
  ])('%s breaks the rule', (_, evidence, ruleId, paths) => {
    const diagnostic = diagnosticOf(judge(withEvidence(...evidence)));
    expect(diagnostic).toMatchObject({ class: 'semantic_validation', ruleId, issueCount: paths.length });
    expect(diagnostic.issues).toEqual(paths.map((path) => ({ code: 'rule_broken', path })));
    expect(checkDiagnostic(diagnostic).kind).toBe('sanitized');
  });

  it('a rule with more findings than a diagnostic holds is counted whole', () => {
    const many: SemanticRule = { id: 'many', brokenAt: () => Array.from({ length: 40 }, () => '/title') };
    const judged = judgeCompletion(contract, { text: good, finishReason: 'stop' }, context, [many]);
    expect(diagnosticOf(judged)).toMatchObject({ issueCount: 40 });
    expect(diagnosticOf(judged).issues).toHaveLength(32);
  });

  it('other contracts have no rules of their own', () => {
    for (const id of ['stream.thought.output.conceptualization-graph', 'constructor', '__proto__']) expect(semanticRulesOf(id)).toEqual([]);
  });

  it('a member that the model named is `*` in a path of a rule, a number as much as a word (T54)', () => {
    const open = compileContract({ id: 'open', version: 1, promptDescription: 'Open.', schema: { type: 'object' } });
    for (const name of ['12', 'Zq7/~1', '__proto__']) {
      const judged = judgeCompletion(open, { text: `{"${name}":["a\\f"]}`, finishReason: 'stop' }, context, [
        semanticRules.noControlCharacters,
      ]);
      expect(diagnosticOf(judged)).toMatchObject({ ruleId: 'no-control-characters', issues: [{ code: 'rule_broken', path: '/*/0' }] });
    }
  });
});

describe('a judged answer', () => {
  it('that is valid comes with its canonical form', () => {
    expect(judge({ text: good, finishReason: 'stop' })).toEqual({ kind: 'valid', output, text: canonicalText(output) });
  });

  it('never enters its diagnostic, and the diagnostic is one that readers accept and the log takes', () => {
    const canary = 'Zq7';
    const texts = fc.oneof(
      fc.string().map((text) => `${text}${canary}`),
      fc.json().map((text) => `${text}${canary}`),
      fc.jsonValue().map((value) => JSON.stringify({ [canary]: value, [`${canary}2`]: canary })),
      fc.jsonValue().map((value) => JSON.stringify({ ...output, tags: [canary, value], [canary]: 1 })),
    );
    fc.assert(
      fc.property(texts, fc.constantFrom('stop', 'length', 'refusal', 'tool_calls', 'what', undefined), (text, finishReason) => {
        const diagnostic = diagnosticOf(judge({ text, finishReason }));
        expect(JSON.stringify(diagnostic)).not.toContain(canary);
        expect(checkDiagnostic(diagnostic)).toEqual({ kind: 'sanitized', diagnostic });
        encodeEvent({ ...drafts.runFailed, data: { ...drafts.runFailed.data, diagnostic } });
      }),
    );
  });
});

interface Case {
  readonly id: string;
  readonly kind: string;
  readonly raw: string;
  readonly raw_gen?: { readonly parts: readonly (readonly [string, number])[] };
  readonly finish_reason: string;
  readonly schema: JsonObject;
  readonly expect: { readonly class: string; readonly value: unknown };
}

/** test/cases/README.md says what a line means. */
const cases = readFileSync(new URL('../../../test/cases/decode.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Case);
const rawOf = (one: Case): string => one.raw_gen?.parts.map(([text, count]) => text.repeat(count)).join('') ?? one.raw;
const judgeAnew = (one: Case): Judged => {
  const bound = compileContract({ id: 'test', version: 1, schema: one.schema, promptDescription: 'Test.' });
  return judgeCompletion(bound, { text: rawOf(one), finishReason: one.finish_reason }, { sources: new Map() });
};
const judgedById = new Map(cases.map((one) => [one.id, judgeAnew(one)]));
const judgeCase = (one: Case): Judged => judgedById.get(one.id)!;

/**
 * From the class of a case to what the strict reader may say of it. Where it says more than one thing:
 * - `ok`: valid as it stands, or `invalid_json` where a deterministic repair is due, which ring 1 brings. D059 is the one
 *   that stays refused: its integer is past 2^53, and we hold numbers as doubles (settled question 8).
 * - `semantic`: valid, since the case's rule is none of the contract's; what is compared is the value.
 * - `refusal`: known where the provider says so; a refusal in words or in an object of its own is just not an answer.
 * - `empty`: no text at all counts as `invalid_json` after a clean stop (settled by design, section 3), as does text that
 *   holds no answer; after a tool call the finish reason comes first.
 */
const classesOf: Readonly<Record<string, readonly string[]>> = {
  ok: ['valid', 'invalid_json'],
  semantic: ['valid'],
  contract_violation: ['contract_violation'],
  invalid_json: ['invalid_json'],
  truncated: ['truncated'],
  too_large: ['too_large'],
  refusal: ['refused', 'invalid_json', 'contract_violation'],
  empty: ['invalid_json', 'tool_call'],
};
const heldAsDoubles = 'D059';

describe('answers from the field', () => {
  it('there are 118', () => {
    expect(cases).toHaveLength(118);
  });

  it.each(cases.map((one) => [one.id, one.kind, one] as const))('%s, %s: never silently wrong', (id, _, one) => {
    const judged = judgeCase(one);
    if (judged.kind === 'valid') {
      expect(['ok', 'semantic']).toContain(one.expect.class);
      expect(canonicalText(judged.output)).toBe(canonicalText(one.expect.value));
    } else expect(checkDiagnostic(judged.diagnostic).kind).toBe('sanitized');
    expect(id === heldAsDoubles ? ['contract_violation'] : classesOf[one.expect.class]).toContain(classOf(judged));
  });

  it('what is strict JSON and fits needs no repair', () => {
    const strict = cases.filter((one) => ['ok', 'semantic'].includes(one.expect.class) && isJson(rawOf(one)) && one.id !== heldAsDoubles);
    expect(strict).toHaveLength(cases.filter((one) => judgeCase(one).kind === 'valid').length);
    for (const one of strict) expect(judgeCase(one).kind).toBe('valid');
  });

  it('the provider’s word for a length stop or a refusal is known in each of its spellings', () => {
    for (const one of cases.filter(({ finish_reason }) => finish_reason !== 'stop')) {
      expect(finishMeaning(one.finish_reason)).toMatch(/^(truncated|refused|tool_call)$/);
    }
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
