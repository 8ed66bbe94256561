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

/** Two hours of speech. */
export const segmentCount = 2_000;
export const admission = 8;

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
export function fakeModel(ms: number, onCall: () => void): Model {
  return {
    identity: { provider: 'fake', model: 'fake', executionAdapter: 'fake@1', catalog: { digest: '0'.repeat(64), generation: 1 } },
    async generate({ contract: { schema }, messages }) {
      onCall();
      await new Promise<void>((resolve) => void (ms > 0 ? setTimeout(resolve, ms) : setImmediate(resolve)));
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

/** Corrects a transcript of so many segments; every call takes so many milliseconds, or one turn of the event loop. */
export async function correct(count: number, ms: number, onCall: () => void): Promise<void> {
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
