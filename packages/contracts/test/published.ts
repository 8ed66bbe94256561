import { z } from 'zod';
import { envelopeSchema } from '../src/events/envelope.js';
import {
  eventBytesMax,
  eventCatalogue,
  eventContentType,
  type EventName,
  eventNames,
  jsonDepthMax,
  type Place,
  places,
  privacyLevels,
  sourceClasses,
  subjectPrefix,
} from '../src/index.js';
import { jsonText } from './written.js';
import { yamlText } from './yaml.js';

/** The contract documents that other programs read: file name under docs/contracts to text, all from the schemas that the code uses. */
export function publishedFiles(): ReadonlyMap<string, string> {
  const schemas = eventNames.map((name): [string, string] => [eventFile(name), jsonText(eventSchema(name))]);
  return new Map([...schemas, ['asyncapi.yaml', asyncapiText()]]);
}

const eventFile = (name: EventName): string => `events/${stemOf(name)}@${eventCatalogue[name].version}.json`;
const stemOf = (name: EventName): string => eventCatalogue[name].type.slice(subjectPrefix.length).replace('<kind>', 'kind');

type Properties = Readonly<Record<string, unknown>>;
interface ObjectSchema {
  readonly properties: Properties;
  readonly required: readonly string[];
}

/** As a writer writes it: the input side. Unknown members are allowed, since readers ignore them. */
const inputSchema = (schema: z.ZodType): ObjectSchema => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });
  return rest as unknown as ObjectSchema;
};

function eventSchema(name: EventName): object {
  const { type, version, data } = eventCatalogue[name];
  const envelope = inputSchema(envelopeSchema);
  const [before, after] = type.split('<kind>');
  const typeSchema =
    after === undefined
      ? { const: `${type}@${version}` }
      : { type: 'string', pattern: `^${escaped(before ?? '')}[A-Za-z0-9_-]{1,64}${escaped(after)}@${version}$` };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${stemOf(name)}@${version}.json`,
    title: `${type}@${version}`,
    type: 'object',
    properties: {
      ...envelope.properties,
      type: typeSchema,
      privacy: wordSchema(privacyLevels, 'Any other word, or none, counts as private.'),
      sourceclass: wordSchema(sourceClasses, 'Any other word, or none, counts as restricted-source.'),
      data: inputSchema(data),
    },
    required: [...envelope.required, 'data'],
  };
}

/** Not an enum: a reader accepts every word and takes an unknown one for the closest. */
const wordSchema = (words: readonly string[], description: string): object => ({ description, examples: words });

const escaped = (text: string): string => text.replaceAll('.', '\\.');

function asyncapiText(): string {
  const rows = Object.entries(places) as readonly (readonly [string, Place])[];
  return yamlText({
    asyncapi: '3.0.0',
    info: {
      title: 'Emend: the log',
      version: '1.0.0',
      description: [
        'Every event has a place of its own, a subject, and the broker stores one event per place, for ever.',
        'An event is structured CloudEvents 1.0, written as RFC 8785 bytes.',
        'What was stored is republished, at most once, under fact.thought. in the place of stream.thought.',
        `An event has at most ${eventBytesMax} bytes and ${jsonDepthMax} levels of nesting.`,
        'Lengths of texts in the schemas of events are counted in UTF-16 code units.',
        'A tombstone (stream.thought.erased@1) may stand on every place.',
      ].join(' '),
    },
    defaultContentType: eventContentType,
    channels: Object.fromEntries(rows.map(([place, row]) => [place, channel(row)])),
    operations: Object.fromEntries(
      rows.map(([place, row]) => [
        `append_${place}`,
        {
          action: 'receive',
          channel: { $ref: `#/channels/${place}` },
          summary: `The log takes one event, ever, on this place. Written by: ${row.writer}.`,
        },
      ]),
    ),
    components: { messages: Object.fromEntries(eventNames.map((name) => [name, message(name)])) },
  });
}

function channel(place: Place): object {
  const names = [...(place.stem.includes('<kind>') ? ['kind'] : []), ...place.key.map(parameterName)];
  const stem = place.stem.replace('<kind>', '{kind}');
  return {
    address: `${subjectPrefix}${stem}.${place.key.map((name) => `{${parameterName(name)}}`).join('.')}`,
    messages: Object.fromEntries([...place.holds, 'erased' as const].map((name) => [name, { $ref: `#/components/messages/${name}` }])),
    parameters: Object.fromEntries(names.map((name) => [name, { description: parameters[name] ?? name }])),
  };
}

const parameterName = (name: string): string => name.replace('…', '');

const parameters: Readonly<Record<string, string>> = {
  kind: 'The kind of the source.',
  producer: 'The producer that writes here, and no other.',
  capture: 'The producer’s own id of what it captured.',
  id: 'The dotted id: one token or more.',
  version: 'The version of the definition.',
  run: 'The original run: the hash of its producer and reference, 22 characters.',
  policy: 'The hash of the whole policy identity, 22 characters.',
  chain: 'The hash of authority and target, 22 characters.',
  n: 'The place in the chain, from 1.',
};

const message = (name: EventName): object => ({
  name: `${eventCatalogue[name].type}@${eventCatalogue[name].version}`,
  contentType: eventContentType,
  payload: { $ref: `./${eventFile(name)}` },
});
