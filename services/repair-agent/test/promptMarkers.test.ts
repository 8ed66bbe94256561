import type { EncodedEvent } from '@emend/contracts';
import { memoryBroker } from '@emend/log/memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentOn, answers, fakeGenerator, letTimePass } from './agentOn.js';
import { type Story, story } from './story.js';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type Path = readonly (string | number)[];

const encoder = new TextEncoder();
const bodyOf = ({ bytes }: EncodedEvent): Json => JSON.parse(new TextDecoder().decode(bytes)) as Json;

/** Every string of a body, and every object, by its path. */
function* walk(value: Json, path: Path = []): Generator<{ readonly path: Path; readonly value: Json }> {
  yield { path, value };
  if (value === null || typeof value !== 'object') return;
  for (const [name, inner] of Object.entries(value)) yield* walk(inner, [...path, Array.isArray(value) ? Number(name) : name]);
}

const placesIn = (event: EncodedEvent, kind: 'string' | 'object'): readonly Path[] =>
  [...walk(bodyOf(event))]
    .filter(({ value }) =>
      kind === 'string' ? typeof value === 'string' : value !== null && typeof value === 'object' && !Array.isArray(value),
    )
    .map(({ path }) => path);

/** The body with one value replaced. */
function replaced(body: Json, [name, ...rest]: Path, change: (value: Json) => Json): Json {
  if (name === undefined) return change(body);
  if (Array.isArray(body)) return body.map((inner: Json, index) => (index === name ? replaced(inner, rest, change) : inner));
  const record = body as { readonly [name: string]: Json };
  return { ...record, [name]: replaced(record[name] as Json, rest, change) };
}

interface Plant {
  /** Which event of the story, in the order of the log. */
  readonly event: number;
  readonly path: Path;
  readonly change: (value: Json) => Json;
}

/** Tells the story with its plants, and returns all that the one generation was given, as one text; null where none was asked for. */
async function promptOf(tale: Story, plants: readonly Plant[]): Promise<string | null> {
  const broker = memoryBroker();
  for (const [index, event] of tale.events.entries()) {
    const body = plants
      .filter((plant) => plant.event === index)
      .reduce((of, { path, change }) => replaced(of, path, change), bodyOf(event));
    await broker.log.append({ subject: event.subject, bytes: encoder.encode(JSON.stringify(body)) });
  }
  const request = await broker.log.get(tale.events.at(-1)?.subject ?? '');
  if (request === null) throw new Error('a story ends with its request');
  const generator = fakeGenerator(answers(tale.valid));
  const agent = agentOn(broker, tale, generator);
  // A reference that a marker broke is waited for.
  await letTimePass(agent.handle(request), agent.time, 30_000);
  const asked = generator.asked[0];
  return asked === undefined ? null : JSON.stringify(asked.messages);
}

/** A marker that has the form of what it replaces, so that as many events as can be stay readable. */
function markerLike(value: Json): string {
  const text = typeof value === 'string' ? value : '';
  if (/^[0-9a-f]{64}$/.test(text)) return 'badc0de5'.repeat(8);
  if (/^[A-Za-z0-9_-]{22}$/.test(text)) return 'badc0de5badc0de5badc0d';
  return text.startsWith('stream.thought.') ? `${text}badc0de5` : 'badc0de5';
}
const marker = 'badc0de5';

const tale = story();
const nameOf = (index: number): string => tale.events[index]?.subject.split('.').slice(2, 5).join('.') ?? '';
const strings: readonly Plant[] = tale.events.flatMap((event, index) =>
  placesIn(event, 'string').map((path) => ({ event: index, path, change: markerLike })),
);

describe('a marker in the events of a failed run', () => {
  it('in the place of any one string gets into the prompt from the source’s text alone (T67 to T82)', async () => {
    const reached: string[] = [];
    let prompts = 0;
    for (const plant of strings) {
      const prompt = await promptOf(tale, [plant]);
      if (prompt !== null) prompts += 1;
      if (prompt?.includes(marker)) reached.push(`${nameOf(plant.event)} ${plant.path.join('/')}`);
    }
    // The other parts of a prompt are held by hashes, so that a changed one is refused: see V4, V5 and V8.
    expect(reached).toEqual(['source.note.captured data/text']);
    // The control: with many of these markers a prompt was rendered all the same.
    expect(prompts).toBeGreaterThan(20);
  });

  it('beside the known fields, in any objects of any events and under any names, gets into no prompt (T76 to T82)', async () => {
    const objects = tale.events.flatMap((event, index) => placesIn(event, 'object').map((path) => ({ event: index, path })));
    const excluded = [
      'candidate',
      'output',
      'reasoning',
      'request',
      'response',
      'messages',
      'message',
      'content',
      'prompt',
      'text',
      'trace',
      'quarantine',
    ];
    const extra = fc.record({
      at: fc.constantFrom(...objects),
      name: fc.oneof(fc.constantFrom(...excluded), fc.string({ minLength: 1, maxLength: 12 })),
      value: fc.constantFrom<Json>(marker, [marker], { [marker]: marker }, { content: [{ text: marker }] }),
    });
    let prompts = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(extra, { minLength: 1, maxLength: 6 }), async (extras) => {
        const plants = extras.map(({ at, name, value }) => ({
          ...at,
          // A known field keeps its value: only what no schema names is added.
          change: (of: Json): Json => ({ [name]: value, ...(of as object) }),
        }));
        const prompt = await promptOf(tale, plants);
        if (prompt !== null) prompts += 1;
        expect(prompt ?? '').not.toContain(marker);
      }),
      { numRuns: 200 },
    );
    expect(prompts).toBeGreaterThan(20);
  });
});
