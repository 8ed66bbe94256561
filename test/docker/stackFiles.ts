import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { repairRecording } from '../support/repairRecording.js';

/** A word that the malformed answer carries and that nothing but the ingest file may ever hold. */
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

export interface StackFiles {
  readonly override: string;
  readonly ports: string;
}

/** Where the containers see the files below. */
export const mounted = { declarations: '/files/declarations', answers: '/files/answers.jsonl' } as const;

/** The files of one stack: a declaration, one failed answer, one generation to play, free ports, and the settings for them. */
export async function writeStackFiles(folder: string): Promise<StackFiles> {
  const files = path.join(folder, 'files');
  await mkdir(path.join(files, 'declarations', 'agents'), { recursive: true });
  const write = (name: string, text: string): Promise<void> => writeFile(path.join(folder, name), text);
  await write('files/declarations/agents/note-observer.yaml', declaration);
  await write('files/declarations/agents/note-observer.md', observerPrompt);
  await write('files/answers.jsonl', `${JSON.stringify(failedAnswer)}\n`);
  await write('files/player.jsonl', `${generation()}\n`);
  await write('override.yaml', override(files));
  await write('api.key', 'no-key-of-anyone\n');
  await write('ports.env', [...servicesWithPort.map((name) => `EMEND_${name}_PORT=0`), ...repairSettings(folder), ''].join('\n'));
  return { override: path.join(folder, 'override.yaml'), ports: path.join(folder, 'ports.env') };
}

/** What compose.repair.yaml asks for; the player stands in for the endpoint, whose key file the override takes away. */
const repairSettings = (folder: string): readonly string[] => [
  'THOUGHTSTREAM_TINKER_ESCALATION_MODEL=example/escalation',
  `EMEND_REPAIR_API_KEY_HOST_FILE=${path.join(folder, 'api.key')}`,
];

const servicesWithPort = ['NATS', 'COORDINATOR', 'REPAIR_AGENT', 'JUDGMENTS', 'PROJECTOR', 'EXPORTER'];

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
  cli:
    volumes: ['${files}:/files:ro']
`;
