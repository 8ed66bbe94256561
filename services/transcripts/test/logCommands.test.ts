import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readCapturedSegments, subjects, type TranscriptCorrection } from '@emend/contracts';
import { runIn } from '@emend/runs/decisions';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { diffCommand, nothingExitCode } from '../src/commands/diff.js';
import { submitCommand } from '../src/commands/submit.js';
import * as on from './transcriptLog.js';

let folder: string;
let log: Awaited<ReturnType<typeof on.logOfTranscripts>>;
const at = (name: string): string => path.join(folder, name);

const srt = '1\n00:00:01,000 --> 00:00:02,000\n[anna] we met at the north peer\n\n2\n00:00:03,000 --> 00:00:04,500\nat six\n';
const whisperx = { language: 'en', segments: [{ start: 1, end: 2, text: 'we met at the north peer', speaker: 'anna' }] };

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'emend-log-commands-'));
  await writeFile(at('talk.srt'), srt);
  await writeFile(at('talk.vtt'), 'WEBVTT\n\n00:01.000 --> 00:02.000\n<v anna>we met at the north peer\n');
  await writeFile(at('talk.json'), JSON.stringify(whisperx));
  await writeFile(at('talk.txt'), 'we met at the north peer\nat six\n');
  await writeFile(
    at('long.txt'),
    Array.from({ length: 2_000 }, (_, n) => `segment ${n + 1} of a long talk about the tide at the north pier`).join('\n'),
  );
  await writeFile(at('bad.srt'), `${srt}\n3\nno timing\n\n4\n00:00:09,000 --> 00:00:08,000\nbackwards\n`);
  await writeFile(at('terms.txt'), 'Quoddy\nnorth pier\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  log = await on.logOfTranscripts();
});
afterEach(() => log.close());

interface Said {
  readonly exitCode: number;
  readonly text: string;
  readonly complaints: readonly string[];
}

async function run(command: typeof submitCommand, args: readonly string[], colour = false): Promise<Said> {
  const [lines, complaints]: [string[], string[]] = [[], []];
  const out = { say: (text: string) => void lines.push(text), complain: (text: string) => void complaints.push(text), colour };
  const exitCode = await command(args, { EMEND_NATS_URL: log.url }, out);
  return { exitCode, text: lines.join('\n'), complaints };
}
const submit = (...args: readonly string[]) => run(submitCommand, args);
const diff = (...args: readonly string[]) => run(diffCommand, args);

describe('submit', () => {
  it.each([
    [
      'talk.srt',
      [
        { speaker: 'anna', startMs: 1_000, endMs: 2_000, text: 'we met at the north peer' },
        { speaker: null, startMs: 3_000, endMs: 4_500, text: 'at six' },
      ],
      null,
    ],
    ['talk.vtt', [{ speaker: 'anna', startMs: 1_000, endMs: 2_000, text: 'we met at the north peer' }], null],
    ['talk.json', [{ speaker: 'anna', startMs: 1_000, endMs: 2_000, text: 'we met at the north peer' }], 'en'],
    [
      'talk.txt',
      [
        { speaker: null, startMs: null, endMs: null, text: 'we met at the north peer' },
        { speaker: null, startMs: null, endMs: null, text: 'at six' },
      ],
      null,
    ],
  ])('%s becomes a source with its segments in the event', async (file, segments, language) => {
    const { text } = await submit(at(file));
    const [, place = ''] = text.split('\n');
    const { data, privacy, sourceClass } = await on.sourceAt(log.broker, place);
    expect(data).toMatchObject({ producer: 'submit', kind: 'transcript', transcript: { language, body: { segments } } });
    expect(data.text).toBe(segments.map((one) => one.text).join('\n'));
    expect([privacy, sourceClass]).toEqual(['private', 'restricted-source']);
  });

  it('twice is the same source, and nothing is stored again', async () => {
    const first = await submit(at('talk.srt'), '--glossary', at('terms.txt'), '--protect', at('terms.txt'));
    const second = await submit(at('talk.srt'), '--glossary', at('terms.txt'), '--protect', at('terms.txt'));
    const [, place = ''] = first.text.split('\n');
    expect(first.text).toBe(`2 segments, in the event\n${place}\nemend transcript diff ${place}`);
    expect(second.text).toBe(`2 segments, submitted before: nothing is stored\n${place}\nemend transcript diff ${place}`);
    expect(await log.broker.log.lastSequence()).toBe(1);
    expect((await on.sourceAt(log.broker, place)).data.transcript).toMatchObject({
      glossary: ['Quoddy', 'north pier'],
      protectedTerms: ['Quoddy', 'north pier'],
    });
    expect((await submit(at('talk.srt'))).text).not.toContain(place);
  });

  it('of what has no room in an event stores the segments beside it, before it', async () => {
    const said = JSON.parse((await submit(at('long.txt'), '--json')).text) as { readonly place: string };
    expect(said).toMatchObject({ fresh: true, segments: 2_000, stored: 'object' });
    const body = (await on.sourceAt(log.broker, said.place)).data.transcript?.body;
    if (body === undefined || !('object' in body)) throw new Error('no object is named');
    expect(body.segments).toBe(2_000);
    const got = await (await log.broker.objects('transcripts')).get(body.object, { bytesMax: 1_000_000 });
    const kept = got.kind === 'got' ? readCapturedSegments(got.bytes) : null;
    expect([kept?.length, kept?.[1_999]?.text]).toEqual([2_000, 'segment 2000 of a long talk about the tide at the north pier']);
    expect(JSON.parse((await submit(at('long.txt'), '--json')).text)).toMatchObject({ place: said.place, fresh: false });
  });

  it('under a reference that has other content is refused by the place', async () => {
    const named = ['--producer', 'field', '--ref', 'talk-1', '--privacy', 'public', '--source-class', 'public-source'];
    expect((await submit(at('talk.srt'), ...named)).text).toContain('stream.thought.source.transcript.captured.field.talk-1');
    await expect(submit(at('talk.txt'), ...named)).rejects.toMatchObject({
      code: 'place_taken',
      place: 'stream.thought.source.transcript.captured.field.talk-1',
    });
  });

  it('names every bad line with its code and stores nothing', async () => {
    const refusal = submit(at('bad.srt'));
    await expect(refusal).rejects.toMatchObject({ code: 'transcript_refused' });
    const { message } = (await refusal.catch((error: unknown) => error)) as Error;
    expect(message.split('\n')).toEqual([
      'transcript_refused: 2 places',
      `  ${at('bad.srt')}: line 9: timing_missing: expected a line \`start --> end\` above the text`,
      `  ${at('bad.srt')}: line 13: ends_before_start: expected an end that is not before its start`,
    ]);
    expect(await log.broker.log.lastSequence()).toBe(0);
  });

  it.each([
    [['--ref', 'two words']],
    [['--producer', 'a.b']],
    [['--format', 'docx']],
    [['--privacy', 'secret']],
    [['--source-class', 'secret']],
    [['another.srt']],
  ])('%j is wrong use', async (words) => {
    await expect(submit(at('talk.srt'), ...words)).rejects.toMatchObject({ code: 'wrong_use' });
  });
});

