import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkDiagnostic,
  compileContract,
  conceptualizationGraph,
  diagnosticClasses,
  type Issue,
  issueCodes,
  issuePathMax,
  issuesMax,
  type JsonObject,
  type OutputContract,
  observation,
  pathsBelongTo,
  repairableClasses,
  sanitizeSchemaIssues,
} from '../src/index.js';
import { contract, diagnostic, output } from './controls.js';

const canary = 'Zq7';
const bind = (schema: unknown): OutputContract =>
  compileContract({ id: 'test', version: 1, schema: schema as JsonObject, promptDescription: 'Test.' });
const issuesOf = (bound: OutputContract, value: unknown): readonly Issue[] => {
  const checked = bound.check(value);
  return checked.kind === 'invalid' ? checked.issues : [];
};

/** A contract under which a model may make up names: maps of lists of maps. */
const free = bind({
  type: 'object',
  additionalProperties: { type: 'array', items: { type: 'object', additionalProperties: { type: 'string', maxLength: 3 } } },
});

describe('the sanitizer (T53, T54)', () => {
  const names = fc.oneof(
    fc.constantFrom('title', 'evidence', 'quote', 'constructor', '__proto__', 'toString', 'concepts', '0', '7'),
    fc.string({ maxLength: 6 }).map((text) => text + canary),
    fc.constant(canary),
  );
  const values = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(canary, `x${canary}`, 1, null, true, -1),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.array(fc.tuple(names, tie('value')), { maxLength: 5 }).map(objectOf),
    ),
  })).value;

  it('no issue holds a name or a value that the model made up', () => {
    const contracts = [contract, compileContract(conceptualizationGraph), free];
    fc.assert(
      fc.property(values, fc.constantFrom(...contracts), (value, bound) => {
        const issues = issuesOf(bound, value);
        expect(JSON.stringify(issues)).not.toContain(canary);
        expect(issues.length).toBeLessThanOrEqual(issuesMax);
        expect(pathsBelongTo(bound, issues)).toBe(true);
        const stored = { ...diagnostic, issues, issueCount: issues.length };
        expect(checkDiagnostic(JSON.parse(JSON.stringify(stored))).kind).toBe('sanitized');
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['a name of its own', { tide: 1 }, '/*'],
    ['a name that every object has', { constructor: 1 }, '/*'],
    ['__proto__', JSON.parse('{"__proto__":1}'), '/*'],
    ['toString', { toString: 1 }, '/*'],
    ['digits, as in a secret number', { 483920: 1 }, '/*'],
    ['a slash', { 'a/b': 1 }, '/*'],
    ['an escaped slash', { 'a~1b': 1 }, '/*'],
    ['a star', { '*': 1 }, '/*'],
    ['nothing', { '': 1 }, '/*'],
    ['digits further down', { tide: [{ 4711: 1 }] }, '/*/0/*'],
  ])('a model that names a member with %s is shown as a star', (_, value, path) => {
    expect(issuesOf(free, value)).toEqual([{ code: 'type', path }]);
  });

  it('array indexes and names of the contract stay', () => {
    const value = { ...output, evidence: [output.evidence[0], { eventId: 1, quote: 'q' }] };
    expect(issuesOf(contract, value)).toEqual([{ code: 'type', path: '/evidence/1/eventId' }]);
  });

  it('an own name that is a number stays a name', () => {
    const numbered = bind({ type: 'object', properties: { 7: { type: 'string' } } });
    expect(issuesOf(numbered, { 7: 1 })).toEqual([{ code: 'type', path: '/7' }]);
  });

  it('an own name that a path cannot carry is a star', () => {
    const spaced = bind({ type: 'object', properties: { 'two words': { type: 'string' } } });
    expect(issuesOf(spaced, { 'two words': 1 })).toEqual([{ code: 'type', path: '/*' }]);
  });

  it('names made up beside each other count once', () => {
    expect(contract.check({ ...output, a: 1, b: 2, c: 3 })).toEqual({
      kind: 'invalid',
      issues: [{ code: 'unexpected_property', path: '/*' }],
      issueCount: 1,
    });
  });

  it('a path ends at a whole name within 128 characters', () => {
    const name = 'n'.repeat(50);
    const leaf = { type: 'string' };
    const level = (inner: object): object => ({ type: 'object', properties: { [name]: inner } });
    const [issue] = issuesOf(bind(level(level(level(leaf)))), { [name]: { [name]: { [name]: 1 } } });
    expect(issue?.path).toBe(`/${name}/${name}`);
    expect(issue?.path.length).toBeLessThanOrEqual(issuePathMax);
  });

  it.each([
    [{ type: 'string', enum: ['a'] }, 'b', 'not_in_enum'],
    [{ const: 1 }, 2, 'not_in_enum'],
    [{ type: 'string', pattern: '^a$' }, 'b', 'pattern'],
    [{ type: 'string', format: 'date' }, '2031-02-30', 'format'],
    [{ type: 'number', exclusiveMinimum: 0 }, 0, 'out_of_range'],
    [{ type: 'integer' }, 1.5, 'type'],
    [{ type: 'number', multipleOf: 2 }, 3, 'other_constraint'],
    [{ type: 'array', uniqueItems: true }, [1, 1], 'other_constraint'],
    [{ type: 'array', minItems: 1 }, [], 'too_few'],
    [{ type: 'object', minProperties: 1 }, {}, 'too_few'],
    [{ type: 'object', maxProperties: 0 }, { a: 1 }, 'too_many'],
    [{ type: 'object', propertyNames: false }, { a: 1 }, 'unexpected_property'],
    [{ not: {} }, 1, 'other_constraint'],
  ])('%o refuses %o as %s', (schema, value, code) => {
    expect(issuesOf(bind(schema), value).map((issue) => issue.code)).toContain(code);
  });

  it('a keyword that it does not know is another constraint', () => {
    const found = [{ keyword: 'constructor', instancePath: '', params: {} }];
    expect(sanitizeSchemaIssues(found, new Set(), {}).issues).toEqual([{ code: 'other_constraint', path: '' }]);
  });
});

describe('a stored diagnostic (T29)', () => {
  const semantic = { ...diagnostic, class: 'semantic_validation', ruleId: 'evidence-in-context' };

  it.each([
    ['the control', diagnostic],
    ['no issues', { ...diagnostic, issues: [], issueCount: 0 }],
    ['more issues counted than named', { ...diagnostic, issueCount: 900 }],
    ['32 issues', { ...diagnostic, issues: Array.from({ length: 32 }, () => diagnostic.issues[0]), issueCount: 32 }],
    ['a path of 128 characters', { ...diagnostic, issues: [{ code: 'type', path: `/${'a'.repeat(127)}` }] }],
    ['a rule with its class', semantic],
    ['the empty path', { ...diagnostic, issues: [{ code: 'type', path: '' }] }],
  ])('with %s is sanitized', (_, stored) => {
    expect(checkDiagnostic(stored)).toEqual({ kind: 'sanitized', diagnostic: stored });
  });

  it.each(issueCodes)('knows the issue code %s', (code) => {
    expect(checkDiagnostic({ ...diagnostic, issues: [{ code, path: '' }] }).kind).toBe('sanitized');
  });

  it.each(diagnosticClasses)('knows the class %s', (kind) => {
    const stored = kind === 'semantic_validation' ? semantic : { ...diagnostic, class: kind };
    expect(checkDiagnostic(stored).kind).toBe('sanitized');
  });

  const path = (text: string) => ({ ...diagnostic, issues: [{ code: 'type', path: text }] });
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'invalid_json'],
    ['a list', [diagnostic]],
    ['a class that is not listed', { ...diagnostic, class: 'weather' }],
    ['a message', { ...diagnostic, message: canary }],
    ['the raw text', { ...diagnostic, raw: canary }],
    ['a cause', { ...diagnostic, cause: {} }],
    ['something in its contract', { ...diagnostic, contract: { ...contract.ref, note: canary } }],
    ['something called __proto__', JSON.parse(JSON.stringify(diagnostic).replace('{', `{"__proto__":"${canary}",`))],
    ['something in an issue', { ...diagnostic, issues: [{ code: 'type', path: '', value: canary }] }],
    ['a word that is no issue code', { ...diagnostic, issues: [{ code: canary, path: '' }] }],
    ['33 issues', { ...diagnostic, issues: Array.from({ length: 33 }, () => diagnostic.issues[0]), issueCount: 33 }],
    ['fewer issues counted than named', { ...diagnostic, issueCount: 0 }],
    ['a count below zero', { ...diagnostic, candidateBytes: -1 }],
    ['half a byte', { ...diagnostic, candidateBytes: 0.5 }],
    ['a count past 2^53', { ...diagnostic, issueCount: 2 ** 53 }],
    ['a path of 129 characters', path(`/${'a'.repeat(128)}`)],
    ['a path with a space', path('/a b')],
    ['a path that starts nowhere', path('a')],
    ['a path with an empty name', path('/a//b')],
    ['a path with a line break', path('/a\n')],
    ['a rule without its class', { ...diagnostic, ruleId: 'evidence-in-context' }],
    ['the class without its rule', { ...diagnostic, class: 'semantic_validation' }],
    ['a rule that is a sentence', { ...semantic, ruleId: 'The quote was not found' }],
    ['a rule without end', { ...semantic, ruleId: 'a'.repeat(65) }],
    ['a contract hash that is none', { ...diagnostic, contract: { ...contract.ref, hash: canary } }],
  ])('with %s is unsanitized, and what it was is not repeated', (_, stored) => {
    expect(checkDiagnostic(stored)).toEqual({ kind: 'unsanitized' });
  });

  it('the three repairable classes are the seeds’ (T26 to T28)', () => {
    expect(repairableClasses).toEqual(['invalid_json', 'contract_violation', 'semantic_validation']);
  });
});

describe('paths that belong to a contract', () => {
  it.each([
    ['', true],
    ['/title', true],
    ['/evidence/0/quote', true],
    ['/evidence/12/*', true],
    ['/*', true],
    [`/${canary}`, false],
    ['/evidence/0/constructor', false],
    ['/evidence/1234567', false],
    ['/title/4929123456781234', false],
  ])('%s: %s', (path, belongs) => {
    expect(pathsBelongTo(compileContract(observation), [{ code: 'type', path }])).toBe(belongs);
  });
});

function objectOf(entries: readonly (readonly [string, unknown])[]): object {
  const made = {};
  for (const [name, value] of entries) Object.defineProperty(made, name, { value, enumerable: true, configurable: true });
  return made;
}
