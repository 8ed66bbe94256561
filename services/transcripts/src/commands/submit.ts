import { parseArgs } from 'node:util';
import { Producer } from '@emend/client';
import {
  canonicalText,
  hashToken,
  keyTokenSchema,
  privacyLevels,
  type SourceClass,
  sourceClasses,
  type Privacy,
  type SpokenSegment,
} from '@emend/contracts';
import { WrongUse } from '@emend/runtime';
import { withBroker } from '../adapters/commandBroker.js';
import { readTerms } from '../adapters/textFiles.js';
import { formatOf, readTranscriptFile } from '../adapters/transcriptFile.js';
import { objectsBucket } from '../domain/objectsBucket.js';
import type { Out } from './out.js';

const options = {
  format: { type: 'string' },
  glossary: { type: 'string' },
  protect: { type: 'string' },
  language: { type: 'string' },
  producer: { type: 'string', default: 'submit' },
  ref: { type: 'string' },
  privacy: { type: 'string', default: 'private' },
  'source-class': { type: 'string', default: 'restricted-source' },
  json: { type: 'boolean', default: false },
} as const;

/**
 * `submit FILE`: writes the transcript of a file to the log as a source, as a producer does. Without `--ref` its name is a hash of what is said, the
 * language and the terms, so that the same file again is the same source and nothing is stored twice.
 */
export async function submitCommand(args: readonly string[], env: NodeJS.ProcessEnv, out: Out): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const [file, ...more] = positionals;
  const format = formatOf(file ?? '', values.format);
  const [privacy, sourceClass] = [
    wordOf<Privacy>(privacyLevels, values.privacy),
    wordOf<SourceClass>(sourceClasses, values['source-class']),
  ];
  if (file === undefined || more.length > 0 || format === null || privacy === null || sourceClass === null) throw new WrongUse();
  const read = await readTranscriptFile(file, format);
  const said = {
    segments: read.segments.map(({ speaker, startMs, endMs, text }): SpokenSegment => ({ speaker, startMs, endMs, text })),
    language: values.language ?? read.language,
    glossary: [...(await readTerms(values.glossary))],
    protectedTerms: [...(await readTerms(values.protect))],
  };
  const capture = values.ref ?? hashToken(canonicalText(said));
  if (![capture, values.producer].every((name) => keyTokenSchema.safeParse(name).success)) throw new WrongUse(namesUsage);
  const { event, fresh } = await withBroker(env, (broker) =>
    new Producer({ log: broker.log, producer: values.producer }).captureTranscript({ capture, privacy, sourceClass, ...said }, () =>
      broker.objects(objectsBucket),
    ),
  );
  const beside = event.data.transcript !== undefined && 'object' in event.data.transcript.body;
  const { subject: place, id } = event;
  const count = `${said.segments.length} segment${said.segments.length === 1 ? '' : 's'}`;
  out.say(
    values.json
      ? JSON.stringify({ place, id, fresh, segments: said.segments.length, stored: beside ? 'object' : 'event' })
      : [
          fresh ? `${count}, ${beside ? 'in the object store' : 'in the event'}` : `${count}, submitted before: nothing is stored`,
          place,
          `emend transcript diff ${place}`,
        ].join('\n'),
  );
  return 0;
}

const namesUsage = 'submit FILE [--producer NAME] [--ref REF]: 1 to 64 letters, digits, _ and -';

const wordOf = <Word extends string>(words: readonly Word[], said: string): Word | null => words.find((word) => word === said) ?? null;
