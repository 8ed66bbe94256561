import { describe, expect, it } from 'vitest';
import {
  conceptualizationGraph,
  compileContract,
  issuesMax,
  type JsonObject,
  OutputContracts,
  observation,
  outputBytesMax,
  outputDepthMax,
  sameContract,
} from '../src/index.js';
import { output } from './controls.js';

const observed = compileContract(observation);
const graph = compileContract(conceptualizationGraph);
const bind = (schema: unknown) => compileContract({ id: 'test', version: 1, schema: schema as JsonObject, promptDescription: 'Test.' });
const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
const evidence = { eventId: 'e', quote: 'q' };
const concept = { key: 'k', label: 'l' };
const relation = { from: 'a', to: 'b', label: 'l' };
const without = (value: object, name: string): object => Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));

describe('observation@1 (T46)', () => {
  it.each([
    ['the control', output],
    ['a title at its limit', { ...output, title: 'a'.repeat(120) }],
    // JSON Schema counts characters, and a character beyond the basic plane is one.
    ['a title of 120 characters that are 240 code units', { ...output, title: '🌊'.repeat(120) }],
    ['a summary at its limit', { ...output, summary: 'a'.repeat(2_000) }],
    ['no tags', { ...output, tags: [] }],
    ['eight tags at their limit', { ...output, tags: times(8, 'a'.repeat(40)) }],
    ['confidence 0', { ...output, confidence: 0 }],
    ['confidence 1', { ...output, confidence: 1 }],
    ['no evidence', { ...output, evidence: [] }],
    ['ten pieces of evidence', { ...output, evidence: times(10, evidence) }],
    ['a quote at its limit', { ...output, evidence: [{ ...evidence, quote: 'a'.repeat(280) }] }],
    ['an event id at its limit', { ...output, evidence: [{ ...evidence, eventId: 'a'.repeat(64) }] }],
    ['NUL in a text', { ...output, summary: 'a\u0000b' }],
  ])('accepts %s', (_, value) => {
    expect(observed.check(value).kind).toBe('valid');
  });

  it.each([
    ['null', null, 'type', ''],
    ['a list', [], 'type', ''],
    ['a text', '{}', 'type', ''],
    ...['title', 'summary', 'tags', 'confidence', 'evidence'].map(
      (name) => [`no ${name}`, without(output, name), 'required', `/${name}`] as const,
    ),
    ['another key', { ...output, note: 1 }, 'unexpected_property', '/*'],
    ['a title over its limit', { ...output, title: 'a'.repeat(121) }, 'too_long', '/title'],
    ['an empty title', { ...output, title: '' }, 'too_short', '/title'],
    ['a summary over its limit', { ...output, summary: 'a'.repeat(2_001) }, 'too_long', '/summary'],
    ['an empty summary', { ...output, summary: '' }, 'too_short', '/summary'],
    ['nine tags', { ...output, tags: times(9, 'a') }, 'too_many', '/tags'],
    ['a tag over its limit', { ...output, tags: ['a'.repeat(41)] }, 'too_long', '/tags/0'],
    ['an empty tag', { ...output, tags: ['a', ''] }, 'too_short', '/tags/1'],
    ['a number as tag', { ...output, tags: [1] }, 'type', '/tags/0'],
    ['confidence below 0', { ...output, confidence: -0.001 }, 'out_of_range', '/confidence'],
    ['confidence above 1', { ...output, confidence: 1.001 }, 'out_of_range', '/confidence'],
    ['confidence as text', { ...output, confidence: '0.5' }, 'type', '/confidence'],
    ['eleven pieces of evidence', { ...output, evidence: times(11, evidence) }, 'too_many', '/evidence'],
    ['a quote over its limit', { ...output, evidence: [{ ...evidence, quote: 'a'.repeat(281) }] }, 'too_long', '/evidence/0/quote'],
    ['an empty quote', { ...output, evidence: [{ ...evidence, quote: '' }] }, 'too_short', '/evidence/0/quote'],
    ['an event id over its limit', { ...output, evidence: [{ ...evidence, eventId: 'a'.repeat(65) }] }, 'too_long', '/evidence/0/eventId'],
    ['evidence without a quote', { ...output, evidence: [{ eventId: 'e' }] }, 'required', '/evidence/0/quote'],
    ['another key in evidence', { ...output, evidence: [{ ...evidence, page: 1 }] }, 'unexpected_property', '/evidence/0/*'],
    ['a lone surrogate', { ...output, title: String.fromCharCode(0xd800) }, 'lone_surrogate', ''],
    ['confidence that is no number', { ...output, confidence: Number.NaN }, 'type', '/confidence'],
  ] as const)('refuses %s', (_, value, code, path) => {
    expect(observed.check(value)).toEqual({ kind: 'invalid', issues: [{ code, path }], issueCount: 1 });
  });
});

