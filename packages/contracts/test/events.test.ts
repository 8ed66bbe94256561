import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { envelopeSchema } from '../src/events/envelope.js';
import {
  ContractsError,
  canonicalText,
  checkDiagnostic,
  type EventDraft,
  type EventName,
  encodeEvent,
  eventBytesMax,
  eventIdOf,
  eventNames,
  hashToken,
  jsonDepthMax,
  outputDepthMax,
  readEvent,
  readType,
  subjects,
  typeOf,
  voidCodes,
} from '../src/index.js';
import { allDrafts, diagnostic, drafts } from './controls.js';

const decode = (bytes: Uint8Array): Record<string, unknown> => JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
const bytesOf = (body: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(body));

/** Stored bytes that another writer could have put on the place of `draft`. */
function tampered(draft: EventDraft<EventName>, change: (body: Record<string, unknown>) => unknown, subject?: string) {
  const encoded = encodeEvent(draft);
  return readEvent({ subject: subject ?? encoded.subject, bytes: bytesOf(change(decode(encoded.bytes))) });
}

/** The same value with every object's keys the other way round. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, turned(member)]),
  );
}

describe('writing and reading', () => {
  it('has a control for every event type', () => {
    expect(Object.keys(drafts).sort()).toEqual([...eventNames].sort());
  });

  it.each(allDrafts)('%s reads back as it was written', (_, draft) => {
    const encoded = encodeEvent(draft);
    const read = readEvent(encoded);
    expect(read.kind).toBe(draft.name === 'erased' ? 'tombstone' : 'event');
    if (read.kind !== 'event' && read.kind !== 'tombstone') return;
    expect(read.event).toEqual({
      name: draft.name,
      subject: encoded.subject,
      id: encoded.id,
      source: draft.source,
      time: draft.time,
      rootId: draft.rootId ?? encoded.id,
      causationId: draft.causationId,
      privacy: draft.privacy,
      sourceClass: draft.sourceClass,
      data: draft.data,
    });
  });

  it.each(allDrafts)('%s: the order of keys changes no byte', (_, draft) => {
    expect(encodeEvent(turned(draft) as EventDraft<EventName>).bytes).toEqual(encodeEvent(draft).bytes);
  });

  it.each(allDrafts)('%s: the bytes are canonical and the place names the event', (_, draft) => {
    const { bytes, subject, id, headers } = encodeEvent(draft);
    expect(new TextDecoder().decode(bytes)).toBe(canonicalText(decode(bytes)));
    expect(id).toBe(hashToken(subject));
    expect(id).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(headers).toEqual({ 'content-type': 'application/cloudevents+json' });
  });

  it('any JSON output comes back as it went in, a member named __proto__ included', () => {
    const outputs = fc.oneof(fc.jsonValue({ maxDepth: 8 }), fc.constant(JSON.parse('{"__proto__":{"a":1},"constructor":2}')));
    fc.assert(
      fc.property(outputs, (value) => {
        const output = JSON.parse(canonicalText(value)) as never;
        const read = readEvent(encodeEvent({ ...drafts.outputProduced, data: { ...drafts.outputProduced.data, output } }));
        expect(read.kind).toBe('event');
        if (read.kind === 'event' && read.event.name === 'outputProduced') {
          expect(canonicalText(read.event.data.output)).toBe(canonicalText(output));
        }
      }),
      // A name that looks like an index, beside a number that only its canonical text vouches for.
      { examples: [[{ 0: '', '': -9007199254740992 }]] },
    );
  });

  it('an output as deep as an answer may be fits an event', () => {
    const output = JSON.parse('['.repeat(outputDepthMax) + ']'.repeat(outputDepthMax)) as never;
    expect(readEvent(encodeEvent({ ...drafts.outputProduced, data: { ...drafts.outputProduced.data, output } })).kind).toBe('event');
  });

  it('any source text comes back as it went in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
        const read = readEvent(encodeEvent({ ...drafts.sourceCaptured, data: { ...drafts.sourceCaptured.data, text } }));
        expect(read.kind === 'event' && read.event.name === 'sourceCaptured' && read.event.data.text).toBe(text);
      }),
    );
  });

  it('a source and a declaration are their own root', () => {
    for (const draft of [drafts.sourceCaptured, drafts.contractDeclared, drafts.agentDeclared, drafts.policyDeclared]) {
      const read = readEvent(encodeEvent(draft));
      expect(read.kind === 'event' && read.event.rootId).toBe(encodeEvent(draft).id);
    }
  });
});

describe('what is never written', () => {
  const { data } = drafts.sourceCaptured;
  const surrogate = String.fromCharCode(0xd800);
  const refusals: readonly (readonly [string, string, EventDraft<EventName>])[] = [
    ['data that breaks its schema', 'event_invalid', { ...drafts.sourceCaptured, data: { ...data, producer: 'has.dot' } }],
    ['a time without milliseconds', 'event_invalid', { ...drafts.sourceCaptured, time: '2026-01-02T03:04:05Z' }],
    ['a time in another zone', 'event_invalid', { ...drafts.sourceCaptured, time: '2026-01-02T03:04:05.678+01:00' }],
    ['a day that does not exist', 'event_invalid', { ...drafts.sourceCaptured, time: '2026-02-30T03:04:05.678Z' }],
    ['no source', 'event_invalid', { ...drafts.sourceCaptured, source: '' }],
    ['a root that is no event id', 'event_invalid', { ...drafts.runStarted, rootId: 'root' }],
    ['a tombstone on no place of ours', 'event_invalid', { ...drafts.erased, data: { place: 'stream.thought.elsewhere.a' } }],
    ['a lone surrogate', 'json_not_canonical', { ...drafts.sourceCaptured, data: { ...data, text: surrogate } }],
    ['a source text that is too long', 'event_invalid', { ...drafts.sourceCaptured, data: { ...data, text: 'a'.repeat(32_001) } }],
    ['more than 64 KiB of UTF-8', 'event_too_large', { ...drafts.sourceCaptured, data: { ...data, text: '箱'.repeat(30_000) } }],
    [
      'an output that JSON has no word for',
      'event_invalid',
      { ...drafts.outputProduced, data: { ...drafts.outputProduced.data, output: Number.NaN } },
    ],
    [
      'a judgment with place 0 in its chain',
      'event_invalid',
      { ...drafts.judgmentRecorded, data: { ...drafts.judgmentRecorded.data, n: 0 } },
    ],
  ];
  it.each(refusals)('%s is refused as %s', (_, code, draft) => {
    let thrown: unknown;
    try {
      encodeEvent(draft);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ContractsError);
    expect((thrown as ContractsError).code).toBe(code);
  });

  it('a refusal carries no payload and no cause', () => {
    const draft = { ...drafts.sourceCaptured, data: { ...data, capture: 'CANARY CANARY', text: 5 as unknown as string } };
    try {
      encodeEvent(draft);
      expect.unreachable();
    } catch (error) {
      expect(JSON.stringify(error) + String(error)).not.toContain('CANARY');
      expect((error as Error).cause).toBeUndefined();
    }
  });

  it('an output that contains itself is refused, not followed', () => {
    const round: Record<string, unknown> = {};
    round['again'] = round;
    const draft = { ...drafts.outputProduced, data: { ...drafts.outputProduced.data, output: round as never } };
    expect(() => encodeEvent(draft)).toThrow('event_invalid');
  });
});

describe('evolution', () => {
  it.each(allDrafts)('%s: fields that a reader does not know are ignored', (_, draft) => {
    const plain = readEvent(encodeEvent(draft));
    const extended = tampered(draft, (body) => ({ ...body, newattribute: 'x', data: { ...(body['data'] as object), newField: [1] } }));
    expect(extended).toEqual(plain);
  });

  it.each([
    ['contractDeclared', drafts.contractDeclared],
    ['policyDeclared', drafts.policyDeclared],
  ] as const)('%s: a definition is hashed whole, so an unknown field inside it is not ignored', (_, draft) => {
    const change = (body: Record<string, unknown>) => {
      const data = body['data'] as { definition: object };
      return { ...body, data: { ...data, definition: { ...data.definition, newField: 1 } } };
    };
    expect(tampered(draft, change)).toEqual({ kind: 'void', code: 'data_invalid' });
  });

  it.each(allDrafts)('%s in a newer version is unknown, never void', (_, draft) => {
    const type = typeOf(draft.name, draft.data).replace('@1', '@2');
    expect(tampered(draft, (body) => ({ ...body, type }))).toEqual({ kind: 'unknown_version' });
    expect(tampered(draft, (body) => ({ ...body, type, data: 'other', id: 7, time: 'later' }))).toEqual({ kind: 'unknown_version' });
  });

  it.each([
    ['stream.thought.agent.run.started@1', { kind: 'known', name: 'runStarted' }],
    ['stream.thought.agent.run.started@2', { kind: 'unknown_version' }],
    ['stream.thought.agent.run.started@999999', { kind: 'unknown_version' }],
    ['stream.thought.source.mail.captured@1', { kind: 'known', name: 'sourceCaptured' }],
    ['stream.thought.source.mail.captured@3', { kind: 'unknown_version' }],
    ['stream.thought.source.<kind>.captured@1', { kind: 'unknown_type' }],
    ['stream.thought.source.a.b.captured@1', { kind: 'unknown_type' }],
    ['stream.thought.source..captured@1', { kind: 'unknown_type' }],
    ['stream.thought.agent.run.started', { kind: 'unknown_type' }],
    ['stream.thought.agent.run.started@0', { kind: 'unknown_type' }],
    ['stream.thought.agent.run.started@01', { kind: 'unknown_type' }],
    ['stream.thought.agent.run.started@1.0', { kind: 'unknown_type' }],
    ['stream.thought.agent.run.started@1 ', { kind: 'unknown_type' }],
    ['stream.thought.agent.run.ended@1', { kind: 'unknown_type' }],
    ['constructor@1', { kind: 'unknown_type' }],
    ['', { kind: 'unknown_type' }],
  ])('type %s is %o', (type, read) => {
    expect(readType(type)).toEqual(read);
  });
});

describe('how an output came to be valid', () => {
  const calls = { primary: 1, overseer: 1 };
  const refused = { class: 'semantic_validation', ruleId: 'a-rule', issues: [{ code: 'rule_broken', path: '/title' }], issueCount: 3 };
  const retry = { refused, promptHash: 'a'.repeat(64) };
  const produced = (change: object) =>
    tampered(drafts.outputProduced, (body) => ({ ...body, data: { ...(body['data'] as object), ...change } }));

  it.each([
    ['as written', { completion: 'exact', calls: { primary: 1, overseer: 0 } }],
    ['with edits', { completion: 'repaired', edits: [{ code: 'trailing_comma', count: 2 }] }],
    ['by the overseer', { completion: 'overseen', calls }],
    ['at the second try', { completion: 'exact', calls: { primary: 2, overseer: 1 }, retries: [retry] }],
  ])('is read: %s', (_name, change) => {
    expect(produced(change)).toMatchObject({ kind: 'event', event: { data: change } });
  });

  it.each([
    ['another word', { completion: 'guessed' }],
    ['an edit that was not made', { edits: [{ code: 'trailing_comma', count: 0 }] }],
    ['a code that is too long', { edits: [{ code: 'x'.repeat(65), count: 1 }] }],
    ['too many edits', { edits: Array.from({ length: 33 }, (_, index) => ({ code: `c${index}`, count: 1 })) }],
    ['a retry after what is never repaired', { retries: [{ ...retry, refused: { ...refused, class: 'cancelled' } }] }],
    ['a retry without the hash of its prompt', { retries: [{ refused }] }],
    [
      'a retry whose refusal could quote',
      { retries: [{ ...retry, refused: { ...refused, issues: [{ code: 'rule_broken', path: 'said: x' }] } }] },
    ],
    [
      'a retry with more issues than a prompt shows',
      { retries: [{ ...retry, refused: { ...refused, issues: Array.from({ length: 9 }, () => refused.issues[0]) } }] },
    ],
    ['more retries than any caller makes', { retries: Array.from({ length: 17 }, () => retry) }],
    ['calls below none', { calls: { primary: -1, overseer: 0 } }],
  ])('voids the event with %s', (_name, change) => {
    expect(produced(change).kind).toBe('void');
  });

  it('a failure counts its calls and its retries too', () => {
    const counted = { calls, retries: [retry] };
    const read = tampered(drafts.runFailed, (body) => ({ ...body, data: { ...(body['data'] as object), ...counted } }));
    expect(read).toMatchObject({ kind: 'event', event: { data: counted } });
  });
});

describe('void events', () => {
  const control = drafts.runFailed;
  const { subject, bytes } = encodeEvent(control);
  const set = (member: string, value: unknown) => tampered(control, (body) => ({ ...body, [member]: value }));
  const elsewhere = eventIdOf('stream.thought.somewhere');
  const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

  /** The bytes with one part spelled otherwise, as text. */
  const respelled = (part: string, other: string) =>
    readEvent({ subject, bytes: new TextEncoder().encode(new TextDecoder().decode(bytes).replace(part, other)) });

  const cases: readonly (readonly [string, string, ReturnType<typeof readEvent>])[] = [
    ['more bytes than an event may have', 'too_large', readEvent({ subject, bytes: new Uint8Array(eventBytesMax + 1) })],
    ['no bytes', 'not_json', readEvent({ subject, bytes: new Uint8Array() })],
    ['text that is no JSON', 'not_json', readEvent({ subject, bytes: bytes.subarray(1) })],
    ['bytes that are no UTF-8', 'not_json', readEvent({ subject, bytes: Uint8Array.of(0x22, 0xff, 0x22) })],
    ['a byte order mark', 'not_json', readEvent({ subject, bytes: Uint8Array.of(0xef, 0xbb, 0xbf, ...bytes) })],
    ['a name twice with two values', 'not_json', respelled('{', '{"source":"other",')],
    ['half a surrogate pair', 'not_json', respelled('n-1/1', '\\ud83c')],
    ['a number that no double holds', 'not_json', respelled('214', '9007199254740993')],
    ['nesting past the bound', 'too_deep', set('data', deep(jsonDepthMax))],
    [
      'nesting that no walk survives',
      'too_deep',
      readEvent({ subject, bytes: new TextEncoder().encode('['.repeat(32_000) + ']'.repeat(32_000)) }),
    ],
    ['null', 'envelope_invalid', readEvent({ subject, bytes: bytesOf(null) })],
    ['a list', 'envelope_invalid', readEvent({ subject, bytes: bytesOf([]) })],
    ['another CloudEvents version', 'envelope_invalid', set('specversion', '0.3')],
    ['an id that is none', 'envelope_invalid', set('id', 'short')],
    ['no time', 'envelope_invalid', set('time', undefined)],
    ['a time without milliseconds', 'envelope_invalid', set('time', '2026-01-02T03:04:05Z')],
    ['another content type', 'envelope_invalid', set('datacontenttype', 'text/plain')],
    ['no root', 'envelope_invalid', set('rootid', undefined)],
    ['a type that is not ours', 'type_unknown', set('type', 'com.example.thing@1')],
    ['no data', 'data_invalid', set('data', undefined)],
    ['data of another type', 'data_invalid', set('type', 'stream.thought.agent.declared@1')],
    ['a diagnostic without a class', 'data_invalid', set('data', { ...control.data, diagnostic: {} })],
    ['a type that may not stand here', 'type_not_of_place', tampered(control, (body) => body, encodeEvent(drafts.runStarted).subject)],
    ['a subject that is no place', 'type_not_of_place', tampered(control, (body) => body, 'stream.thought.nowhere')],
    ['a body that belongs on another place', 'subject_mismatch', set('data', { ...control.data, run: elsewhere })],
    ['the id of another place', 'id_mismatch', set('id', elsewhere)],
  ];
  it.each(cases)('%s is void as %s', (_, code, read) => {
    expect(read).toEqual({ kind: 'void', code });
  });

  it('every void code has a case', () => {
    expect(new Set(cases.map(([, code]) => code))).toEqual(new Set(voidCodes));
  });

  it('a source whose type names another kind than its body is void', () => {
    const read = tampered(drafts.sourceCaptured, (body) => ({ ...body, type: 'stream.thought.source.mail.captured@1' }));
    expect(read).toEqual({ kind: 'void', code: 'subject_mismatch' });
  });

  it('other spellings of the same event are read: white space, escapes, another order, a name twice with one value', () => {
    const plain = readEvent({ subject, bytes });
    const body = decode(bytes);
    const spaced = new TextEncoder().encode(JSON.stringify(turned(body), null, 2));
    expect(readEvent({ subject, bytes: spaced })).toEqual(plain);
    expect(respelled('notes', '\\u006eotes')).toEqual(plain);
    expect(respelled('{', '{"source":"notes",')).toEqual(plain);
    expect(respelled('{', '{"note":"\\ud83c\\udf0a",')).toEqual(plain);
  });

  it('random bytes, and events with any member replaced, never throw and never become another event', () => {
    const junk = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((text) => new TextEncoder().encode(text)),
    );
    fc.assert(fc.property(junk, (random) => readEvent({ subject, bytes: random }).kind === 'void'));
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(decode(bytes))), fc.jsonValue(), (member, value) => {
        const { kind } = set(member, value);
        expect(['event', 'void', 'unknown_version']).toContain(kind);
      }),
    );
  });
});

