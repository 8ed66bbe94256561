import { join } from 'node:path';
import { runDemo } from './demo.js';
import { readJudgments } from './judgments.js';
import { readSamples } from './samples.js';
import { storyText } from './storyText.js';

const root = join(import.meta.dirname, '..', '..');
const stay = process.argv.includes('--stay');
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Folders of the demo's own, because it empties them; one that stays up is left alone by one that does not. */
const dataDir = join(root, '.emend', stay ? 'live' : 'demo');

try {
  const story = await runDemo({
    root,
    dataDir,
    env: process.env,
    samples: await readSamples(join(root, 'samples')),
    judgments: await readJudgments(join(root, 'demo', 'judgments.json')),
    say,
  });
  say(storyText(story));
  if (stay) await untilStopped(story.stack.url);
  await story.stack.stop();
} catch (error) {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : 'failed'}\n`);
  process.stderr.write(`what the services said is in ${join(dataDir, 'logs')}\n`);
  process.exitCode = 1;
}

async function untilStopped(url: string): Promise<void> {
  say(`\nup on ${url}; Ctrl-C stops it. In another terminal:\n  EMEND_DATA=.emend/live npm run emend -- status`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}
