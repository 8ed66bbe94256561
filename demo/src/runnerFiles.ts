import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Observer, observersOf, recordingLines } from './observers.js';
import { type Samples, writeLines } from './samples.js';

/** Where the demo keeps what the runner needs. */
export interface RunnerFiles {
  readonly declarations: string;
  readonly recordings: string;
}

/** Writes the declarations, their prompts beside them, and the recordings. */
export async function writeRunnerFiles(
  dataDir: string,
  { root, samples }: { readonly root: string; readonly samples: Samples },
): Promise<RunnerFiles> {
  const [declarations, recordings] = [join(dataDir, 'declarations'), join(dataDir, 'recordings.jsonl')];
  const [agents, prompts] = [join(declarations, 'agents'), join(declarations, 'prompts')];
  await Promise.all([mkdir(agents, { recursive: true }), mkdir(prompts, { recursive: true })]);
  const observers = observersOf(samples.answers);
  for (const prompt of new Set(observers.map((observer) => observer.prompt))) {
    await copyFile(join(root, 'samples', 'prompts', prompt), join(prompts, prompt));
  }
  const tokensMax = await tokensMaxBySettings(root);
  for (const observer of observers) {
    await writeFile(join(agents, `${observer.id}.yaml`), declarationText(observer, tokensMax[observer.tier]?.max_tokens ?? 0));
  }
  await writeLines(recordings, recordingLines(samples));
  return { declarations, recordings };
}

async function tokensMaxBySettings(root: string): Promise<Readonly<Record<string, { readonly max_tokens: number }>>> {
  const model = await readFile(join(root, 'samples', 'model.json'), 'utf8');
  return (JSON.parse(model) as { readonly settings: Readonly<Record<string, { readonly max_tokens: number }>> }).settings;
}

/** A declaration as a host writes it. */
const declarationText = ({ id, prompt, tier, subscriptions }: Observer, outputTokensMax: number): string =>
  `id: ${id}
version: 1
role: standard
tier: ${tier}
subscriptions:
${subscriptions.map((subject) => `  - ${subject}`).join('\n')}
contract: stream.thought.output.observation@1
prompt: ../prompts/${prompt}
outputPrivacy: public
limits: { outputTokensMax: ${outputTokensMax}, generationMs: 60000 }
enabled: true
`;
