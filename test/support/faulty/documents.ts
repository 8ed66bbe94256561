import type { JsonObject, JsonValue } from '@emend/contracts';
import type { Chance } from './chance.js';

/** A valid document of a contract, in one way of writing it. */
export interface FaultlessDocument {
  readonly family: string;
  readonly schema: JsonObject;
  readonly value: JsonValue;
  readonly text: string;
}

interface Family {
  readonly name: string;
  readonly schema: JsonObject;
  /** A document with `count` members. */
  readonly make: (chance: Chance, count: number) => JsonValue;
}

const phrases = [
  'the dredger left at four',
  'low water at six, then a slow rise',
  'the gauge at Weir 4 reads: steady',
  'nobody was on the pier',
  'it is the keeper’s day off',
  "it's late, and the ferry's late too",
  'the sign read "Closed" all week',
  'he called it "a fair wind", and left',
  '"Hold fast" is painted on the door',
  'they said "no"',
  'a „Lotse" came aboard',
  'the “old” harbour wall',
  'first line\nsecond line\n\n- a point\n- another',
  'tab\tseparated\tvalues',
  'C:\\scans\\docs\\Kept',
  'D:\\logs\\',
  'matches \\d+ and \\s*',
  '\\alpha + \\sigma',
  'see https://tides.example/a//b#c',
  '# not a comment, // neither',
  'use {crate} or [pallet], never both',
  'run ```make all``` twice',
  '{"k": 1, "list": ["x"]}',
  '"a": "b", "c": 1',
  '<p class="lead" id="top">Low water</p>',
  'caf\u00e9 \u7bb1 \ud83c\udf0a',
  'ends with a comma,',
  ', begins with one',
  'a; b = c -> d (e)',
  '5 o’clock, 50 % sure',
  'yes',
  'x',
  '',
] as const;
const words = ['slow', 'blue', 'tide', 'pier', 'crane', 'salt', 'weir', 'dock', 'wall', 'lamp'] as const;
const statuses = ['open', 'shut', 'under repair'] as const;

const sentence = (chance: Chance): string =>
  chance.chance(0.6) ? chance.pick(phrases) : `${chance.pick(phrases)}. ${chance.pick(phrases)}`;
const number = (chance: Chance): number =>
  chance.pick([chance.below(10), chance.below(100_000), -chance.below(50), chance.below(1_000) / 100, chance.below(100) * 1e-9]);
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

const text = { type: 'string' } as const;
const integer = { type: 'integer' } as const;
const closed = (properties: JsonObject, optional: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});
const list = (items: JsonObject): JsonObject => ({ type: 'array', items });

const record = {
  id: integer,
  name: text,
  note: text,
  status: { type: 'string', enum: statuses },
  tags: list(text),
  score: { type: 'number' },
  open: { type: 'boolean' },
  parent: { type: ['string', 'null'] },
} as const;

const makeRecord = (chance: Chance, at: number): { [key: string]: JsonValue } => ({
  id: at,
  name: chance.pick(words),
  note: sentence(chance),
  status: chance.pick(statuses),
  tags: times(chance.below(4), () => (chance.chance(0.8) ? chance.pick(words) : sentence(chance))),
  score: number(chance),
  open: chance.chance(0.5),
  parent: chance.chance(0.5) ? null : sentence(chance),
});

function without(chance: Chance, whole: { readonly [key: string]: JsonValue }, optional: readonly string[]): JsonValue {
  return Object.fromEntries(Object.entries(whole).filter(([name]) => !optional.includes(name) || chance.chance(0.6)));
}

const optionalNames = ['note', 'tags', 'parent', 'open', 'name'];

const place = closed({ name: text, depth: integer, inner: { $ref: '#/$defs/place' }, note: text, limits: list(integer) }, [
  'depth',
  'inner',
  'note',
  'limits',
]);