const corrections: TranscriptCorrection[] = [
  {
    stage: 'homophones',
    section: 1,
    proposal: 'p1',
    version: 1,
    segment: 's1',
    original: 'peer',
    replacement: 'pier',
    reason: 'a <pier> is met at\u001b[2J',
  },
];
const segments = (first: string) => [
  { speaker: 'anna', startMs: 1_000, endMs: 2_000, text: first },
  { speaker: null, startMs: 3_000, endMs: 4_500, text: 'at six' },
];

async function submitted(): Promise<string> {
  await on.declared(log.broker);
  return JSON.parse((await submit(at('talk.srt'), '--producer', 'field', '--ref', 'talk-1', '--json')).text).place as string;
}

async function corrected(beside: boolean) {
  const place = await submitted();
  const attempt = await on.attemptAt(log.broker, place);
  const output = await on.outputOf(log.broker, { segments: segments('we met at the north pier'), corrections, beside });
  await on.claim(log.broker, attempt);
  await on.end(log.broker, attempt, output);
  await on.derive(log.broker, attempt, output);
  return { place, run: runIn(attempt) };
}

describe('diff', () => {
  const before = '- we met at the north peer\n+ we met at the north pier\n';
  const shown = `s1 00:00:01 anna\n${before}  homophones: "peer" to "pier": a <pier> is met at\\u{1b}[2J\n\n1 of 1 corrections applied`;

  it.each([
    ['in their events', false],
    ['in the object store', true],
  ])('shows before, after and why, by source and by run, with both %s', async (_, beside) => {
    const { place, run: id } = await corrected(beside);
    const names = [
      place,
      'field/talk-1',
      id,
      subjects.transcriptCorrected({ producer: 'transcripts', run: id }),
      subjects.runEnded({ producer: 'transcripts', run: id }),
    ];
    for (const name of names) expect(await diff(name)).toEqual({ exitCode: 0, text: shown, complaints: [] });
    const all = JSON.parse((await diff(place, '--json')).text) as object;
    expect(all).toMatchObject({ kind: 'corrected', source: place, corrections, report: { applied: 1 } });
  });

  it('writes colours to a terminal, and a page that escapes what was said', async () => {
    const { place } = await corrected(false);
    expect((await run(diffCommand, [place], true)).text).toContain('\u001b[32m+ we met at the north pier\u001b[0m');
    const page = (await diff(place, '--html')).text;
    expect(page).toContain('<del>peer</del> <ins>pier</ins> a &lt;pier&gt; is met at\\u{1b}[2J');
    expect(page).toContain('<h2>s1 00:00:01 anna</h2>');
  });

  it('does not pass over a difference that nobody gives a reason for', async () => {
    const place = await submitted();
    const attempt = await on.attemptAt(log.broker, place);
    await on.derive(log.broker, attempt, await on.outputOf(log.broker, { segments: segments('something else'), corrections: [] }));
    expect((await diff(place)).text).toContain('+ something else\n  no correction says why');
  });

  it('says how far it is, with a code and exit code 4, from a missing source to the corrected one', async () => {
    const codeOf = async (name: string): Promise<string> => {
      const { exitCode, text, complaints } = await diff(name);
      expect([exitCode, text, complaints.length]).toEqual([nothingExitCode, '', 1]);
      return complaints[0]?.split(':')[0] ?? '';
    };
    expect(await codeOf('field/talk-1')).toBe('source_missing');
    await submit(at('talk.srt'), '--producer', 'field', '--ref', 'talk-1');
    expect(await codeOf('field/talk-1')).toBe('agent_missing');
    await on.declared(log.broker);
    expect(await codeOf('field/talk-1')).toBe('not_started');
    const place = subjects.source({ kind: 'transcript', producer: 'field', capture: 'talk-1' });
    const [first, second] = [await on.attemptAt(log.broker, place, 1), await on.attemptAt(log.broker, place, 2)];
    await on.claim(log.broker, first);
    expect([await codeOf('field/talk-1'), await codeOf(runIn(first))]).toEqual(['in_work', 'in_work']);
    await on.abandon(log.broker, first);
    expect(await codeOf('field/talk-1')).toBe('run_abandoned');
    await on.claim(log.broker, second);
    expect(await codeOf('field/talk-1')).toBe('in_work');
    const output = await on.outputOf(log.broker, { segments: segments('we met at the north pier'), corrections });
    await on.end(log.broker, second, output);
    expect(await codeOf('field/talk-1')).toBe('not_written_yet');
    await on.derive(log.broker, second, output);
    expect((await diff('field/talk-1')).exitCode).toBe(0);
    expect(await codeOf(runIn(first))).toBe('run_abandoned');
  });

  it('waits for the run to end where it is told to', async () => {
    const place = await submitted();
    const waiting = diff(place, '--wait');
    const attempt = await on.attemptAt(log.broker, place);
    const output = await on.outputOf(log.broker, { segments: segments('we met at the north pier'), corrections });
    await on.claim(log.broker, attempt);
    await on.end(log.broker, attempt, output);
    await on.derive(log.broker, attempt, output);
    expect((await waiting).text).toBe(shown);
  });

  it('says that a run failed, and of which class', async () => {
    const place = await submitted();
    const attempt = await on.attemptAt(log.broker, place);
    await on.claim(log.broker, attempt);
    await on.fail(log.broker, attempt);
    expect((await diff(place)).complaints[0]).toMatch(/^run_failed: stream\.thought\.agent\.run\.ended\.transcripts\.\S+ \(timeout\): /);
    expect(JSON.parse((await diff(place, '--json')).text)).toMatchObject({ kind: 'nothing', code: 'run_failed', detail: 'timeout' });
  });

  it('says what was erased: a source, a corrected transcript, an object', async () => {
    const source = subjects.source({ kind: 'transcript', producer: 'field', capture: 'gone' });
    await on.erased(log.broker, source);
    expect((await diff(source)).complaints[0]).toMatch(/^source_erased: /);
    const place = await submitted();
    const attempt = await on.attemptAt(log.broker, place);
    await on.erased(log.broker, subjects.transcriptCorrected({ producer: 'transcripts', run: runIn(attempt) }));
    expect((await diff(place)).complaints[0]).toMatch(/^corrected_erased: /);
  });

  it.each([
    ['missing', 'corrected_object_missing'],
    ['of other bytes', 'corrected_object_damaged'],
  ])('says that the object of a corrected transcript is %s', async (what, code) => {
    const place = await submitted();
    const attempt = await on.attemptAt(log.broker, place);
    const output = await on.outputOf(log.broker, { segments: segments('we met at the north pier'), corrections, beside: true });
    if (!('object' in output.body)) throw new Error('an object');
    const { object } = output.body;
    const other = what === 'missing' ? { ...object, name: `${'x'.repeat(22)}.${object.hash}` } : { ...object, hash: 'f'.repeat(64) };
    await on.derive(log.broker, attempt, { ...output, body: { ...output.body, object: other } });
    expect((await diff(place)).complaints[0]?.split(':')[0]).toBe(code);
  });

  it('says that a source is none of a transcript', async () => {
    await on.declared(log.broker);
    const data = { producer: 'field', capture: 'n1', kind: 'transcript', text: 'a note' };
    await on.append(log.broker, {
      name: 'sourceCaptured',
      source: 'field',
      time: '2026-11-30T12:00:00.000Z',
      privacy: 'public',
      sourceClass: 'public-source',
      data,
    });
    expect((await diff('field/n1')).complaints[0]).toMatch(/^source_no_transcript: /);
  });

  it.each([['two words'], ['stream.thought.source.note.captured.a.b'], ['a/b/c'], ['']])('%j is wrong use', async (name) => {
    await expect(diff(name)).rejects.toMatchObject({ code: 'wrong_use' });
  });
});
