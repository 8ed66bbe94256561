import type { JsonObject } from '@emend/contracts';

/** A contract and a valid document of it, compact. */
export interface Workload {
  readonly schema: JsonObject;
  readonly text: string;
}

const text = { type: 'string' } as const;

const schema: JsonObject = {
  type: 'object',
  properties: {
    title: text,
    items: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          name: text,
          note: text,
          tags: { type: 'array', items: text },
          score: { type: 'number' },
          open: { type: 'boolean' },
          parent: { type: ['string', 'null'] },
          place: {
            type: 'object',
            properties: { depth: { type: 'integer' }, unit: text },
            required: ['depth', 'unit'],
            additionalProperties: false,
          },
        },
        required: ['id', 'name', 'note', 'tags', 'score', 'open', 'parent', 'place'],
        additionalProperties: false,
      },
    },
  },
  required: ['title', 'items'],
  additionalProperties: false,
};

/** Items of text, numbers, literals, an array and an object each; as many as fit into `bytes`. */
export function workload(bytes: number): Workload {
  const items: unknown[] = [];
  let size = 40;
  for (let id = 0; ; id += 1) {
    const item = {
      id,
      name: `Gauge ${id} of the weir`,
      note: `The dredger left at four; low water was at six, and \\"slow\\" was the word.\n${'It rose again. '.repeat(1 + (id % 17))}`,
      tags: ['slow', 'blue', `row ${id}`],
      score: id / 7,
      open: id % 2 === 0,
      parent: id % 3 === 0 ? null : `Weir ${id % 9}`,
      place: { depth: id % 40, unit: 'm' },
    };
    size += Buffer.byteLength(JSON.stringify(item)) + 1;
    if (size > bytes) return { schema, text: JSON.stringify({ title: 'Harbour log', items }) };
    items.push(item);
  }
}

/** Every fiftieth comma outside strings is lost, as in the benchmark that jsonrepair ships. */
export function withoutCommas({ text: whole }: Workload): string {
  let commas = 0;
  // A string, or a comma before a name or an opener; one between two plain values is never taken, since the decoder refuses that.
  return whole.replace(/"(?:[^"\\]|\\.)*"|,(?="(?:[^"\\]|\\.)*":|\{)/g, (found) =>
    found === ',' && (commas += 1) % 50 === 0 ? '' : found,
  );
}

/** Texts that cost a reader most, of at most `bytes`: nesting, quotes, backslashes and what looks like a beginning, over and over. */
export function hostileTexts(bytes: number): readonly string[] {
  const units = [
    '[',
    '{',
    '"',
    '\\',
    '{"a":',
    '["',
    '[1,',
    '"b"c ',
    '" "',
    '" , "',
    '",',
    '":',
    '\\"',
    '[]',
    '{}',
    '[1]',
    '{"a":1} ',
    '\\u',
    '\\x',
    '//"',
    '"//',
  ];
  const frames = [
    ['', ''],
    ['{"title":"', '"}'],
    ['{"items":[', ']}'],
    ['{"items":[{"tags":["', '"]}]}'],
    ['Text: ', '{"title":"x"}'],
  ] as const;
  return units.flatMap((unit) =>
    frames.map(([before, after]) => before + unit.repeat(Math.floor((bytes - before.length - after.length) / unit.length)) + after),
  );
}