describe('tombstones', () => {
  it.each(allDrafts)('a tombstone may stand where %s stood', (_, draft) => {
    const { subject } = encodeEvent(draft);
    const read = readEvent(encodeEvent({ ...drafts.erased, data: { place: subject } }));
    expect(read.kind).toBe('tombstone');
    expect(read.kind === 'tombstone' && read.event.subject).toBe(subject);
  });

  it('a tombstone for another place is void', () => {
    const elsewhere = encodeEvent(drafts.runStarted).subject;
    expect(tampered(drafts.erased, (body) => body, elsewhere)).toEqual({ kind: 'void', code: 'subject_mismatch' });
  });
});

describe('words of privacy', () => {
  it.each(['secret', 'PUBLIC', '', null, undefined, 0, ['public'], { level: 'public' }])('privacy %o counts as private', (word) => {
    const read = tampered(drafts.sourceCaptured, (body) => ({ ...body, privacy: word }));
    expect(read.kind === 'event' && read.event.privacy).toBe('private');
  });

  it.each(['open', 'Public-Source', '', null, undefined, 1])('source class %o counts as restricted', (word) => {
    const read = tampered(drafts.sourceCaptured, (body) => ({ ...body, sourceclass: word }));
    expect(read.kind === 'event' && read.event.sourceClass).toBe('restricted-source');
  });
});

describe('stored diagnostics', () => {
  const hidden = JSON.parse('{"__proto__":{"text":"CANARY"}}') as object;

  it('a diagnostic reaches its check whole, whatever its members are called', () => {
    const stored = { ...diagnostic };
    Object.defineProperty(stored, '__proto__', { value: 'CANARY', enumerable: true });
    const read = tampered(drafts.runFailed, (body) => ({ ...body, data: { ...(body['data'] as object), diagnostic: stored } }));
    expect(read.kind).toBe('event');
    expect(read.kind === 'event' && read.event.name === 'runFailed' && checkDiagnostic(read.event.data.diagnostic)).toEqual({
      kind: 'unsanitized',
    });
    expect(Object.keys(hidden)).toEqual(['__proto__']);
  });
});

it('the subject of a judgment is built from its own fields', () => {
  const { run, chain, n } = drafts.judgmentRecorded.data;
  expect(encodeEvent(drafts.judgmentRecorded).subject).toBe(subjects.judgment({ run, chain, n }));
});

it('every attribute of the envelope has a name that CloudEvents allows', () => {
  for (const name of Object.keys(envelopeSchema.shape)) expect(name).toMatch(/^[a-z0-9]{1,20}$/);
});
