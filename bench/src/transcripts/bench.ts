import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Model } from '@emend/model';
import { systemTimers } from '@emend/runtime';
import {
  compilePrompts,
  correctTranscript,
  modelCalls,
  promptFilesInForce,
  stageSettings,
  type TranscriptToCorrect,
} from '@emend/transcripts';
import { measure } from '../measure.js';
import { type BenchOptions, type Verdict, verdictOf } from '../report.js';

/** Two hours of speech. */
const segmentCount = 2_000;
const callMs = 20;
const admission = 8;
const rounds = 5;
/** The work may take 1.3 times as long as the same calls alone. */
const bar = 0.77;

const throughputName = 'two hours of transcript through all stages';
const memoryName = 'live memory over ten such transcripts in one';
const growth = 1.1;
const slackBytes = 16 * 1024 * 1024;
const mebibyte = 1024 * 1024;

const approve = JSON.stringify({ verdict: 'approve' });
const nothing = JSON.stringify({ corrections: [] });
const proposals = JSON.stringify({
  corrections: [
    { segment: 1, original: 'they was', replacement: 'they were', reason: 'agreement' },
    { segment: 2, original: 'at six', replacement: 'at seven', reason: 'guess' },
  ],
});
const withdrawal = JSON.stringify({ proposal_ref: 'p2', action: 'withdraw' });

/** A model that takes its time and answers by the contract of the call: one good correction a section and one to withdraw. */
function fakeModel(ms: number, onCall: () => void): Model {
  return {
    identity: { provider: 'fake', model: 'fake', executionAdapter: 'fake@1', catalog: { digest: '0'.repeat(64), generation: 1 } },
    async generate({ contract: { schema }, messages }) {
      onCall();
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
      return {
        kind: 'generated',
        text: answerTo(schema, messages[0]?.content ?? ''),
        finishReason: 'stop',
        usage: { promptTokens: 1, completionTokens: 1 },
      };
    },
  };
}

function answerTo(schema: object, system: string): string {
  if ('properties' in schema) return system.includes('grammar') ? proposals : nothing;
  return JSON.stringify(schema).includes('proposal_ref') ? withdrawal : approve;
}

const transcriptOf = (count: number): TranscriptToCorrect => ({
  segments: Array.from({ length: count }, (_, index) => ({
    id: `s${index + 1}`,
    speaker: 'anna',
    startMs: index * 3_600,
    endMs: index * 3_600 + 3_500,
    text: `and then they was late and we met at six by the crane, said number ${index + 1}`,
  })),
  glossary: [],
  protectedTerms: [],
  language: 'en',
});

async function correct(count: number, ms: number, onCall: () => void): Promise<void> {
  const compiled = compilePrompts(await promptFilesInForce(undefined));
  if (compiled.kind === 'refused') throw new Error('the shipped prompts do not compile');
  const limits = { outputTokensMax: 1_000, generationMs: 60_000 };
  const model = fakeModel(ms, onCall);
  const call = modelCalls({
    profiles: new Map([['small', { answers: model, repairs: model }]]),
    admission,
    limits,
    timers: systemTimers,
    transportRetriesMax: 0,
  });
  const end = await correctTranscript(
    {
      prompts: compiled.prompts,
      call,
      settings: stageSettings({ profile: 'small' }),
      isWord: () => true,
      sectionsInWork: 2 * admission,
      signal: new AbortController().signal,
    },
    transcriptOf(count),
  );
  if (end.kind !== 'corrected' || end.report.applied * 25 !== count) throw new Error('the transcript was not corrected as scripted');
}

async function callsAlone(calls: number): Promise<number> {
  const model = fakeModel(callMs, () => {});
  const request = {
    messages: [],
    contract: { name: 'none', schema: {} },
    limits: { outputTokensMax: 1, generationMs: 1 },
    signal: new AbortController().signal,
  };
  let left = calls;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await model.generate(request);
    }
  };
  await Promise.all(Array.from({ length: admission }, lane));
  return calls;
}

/** What a transcript costs beside its model. Prints one row a figure, as it comes. */
export async function benchTranscripts({ only, say }: BenchOptions): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  const add = (verdict: Verdict): void => {
    verdicts.push(verdict);
    say(verdict.line);
  };
  if (throughputName.includes(only)) add(verdictOf(await measure(await throughput(), rounds)));
  if (memoryName.includes(only)) add(await memoryVerdict());
  return verdicts;
}

async function throughput() {
  let calls = 0;
  await correct(segmentCount, 0, () => (calls += 1));
  const counted = calls;
  const work = async (): Promise<number> => {
    await correct(segmentCount, callMs, () => {});
    return counted;
  };
  return {
    name: throughputName,
    bar,
    unit: 'calls',
    calibration: { name: `the same ${counted} calls alone`, work: () => callsAlone(counted) },
    subject: { name: 'correctTranscript', work },
  };
}

/** Calls between two looks at the heap. */
const lookEvery = 100;

/** What is alive at some points of ten times the transcript: what a section leaves behind would show, and garbage does not. */
async function memoryVerdict(): Promise<Verdict> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const alive: number[] = [];
  let calls = 0;
  await correct(10 * segmentCount, 0, () => {
    if ((calls += 1) % lookEvery !== 0) return;
    collect();
    alive.push(process.memoryUsage().heapUsed);
  });
  const tenth = Math.floor(alive.length / 10);
  const [first, last] = [Math.max(...alive.slice(0, tenth)), Math.max(...alive.slice(-tenth))];
  const missed = last > growth * first + slackBytes;
  const mib = (bytes: number): string => `${Math.round(bytes / mebibyte)} MiB`;
  const line = `| ${memoryName} | last tenth: ${mib(last)} | first tenth: ${mib(first)} | ${(last / first).toFixed(2)} | | ≤ 1.1 × first + 16 MiB | ${missed ? 'missed' : 'kept'} |`;
  return { line, missed, failsCi: missed };
}
