import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diagnosticClasses } from '@emend/contracts';
import { workspaceRoot } from '@emend/log/server';
import { modelFailedCodes, modelNotGeneratedCodes } from '@emend/model/decisions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelName, type ModelServer, startModelServer } from './modelServer.js';

/** The structured outputs that this server takes. */
const formats = ['none', 'json_object', 'openai_json_schema', 'json_object_schema'] as const;

/** Room for the longest prompt of a stage and a short list; an answer without an end meets it soon. */
const contextTokens = 1_536;

const talk = [
  'so um we met at the north peer at six',
  'they was late and the tide had turned',
  'I think the gauge red four metres',
  'no we did not see the heron',
];
const glossary = ['Quoddy'];

/** For a model that can do little more than copy: which corrections to propose, one of which changes a number. */
const leading = `--- system ---
Copy this JSON object. Write nothing else.
{"corrections": [{"segment": 2, "original": "they was", "replacement": "they were", "reason": "agreement"}, {"segment": 1, "original": "at six", "replacement": "at seven", "reason": "guess"}]}
--- user ---
{% for line in section %}[{{ line.ref }}] {{ line.text }}
{% endfor %}
The JSON object, copied:
`;

let model: ModelServer;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emend-model-transcripts-'));
  await writeFile(join(folder, 'talk.txt'), `${talk.join('\n')}\n`);
  await writeFile(join(folder, 'terms.txt'), `${glossary.join('\n')}\n`);
  model = await startModelServer({ contextTokens });
});
afterAll(async () => {
  await model.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Correction {
  readonly segment: string;
  readonly stage: string;
  readonly original: string;
  readonly replacement: string;
  readonly reason: string;
}
interface Tally {
  readonly calls: number;
  readonly transportRetries: number;
  readonly structuralRepairs: number;
  readonly repairedReplies: number;
}
interface Corrected {
  readonly kind: 'corrected';
  readonly segments: readonly { readonly id: string; readonly text: string }[];
  readonly corrections: readonly Correction[];
  readonly report: {
    readonly proposed: number;
    readonly applied: number;
    readonly calls: Readonly<Record<'proposals' | 'decisions' | 'revisions', Tally>>;
    readonly repairOutcomes: readonly { readonly disposition: string; readonly attempts: number }[];
  };
}

/** The program as it is installed, over the talk, with the glossary and so with every stage. */
async function correct(settings: Readonly<Record<string, string>>) {
  const program = join(workspaceRoot(), 'services/transcripts/dist/main.js');
  const args = [program, 'correct', 'talk.txt', '--glossary', 'terms.txt', '--json'];
  const env = {
    EMEND_TRANSCRIPTS_ENDPOINT: model.url,
    EMEND_TRANSCRIPTS_API_KEY_FILE: model.keyFile,
    EMEND_TRANSCRIPTS_MODEL: modelName,
    EMEND_TRANSCRIPTS_GENERATION_MS: '900000',
    EMEND_TRANSCRIPTS_ADMISSION: '1',
    ...settings,
  };
  const before = model.calls.total;
  const child = spawn(process.execPath, args, { cwd: folder, env });
  const text = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => void (text.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => void (text.err += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, ...text, calls: model.calls.total - before };
}

/** `emend-transcripts: stage_failed: CODE in STAGE, section N` */
const failure = /^emend-transcripts: stage_failed: ([a-z_]+) in ([a-z_]+), section 1\n$/;
const failureCodes: readonly string[] = [
  ...Object.keys(modelFailedCodes),
  ...Object.keys(modelNotGeneratedCodes),
  ...diagnosticClasses,
  'answer_truncated',
  'answer_refused',
  'answer_tool_call',
];
const stages = ['glossary', 'homophones', 'spoken_word', 'grammar'];

/** The talk with every correction done by hand, in the order of the list: what is not in it did not happen. */
function replayed(corrections: readonly Correction[]): readonly string[] {
  const texts = [...talk];
  for (const { segment, original, replacement } of corrections) {
    const at = Number(segment.slice(1)) - 1;
    expect(texts[at]).toContain(original);
    texts[at] = (texts[at] ?? '').replace(original, () => replacement);
  }
  return texts;
}

/** What holds however a transcript ends. Says what came of it; null where it failed. */
function expectHonest(name: string, { code, out, err, calls }: Awaited<ReturnType<typeof correct>>): Corrected | null {
  if (code !== 0) {
    const [, said = '', stage = ''] = failure.exec(err) ?? [];
    console.info(`${name}: ${calls} calls, failed as ${said} in ${stage}`);
    expect([code, out]).toEqual([1, '']);
    expect(failureCodes).toContain(said);
    expect(stages).toContain(stage);
    // One call for each stage that was passed, and the call that failed.
    expect(calls).toBeGreaterThan(stages.indexOf(stage));
    return null;
  }
  const end = JSON.parse(out) as Corrected;
  const { proposed, applied, repairOutcomes, calls: tallies } = end.report;
  const sum = (of: (tally: Tally) => number): number => Object.values(tallies).reduce((total, tally) => total + of(tally), 0);
  const kinds = Object.entries(tallies).map(([kind, tally]) => `${kind} ${tally.calls}`);
  const [repairs, repaired] = [sum((tally) => tally.structuralRepairs), sum((tally) => tally.repairedReplies)];
  const ends = repairOutcomes.map(({ disposition }) => disposition);
  console.info(
    `${name}: ${calls} calls (${kinds.join(', ')}, structural repairs ${repairs}, repaired replies ${repaired}), ${proposed} proposed, ${applied} applied: ${ends.join(' ')}`,
  );
  expect(sum((tally) => tally.calls + tally.transportRetries + tally.structuralRepairs)).toBe(calls);
  expect(tallies.proposals.calls).toBe(stages.length);
  expect(tallies.revisions.calls).toBe(repairOutcomes.reduce((total, { attempts }) => total + attempts, 0));
  expect(applied).toBe(end.corrections.length);
  for (const { stage, reason } of end.corrections) expect([stages.includes(stage), typeof reason]).toEqual([true, 'string']);
  expect(end.segments.map(({ text }) => text)).toEqual(replayed(end.corrections));
  return end;
}

describe('all stages of a transcript in front of a real small model', () => {
  it.each(formats)(
    'asked for %s end corrected or with a code, every call is counted, and nothing is changed without its correction and its reason',
    async (format) => {
      expectHonest(format, await correct({ EMEND_TRANSCRIPTS_STRUCTURED_OUTPUT: format }));
    },
  );

  it('led by an operator’s prompt to two corrections, one of them wrong, has decisions and revisions that are counted and bounded', async () => {
    const prompts = join(folder, 'prompts');
    await mkdir(prompts);
    await writeFile(join(prompts, 'grammar.propose.liquid'), leading);
    const settings = { EMEND_TRANSCRIPTS_PROMPTS: prompts, EMEND_TRANSCRIPTS_STRUCTURED_OUTPUT: 'openai_json_schema' };
    const end = expectHonest('led', await correct(settings));
    if (end === null) return;
    const { proposed, calls, repairOutcomes } = end.report;
    // Two decisions for each version of a correction, and one revision of each, at most.
    expect(calls.revisions.calls).toBeLessThanOrEqual(proposed);
    expect(calls.decisions.calls).toBeLessThanOrEqual(2 * (proposed + calls.revisions.calls));
    for (const { attempts } of repairOutcomes) expect(attempts).toBeLessThanOrEqual(1);
  });

  it('without a server fail as a whole, and nothing is called', async () => {
    await model.takeDown();
    try {
      const { code, out, err, calls } = await correct({});
      expect([code, out, failure.exec(err)?.[1], calls]).toEqual([1, '', 'connection_failed', 0]);
    } finally {
      await model.bringUp();
    }
  });
});
