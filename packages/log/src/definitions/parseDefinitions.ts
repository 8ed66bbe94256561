import { LogError } from '../errors.js';
import { isSubjectPattern } from '../subject.js';
import type { BucketDefinition, Definitions, DurableDefinition, ObjectsDefinition, StreamDefinition } from './definitions.js';

type Check = { readonly is: (value: unknown) => boolean; readonly say: string; readonly optional?: true };
type Shape = Readonly<Record<string, Check>>;

const whole = (min: number, max: number = Number.MAX_SAFE_INTEGER): Check => ({
  is: (v) => Number.isSafeInteger(v) && (v as number) >= min && (v as number) <= max,
  say: `a whole number from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`,
});
const name: Check = { is: (v) => typeof v === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(v), say: 'a name of A-Z a-z 0-9 _ -' };
const flag: Check = { is: (v) => typeof v === 'boolean', say: 'true or false' };
const pattern: Check = { is: (v) => typeof v === 'string' && isSubjectPattern(v), say: 'a subject pattern' };
const patterns: Check = {
  is: (v) => Array.isArray(v) && v.length > 0 && v.every((p) => pattern.is(p)),
  say: 'a list of subject patterns',
};
const whenFull: Check = { is: (v) => v === 'refuse' || v === 'drop-oldest', say: 'refuse or drop-oldest' };

const REPLICAS_MAX = 5;
const HISTORY_MAX = 64;

const STREAM: Shape = {
  name,
  subjects: patterns,
  replicas: whole(1, REPLICAS_MAX),
  whenFull,
  onePerSubject: flag,
  denyDelete: flag,
  denyPurge: flag,
  allowDirect: flag,
  republishTo: { ...pattern, optional: true },
  maxMessages: whole(1),
  maxBytes: whole(1),
  maxMessageBytes: whole(1),
  maxAgeSeconds: whole(0),
  duplicateWindowSeconds: whole(1),
};
const BUCKET: Shape = {
  name,
  replicas: whole(1, REPLICAS_MAX),
  history: whole(1, HISTORY_MAX),
  maxBytes: whole(1),
  maxValueBytes: whole(1),
  ttlSeconds: whole(0),
};
const OBJECTS: Shape = { name, replicas: whole(1, REPLICAS_MAX), maxBytes: whole(1) };
const DURABLE: Shape = {
  name,
  stream: name,
  filter: pattern,
  ackWaitSeconds: whole(1),
  maxDeliver: { is: (v) => v === -1 || whole(1).is(v), say: '-1 or a whole number from 1' },
  maxAckPending: whole(1),
};

/** Reads definitions from parsed JSON. Throws `definition_invalid` with every fault listed; unknown keys are faults. */
export function parseDefinitions(input: unknown): Definitions {
  const faults: string[] = [];
  const root = asRecord(input);
  for (const key of Object.keys(root)) {
    if (!['streams', 'buckets', 'objects', 'durables'].includes(key)) faults.push(`${key}: unknown`);
  }
  // The casts are this file's licence: each list has just been checked key by key against its shape.
  const definitions = {
    streams: list(root, 'streams', STREAM, faults) as unknown as StreamDefinition[],
    buckets: list(root, 'buckets', BUCKET, faults) as unknown as BucketDefinition[],
    // Files from before there were any do not name them.
    objects: list({ objects: [], ...root }, 'objects', OBJECTS, faults) as unknown as ObjectsDefinition[],
    durables: list(root, 'durables', DURABLE, faults) as unknown as DurableDefinition[],
  };
  if (faults.length === 0) faults.push(...relations(definitions));
  if (faults.length > 0) throw new LogError('definition_invalid', `definitions: ${faults.join('; ')}`, faults);
  return definitions;
}

function list(root: Record<string, unknown>, key: string, shape: Shape, faults: string[]): Record<string, unknown>[] {
  const items = root[key];
  if (!Array.isArray(items)) {
    faults.push(`${key}: expected a list`);
    return [];
  }
  return items.map((item, i) => checked(asRecord(item), shape, `${key}[${i}]`, faults));
}

function checked(item: Record<string, unknown>, shape: Shape, at: string, faults: string[]): Record<string, unknown> {
  for (const [key, check] of Object.entries(shape)) {
    if (item[key] === undefined && check.optional) continue;
    if (!check.is(item[key])) faults.push(`${at}.${key}: expected ${check.say}`);
  }
  for (const key of Object.keys(item)) {
    // A key that starts with an underscore is a comment: JSON has no other.
    if (!(key in shape) && !key.startsWith('_')) faults.push(`${at}.${key}: unknown`);
  }
  return Object.fromEntries(Object.entries(item).filter(([key]) => key in shape));
}

/** What no single value shows: names that repeat, durables of no stream, one event per subject that could be deleted. */
function relations({ streams, buckets, objects = [], durables }: Definitions): string[] {
  const faults = [...repeats('streams', streams), ...repeats('buckets', buckets), ...repeats('objects', objects)];
  const known = new Set(streams.map((s) => s.name));
  for (const durable of durables) {
    if (!known.has(durable.stream)) faults.push(`durable ${durable.name}: no stream ${durable.stream}`);
  }
  for (const stream of streams) {
    if (stream.onePerSubject && (stream.whenFull !== 'refuse' || !stream.denyDelete || !stream.denyPurge || stream.maxAgeSeconds !== 0)) {
      faults.push(`stream ${stream.name}: one per subject for ever needs refuse, denyDelete, denyPurge and no age`);
    }
  }
  return [
    ...faults,
    ...repeats(
      'durables',
      durables.map((d) => ({ name: `${d.stream}.${d.name}` })),
    ),
  ];
}

function repeats(kind: string, items: readonly { readonly name: string }[]): string[] {
  const names = items.map((item) => item.name);
  return names.filter((n, i) => names.indexOf(n) !== i).map((n) => `${kind}: ${n} stands twice`);
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