describe('conceptualization-graph@1 (T50)', () => {
  it.each([
    ['an empty graph', { concepts: [], relations: [] }],
    ['a graph at its limits', { concepts: times(50, concept), relations: times(100, relation) }],
    ['names at their limits', { concepts: [{ key: 'a'.repeat(40), label: 'a'.repeat(120) }], relations: [] }],
    ['a relation at its limits', { concepts: [], relations: [{ from: 'a'.repeat(40), to: 'a'.repeat(40), label: 'a'.repeat(80) }] }],
  ])('accepts %s', (_, value) => {
    expect(graph.check(value).kind).toBe('valid');
  });

  it.each([
    ['no relations', { concepts: [] }, 'required', '/relations'],
    ['51 concepts', { concepts: times(51, concept), relations: [] }, 'too_many', '/concepts'],
    ['101 relations', { concepts: [], relations: times(101, relation) }, 'too_many', '/relations'],
    ['a key over its limit', { concepts: [{ ...concept, key: 'a'.repeat(41) }], relations: [] }, 'too_long', '/concepts/0/key'],
    ['a label over its limit', { concepts: [{ ...concept, label: 'a'.repeat(121) }], relations: [] }, 'too_long', '/concepts/0/label'],
    ['a relation to nothing', { concepts: [], relations: [{ ...relation, to: '' }] }, 'too_short', '/relations/0/to'],
    ['a long relation', { concepts: [], relations: [{ ...relation, label: 'a'.repeat(81) }] }, 'too_long', '/relations/0/label'],
    ['another key', { concepts: [], relations: [], weight: 1 }, 'unexpected_property', '/*'],
  ])('refuses %s', (_, value, code, path) => {
    expect(graph.check(value)).toEqual({ kind: 'invalid', issues: [{ code, path }], issueCount: 1 });
  });
});

describe('a check', () => {
  it('gives the canonical form', () => {
    const turned = Object.fromEntries(Object.entries(output).reverse());
    const checked = observed.check(turned);
    expect(checked.kind === 'valid' && checked.text).toBe(
      '{"confidence":0.9,"evidence":[{"eventId":"e1","quote":"fell to 0.4 m"}],"summary":"The gauge fell.","tags":["tide"],"title":"Low tide at nine"}',
    );
  });

  it('changes nothing: no default, no coercion, no removal', () => {
    const lenient = bind({
      type: 'object',
      properties: { a: { type: 'number', default: 1 }, b: { type: 'string', default: 'x' } },
      additionalProperties: true,
    });
    for (const value of [{}, { a: '1' }, { a: 1, extra: [1] }, { b: 5 }]) {
      const before = structuredClone(value);
      Object.freeze(value);
      lenient.check(value);
      expect(value).toEqual(before);
    }
    expect(lenient.check({ a: '1' }).kind).toBe('invalid');
    expect(lenient.check({})).toMatchObject({ kind: 'valid', text: '{}' });
  });

  it.each([
    ['at the bound', outputDepthMax, 'valid'],
    ['past the bound', outputDepthMax + 1, 'invalid'],
    ['that no call stack survives', 50_000, 'invalid'],
  ])('nesting %s is %s', (_, levels, kind) => {
    const recursive = bind({ $defs: { list: { type: 'array', items: { $ref: '#/$defs/list' } } }, $ref: '#/$defs/list' });
    expect(recursive.check(JSON.parse('['.repeat(levels) + ']'.repeat(levels))).kind).toBe(kind);
  });

  it('names at most 32 issues and counts them all', () => {
    const checked = observed.check({ ...output, tags: times(60, 1) });
    expect(checked).toMatchObject({ kind: 'invalid', issueCount: 61 });
    expect(checked.kind === 'invalid' && checked.issues).toHaveLength(issuesMax);
  });
});

