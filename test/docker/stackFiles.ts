import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventIdOf, subjects, writeTranscript } from '@emend/contracts';
import { repairRecording } from '../support/repairRecording.js';
import { provider, providerPort, type Script } from './provider.js';

/** A word that both malformed answers carry and that nothing but the files they come from may ever hold. */
export const canary = 'canary-7f3a9c';

export const agent = 'note-observer@1';
const capture = 'note-1';
const note = 'The tide gauge read 4.12 m at noon.';
const observerPrompt = 'Write one observation about the note.\n';

export const repairedOutput = {
  title: 'Tide gauge reading',
  summary: note,
  tags: ['tide'],
  confidence: 0.9,
  evidence: [],
};

/** What the runner's second call makes of a first answer without its members. */
export const answeredOutput = {
  ...repairedOutput,
  evidence: [{ eventId: eventIdOf(subjects.source({ kind: 'note', producer: 'ingest', capture })), quote: 'read 4.12 m' }],
};

/** A transcript as its producer writes it; no stage of it finds anything to correct. */
export const transcript = writeTranscript({
  producer: 'ingest',
  capture: 'talk-1',
  time: '2026-12-01T08:00:00.000Z',
  segments: [{ speaker: null, startMs: null, endMs: null, text: 'We met at the north pier.' }],
});
const nothingToCorrect = JSON.stringify({ corrections: [] });

const script: Script = {
  'small-1': [`{"title":["${canary}"]}`, JSON.stringify({ repaired_arguments: answeredOutput })],
  'transcriber-1': [nothingToCorrect, nothingToCorrect, nothingToCorrect, nothingToCorrect],
};

export interface StackFiles {
  readonly override: string;
  /** What compose.runner.yaml sets, without the sandbox that it allows. */
  readonly refusedSandbox: string;
  readonly ports: string;
}

/** Where the containers see the files below. */
export const mounted = { declarations: '/files/declarations', answers: '/files/answers.jsonl' } as const;

/** The files of one stack: a declaration, one failed answer, one generation to play, a provider, free ports, and the settings for them. */
export async function writeStackFiles(folder: string): Promise<StackFiles> {
  const files = path.join(folder, 'files');
  await mkdir(path.join(files, 'declarations', 'agents'), { recursive: true });
  const write = (name: string, text: string): Promise<void> => writeFile(path.join(folder, name), text);
  await write('files/declarations/agents/note-observer.yaml', declaration);
  await write('files/declarations/agents/note-observer.md', observerPrompt);
  await write('files/answers.jsonl', `${JSON.stringify(failedAnswer)}\n`);
  await write('files/player.jsonl', `${generation()}\n`);
  await write('files/provider.mjs', provider(script));
  await write('files/models.yaml', catalogue);
  await write('override.yaml', override(files));
  await write('refused-sandbox.yaml', refusedSandbox(files));
  await write('api.key', 'no-key-of-anyone\n');
  await write('ports.env', [...servicesWithPort.map((name) => `EMEND_${name}_PORT=0`), ...overlaySettings(folder), ''].join('\n'));
  const at = (name: string): string => path.join(folder, name);
  return { override: at('override.yaml'), refusedSandbox: at('refused-sandbox.yaml'), ports: at('ports.env') };
}

/** What the overlays ask for. In the repair agent a player stands in for the endpoint, whose key file the override takes away. */
const overlaySettings = (folder: string): readonly string[] => [
  'THOUGHTSTREAM_TINKER_ESCALATION_MODEL=example/escalation',
  `EMEND_REPAIR_API_KEY_HOST_FILE=${path.join(folder, 'api.key')}`,
  `EMEND_RUNNER_AGENTS=${agent}`,
  `EMEND_MODEL_CATALOGUE_HOST_FILE=${path.join(folder, 'files', 'models.yaml')}`,
  `EMEND_TRANSCRIPTS_ENDPOINT=http://provider:${providerPort}/v1`,
  'EMEND_TRANSCRIPTS_MODEL=transcriber-1',
];

const catalogue = `tiers:
  primary: { provider: played, baseUrl: 'http://provider:${providerPort}/v1', model: small-1 }
`;

const servicesWithPort = ['NATS', 'COORDINATOR', 'REPAIR_AGENT', 'RUNNER', 'TRANSCRIPTS', 'JUDGMENTS', 'PROJECTOR', 'EXPORTER'];

const declaration = `id: note-observer
version: 1
role: standard
tier: primary
subscriptions: [stream.thought.source.note.captured]
contract: stream.thought.output.observation@1
prompt: note-observer.md
outputPrivacy: public
limits: { outputTokensMax: 512, generationMs: 60000 }
enabled: true
`;

/** A comma is missing: complete text that does not parse, which is what ring 3 may repair. */
const failedAnswer = {
  id: 'answer-1',
  source: { id: capture, kind: 'note', text: note },
  model: 'small',
  output: `{"title": "Tide ${canary}" "tags": []}`,
  finish_reason: 'stop',
};

/** Written for this test and played as if a model had made it. */
const generation = (): string =>
  repairRecording({
    repositoryPrompt: observerPrompt,
    note: { producer: 'ingest', capture, text: note },
    failed: { text: failedAnswer.output, finishReason: failedAnswer.finish_reason },
    output: JSON.stringify(repairedOutput),
  });

const override = (files: string): string => `services:
  repair-agent:
    environment:
      EMEND_REPAIR_ENABLED: 'true'
      THOUGHTSTREAM_TINKER_ESCALATION_MODEL: example/escalation
      EMEND_REPAIR_PLAYER_FILE: /files/player.jsonl
      EMEND_REPAIR_API_KEY_FILE: ''
    volumes: ['${files}:/files:ro']
  provider:
    image: emend/cli:local
    init: true
    entrypoint: ['node', '/files/provider.mjs']
    volumes: ['${files}:/files:ro']
  cli:
    volumes: ['${files}:/files:ro']
`;

const refusedSandbox = (files: string): string => `services:
  runner:
    environment: { EMEND_RUNNER_AGENTS: '${agent}', EMEND_MODEL_CATALOGUE_FILE: /files/models.yaml }
    volumes: ['${files}:/files:ro']
`;
