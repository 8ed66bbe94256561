import { describe, expect, it } from 'vitest';
import { compareEcho } from '../src/definitions/compareEcho.js';
import { bucketConfig, durableConfig, objectsConfig, streamConfig } from '../src/definitions/wireConfig.js';
import { LogError, parseDefinitions } from '../src/index.js';
import { shippedDefinitions } from './testDefinitions.js';

const [thought] = shippedDefinitions.streams;
const [bucket] = shippedDefinitions.buckets;
const [objects] = shippedDefinitions.objects ?? [];
const [durable] = shippedDefinitions.durables;

describe('the shipped definitions', () => {
  it('make the log that the design promises', () => {
    expect(thought && streamConfig(thought)).toMatchObject({
      name: 'THOUGHT',
      subjects: ['stream.thought.>'],
      storage: 'file',
      retention: 'limits',
      max_age: 0,
      max_msgs_per_subject: 1,
      discard: 'new',
      discard_new_per_subject: true,
      deny_delete: true,
      deny_purge: true,
      allow_direct: true,
      republish: { src: 'stream.thought.>', dest: 'fact.thought.>' },
    });
  });

  it('name every stream, bucket and durable', () => {
    const names = (items: readonly { readonly name: string }[]): string[] => items.map((item) => item.name);
    expect(names(shippedDefinitions.streams)).toEqual(['THOUGHT', 'TRACE', 'INCIDENTS']);
    expect(names(shippedDefinitions.buckets)).toEqual(['effective-output', 'review-queue', 'quarantine']);
    expect(names(shippedDefinitions.objects ?? [])).toEqual(['transcripts']);
    expect(names(shippedDefinitions.durables)).toEqual(['coordinator', 'repair-agent', 'runner', 'transcripts']);
    expect(durable && durableConfig(durable)).toMatchObject({ ack_policy: 'explicit', max_deliver: -1, ack_wait: 60_000_000_000 });
  });
});

describe('parseDefinitions', () => {
  const faultsOf = (change: (json: Record<string, Record<string, unknown>[]>) => void): readonly string[] => {
    const json = structuredClone(shippedDefinitions) as unknown as Record<string, Record<string, unknown>[]>;
    change(json);
    try {
      parseDefinitions(json);
      return [];
    } catch (error) {
      return error instanceof LogError && error.code === 'definition_invalid' ? error.details : [String(error)];
    }
  };

  it('takes what it wrote', () => {
    expect(faultsOf(() => undefined)).toEqual([]);
  });

  it.each<[string, Parameters<typeof faultsOf>[0], string]>([
    ['a missing number', (d) => delete d['streams']?.[0]?.['maxBytes'], 'streams[0].maxBytes: expected a whole number from 1'],
    ['a wrong type', (d) => Object.assign(d['streams']?.[0] ?? {}, { denyDelete: 'yes' }), 'streams[0].denyDelete: expected true or false'],
    ['an unknown key', (d) => Object.assign(d['buckets']?.[1] ?? {}, { ttl: 1 }), 'buckets[1].ttl: unknown'],
    [
      'a bad pattern',
      (d) => Object.assign(d['durables']?.[0] ?? {}, { filter: 'a.>.b' }),
      'durables[0].filter: expected a subject pattern',
    ],
    ['a durable of no stream', (d) => Object.assign(d['durables']?.[0] ?? {}, { stream: 'NONE' }), 'durable coordinator: no stream NONE'],
    ['a name that stands twice', (d) => d['streams']?.push({ ...d['streams'][0] }), 'streams: THOUGHT stands twice'],
    [
      'a log that forgets',
      (d) => Object.assign(d['streams']?.[0] ?? {}, { maxAgeSeconds: 60 }),
      'stream THOUGHT: one per subject for ever needs refuse, denyDelete, denyPurge and no age',
    ],
    ['objects without a bound', (d) => delete d['objects']?.[0]?.['maxBytes'], 'objects[0].maxBytes: expected a whole number from 1'],
    ['no list', (d) => Object.assign(d, { durables: 1 }), 'durables: expected a list'],
    ['an unknown part', (d) => Object.assign(d, { queues: [] }), 'queues: unknown'],
  ])('refuses %s', (_name, change, fault) => {
    expect(faultsOf(change)).toContain(fault);
  });

  it('takes a file from before there were objects', () => {
    expect(faultsOf((d) => delete d['objects'])).toEqual([]);
  });

  it('lists all faults at once, and none for what is no object', () => {
    expect(faultsOf((d) => d['streams']?.forEach((s) => Object.assign(s, { replicas: 0 })))).toHaveLength(3);
    expect(() => parseDefinitions(null)).toThrow(LogError);
  });
});

describe('compareEcho', () => {
  const asked = thought ? streamConfig(thought) : {};
  const without = (key: string): Record<string, unknown> => Object.fromEntries(Object.entries(asked).filter(([k]) => k !== key));

  it('is content with the same, with what is off, and with what servers add', () => {
    const added = { allow_msg_ttl: false, sources: null, consumer_limits: {}, compression: 'none', metadata: { '_nats.ver': '2.15.1' } };
    expect(compareEcho('s', asked, { ...asked, ...added })).toEqual([]);
    expect(
      compareEcho('s', asked, { ...asked, republish: { dest: 'fact.thought.>', src: 'stream.thought.>', headers_only: false } }),
    ).toEqual([]);
    expect(compareEcho('s', asked, without('max_age'))).toEqual([]);
  });

  it.each(Object.keys(asked).filter((key) => key !== 'max_age'))('notices that %s was dropped', (key) => {
    expect(compareEcho('s', asked, without(key))).toHaveLength(1);
  });

  it.each<[string, unknown]>([
    ['allow_rollup_hdrs', true],
    ['allow_msg_ttl', true],
    ['allow_atomic', true],
    ['allow_msg_counter', true],
    ['allow_msg_schedules', true],
    ['subject_transform', { src: 'a', dest: 'b' }],
    ['sources', [{ name: 'OTHER' }]],
    ['mirror', { name: 'OTHER' }],
    ['sealed', true],
    ['no_ack', true],
    ['first_seq', 5],
    ['compression', 's2'],
    ['persist_mode', 'async'],
    ['metadata', { mine: 'x' }],
    ['an_option_of_the_future', 1],
  ])('notices that %s is on', (key, value) => {
    const [difference] = compareEcho('s', asked, { ...asked, [key]: value });
    expect(difference).toContain(`s.${key}: must be off`);
  });

  it('names every difference of buckets and durables too', () => {
    const b = bucket ? bucketConfig(bucket) : {};
    expect(compareEcho('b', b, { ...b, max_msgs_per_subject: 5, allow_direct: false })).toHaveLength(2);
    const o = objects ? objectsConfig(objects) : {};
    expect(compareEcho('o', o, { ...o, max_msg_size: 1_000, allow_rollup_hdrs: false })).toHaveLength(2);
    const d = durable ? durableConfig(durable) : {};
    expect(compareEcho('d', d, { ...d, name: 'coordinator', max_waiting: 512, num_replicas: 0 })).toEqual([]);
    expect(compareEcho('d', d, { ...d, max_deliver: 5, backoff: [1] })).toHaveLength(2);
  });
});
