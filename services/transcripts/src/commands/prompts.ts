import { loadConfig, WrongUse } from '@emend/runtime';
import { promptFilesInForce, promptsInForce } from '../adapters/promptFiles.js';
import { transcriptsConfig } from '../config.js';
import { TranscriptsError } from '../errors.js';
import { promptTable } from '../prompts.js';
import type { Out } from './out.js';

/** `prompts list|show|diff`: which prompts are in force, and what an operator's folder changes. */
export async function promptsCommand(args: readonly string[], env: NodeJS.ProcessEnv, out: Out): Promise<number> {
  const [verb, name, ...more] = args;
  const { promptsDir } = loadConfig(transcriptsConfig, env);
  const [shipped, inForce] = [await promptFilesInForce(undefined), await promptFilesInForce(promptsDir)];
  if (more.length > 0 || (name !== undefined && verb !== 'show')) throw new WrongUse();
  const isMine = (one: string): boolean => shipped.get(one) !== inForce.get(one);
  switch (verb) {
    case 'list':
      await promptsInForce(promptsDir);
      out.say(
        [...inForce.keys()]
          .sort()
          .map((one) => `${isMine(one) ? 'replaced' : 'shipped '}  ${one}${Object.hasOwn(promptTable, one) ? '' : ' (fragment)'}`)
          .join('\n'),
      );
      return 0;
    case 'show': {
      const text = inForce.get(name ?? '');
      if (text === undefined) throw new TranscriptsError('prompt_unknown', [name ?? '']);
      out.say(text);
      return 0;
    }
    case 'diff':
      out.say(
        [...inForce.keys()]
          .sort()
          .filter(isMine)
          .map((one) => differenceText(one, shipped.get(one) ?? '', inForce.get(one) ?? ''))
          .join('\n') || 'every prompt is as it ships',
      );
      return 0;
    default:
      throw new WrongUse();
  }
}

const differenceText = (name: string, before: string, after: string): string =>
  [`${name}.liquid`, ...linesOf(before, after, '-'), ...linesOf(after, before, '+')].join('\n');
const linesOf = (text: string, other: string, mark: string): readonly string[] => {
  const others = new Set(other.split('\n'));
  return text
    .split('\n')
    .filter((line) => !others.has(line))
    .map((line) => `${mark} ${line}`);
};