describe('what does not compile is a configuration error, never a missing validation', () => {
  it.each([
    ['an unknown type', { type: 'thing' }],
    ['an unknown keyword', { type: 'object', proprties: {} }],
    ['an unknown format', { type: 'string', format: 'postcode' }],
    ['a reference to nothing', { $ref: '#/$defs/none' }],
    ['a reference to elsewhere', { $ref: 'https://example.com/schema.json' }],
    ['another draft', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }],
    ['a pattern that is none', { type: 'string', pattern: '(' }],
    ['an asynchronous schema', { $async: true, type: 'object' }],
    ['a reference that only goes round', { $ref: '#' }],
    ['a reference that goes round inside', { type: 'object', allOf: [{ $ref: '#' }] }],
    ['required names beside no properties', { type: 'object', required: ['a'] }],
  ])('%s', (_, schema) => {
    expect(() => bind(schema)).toThrow('contract_schema_invalid at test@1');
  });

  it.each([
    ['an id with an empty token', { ...observation, id: 'a..b' }],
    ['version 0', { ...observation, version: 0 }],
    ['a broken version', { ...observation, version: 1.5 }],
    ['no prompt description', { ...observation, promptDescription: '' }],
    ['a prompt description without end', { ...observation, promptDescription: 'a'.repeat(8_001) }],
    ['a schema that is no object', { ...observation, schema: [] as unknown as JsonObject }],
    ['a schema that is nested without end', { ...observation, schema: { a: JSON.parse('['.repeat(30_000) + ']'.repeat(30_000)) } }],
    ['another field', { ...observation, owner: 'x' }],
  ])('a definition with %s', (_, definition) => {
    expect(() => compileContract(definition)).toThrow('contract_definition_invalid');
  });
});

it('a list of types compiles, as libraries write it for a union', () => {
  const { check } = bind({ type: 'object', properties: { a: { type: ['string', 'number'] } } });
  expect(['x', 1, true].map((a) => check({ a }).kind)).toEqual(['valid', 'valid', 'invalid']);
});

describe('the registry (T47 to T49)', () => {
  const registry = OutputContracts.of([observation, conceptualizationGraph]);

  it('resolves a contract by its whole identity', () => {
    const resolved = registry.resolve(observed.ref);
    expect(resolved.kind === 'found' && sameContract(resolved.contract.ref, observed.ref)).toBe(true);
    expect(registry.all().map(({ ref }) => ref.id)).toEqual([observation.id, conceptualizationGraph.id]);
  });

  it('knows no contract under another id or version', () => {
    expect(registry.resolve({ ...observed.ref, version: 2 })).toEqual({ kind: 'unknown' });
    expect(registry.resolve({ ...observed.ref, id: 'constructor' })).toEqual({ kind: 'unknown' });
  });

  it('answers another hash under a bound version with hash_differs, never with a similar contract', () => {
    expect(registry.resolve({ ...observed.ref, hash: graph.ref.hash })).toEqual({ kind: 'hash_differs' });
  });

  it.each([
    ['another prompt description', { ...observation, promptDescription: 'Other words.' }],
    ['another schema', { ...observation, schema: { ...observation.schema, title: 'x' } }],
  ])('refuses %s under a bound version', (_, definition) => {
    const grown = OutputContracts.of([observation]);
    expect(() => grown.add(compileContract(definition))).toThrow('contract_declared_twice');
    expect(grown.resolve(observed.ref).kind).toBe('found');
  });

  it('takes the same definition twice, and a new version beside the old', () => {
    const grown = OutputContracts.of([observation, observation, { ...observation, version: 2 }]);
    expect(grown.all()).toHaveLength(2);
  });

  it('two instances never share what they bind', () => {
    expect(OutputContracts.of([]).resolve(observed.ref)).toEqual({ kind: 'unknown' });
  });
});

describe('a contract hash', () => {
  it('covers id, version, schema and prompt description', () => {
    const hashes = [
      observation,
      { ...observation, id: 'other' },
      { ...observation, version: 2 },
      { ...observation, schema: {} },
      { ...observation, promptDescription: 'Other words.' },
      { ...observation, schema: JSON.parse(JSON.stringify(observation.schema).replace('{', '{"$defs":{"__proto__":{}},')) as JsonObject },
    ].map((definition) => compileContract(definition).ref.hash);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('does not depend on the order in which its schema was written', () => {
    const turned = Object.fromEntries(Object.entries(observation.schema).reverse());
    expect(compileContract({ ...observation, schema: turned }).ref).toEqual(observed.ref);
  });
});

it('an output that would not fit into an event beside all that stands around it is invalid', () => {
  const wide = compileContract({ id: 'example.wide', version: 1, schema: { type: 'string' }, promptDescription: 'A text.' });
  expect(wide.check('x'.repeat(outputBytesMax - 2)).kind).toBe('valid');
  expect(wide.check('x'.repeat(outputBytesMax - 1))).toEqual({ kind: 'invalid', issues: [{ code: 'too_long', path: '' }], issueCount: 1 });
});