function makePlace(chance: Chance, levels: number): { [key: string]: JsonValue } {
  const inner = levels > 1 ? { inner: makePlace(chance, levels - 1) } : {};
  const rest = without(chance, { depth: chance.below(40), note: sentence(chance), limits: times(chance.below(3), () => chance.below(9)) }, [
    'depth',
    'note',
    'limits',
  ]) as { [key: string]: JsonValue };
  return { name: chance.pick(words), ...inner, ...rest };
}

/** Contracts of different strictness: all required, half optional, names that nobody knows, recursion, arrays at the root, no types at all. */
const families: readonly Family[] = [
  {
    name: 'closed',
    schema: closed({ title: text, count: integer, records: list(closed(record)) }),
    make: (chance, count) => ({ title: sentence(chance), count, records: times(count, (at) => makeRecord(chance, at)) }),
  },
  {
    name: 'optional',
    schema: closed({ title: text, records: list(closed(record, optionalNames)), note: text }, ['title', 'note']),
    make: (chance, count) => ({
      ...(chance.chance(0.5) ? { title: sentence(chance) } : {}),
      records: times(count, (at) => without(chance, makeRecord(chance, at), optionalNames)),
      ...(chance.chance(0.5) ? { note: sentence(chance) } : {}),
    }),
  },
  {
    name: 'map',
    schema: closed({ entries: { type: 'object', additionalProperties: { anyOf: [text, { type: 'number' }, list(text)] } } }),
    make: (chance, count) => ({
      entries: Object.fromEntries(
        times(count * 3, (at) => [
          `${chance.pick(words)} ${at}`,
          chance.pick<JsonValue>([sentence(chance), number(chance), times(chance.below(3), () => sentence(chance))]),
        ]),
      ),
    }),
  },
  {
    name: 'recursive',
    schema: { ...closed({ places: list({ $ref: '#/$defs/place' }), name: text }, ['name']), $defs: { place } },
    make: (chance, count) => ({
      places: times(count, () => makePlace(chance, 1 + chance.below(4))),
      ...(chance.chance(0.5) ? { name: sentence(chance) } : {}),
    }),
  },
  {
    name: 'lines',
    schema: list(text),
    make: (chance, count) => times(count * 2, () => sentence(chance)),
  },
  {
    name: 'matrix',
    schema: list(list({ type: 'number' })),
    make: (chance, count) => times(count, () => times(chance.below(6), () => number(chance))),
  },
  {
    name: 'anything',
    schema: { anyOf: [{ type: 'object' }, { type: 'array' }] },
    make: (chance, count) =>
      chance.chance(0.5)
        ? { a: times(count, (at) => makeRecord(chance, at)), b: makePlace(chance, 3), c: [[1, 2], [sentence(chance)], []] }
        : [...times(count, (at) => makeRecord(chance, at)), [sentence(chance), [null, true]], makePlace(chance, 2)],
  },
];

/** A document of about `bytes`, one of the families, written compact, on one line with blanks, or indented. */
export function makeDocument(chance: Chance, bytes: number): FaultlessDocument {
  const family = chance.pick(families);
  const write = chance.pick([JSON.stringify, spaced, indented]);
  let count = 1 + Math.floor(bytes / 400);
  for (;;) {
    const value = family.make(chance, count);
    const written = write(value);
    const size = Buffer.byteLength(written);
    // At most the size asked for; a document of 64 KiB leaves room for what a fault adds.
    if (size <= bytes || count === 1) return { family: family.name, schema: family.schema, value, text: written };
    count = Math.max(1, Math.floor((count * bytes * 0.9) / size));
  }
}

const indented = (value: JsonValue): string => JSON.stringify(value, null, 2);

/** As Python writes it: a blank after each comma and colon, on one line. */
const spaced = (value: JsonValue): string =>
  indented(value)
    .replace(/\n\s*/g, ' ')
    .replace(/([[{]) /g, '$1')
    .replace(/ ([\]}])/g, '$1');
