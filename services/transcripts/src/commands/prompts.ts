import { parseArgs } from 'node:util';
import { loadConfig, WrongUse } from '@emend/runtime';
import { promptFilesInForce, promptsInForce } from '../adapters/promptFiles.js';
import { transcriptsConfig } from '../config.js';
import { TranscriptsError } from '../errors.js';
import { promptTable } from '../prompts.js';
import type { Out } from './out.js';

/** `prompts list|show|diff`: which prompts are in force, and what an operator's folder changes. */
export async function promptsCommand(args: readonly string[], env: NodeJS.ProcessEnv, out: Out): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false } },
  });
  const [verb, name, ...more] = positionals;
  if (more.length > 0 || (name === undefined) !== (verb !== 'show')) throw new WrongUse();
  const { promptsDir } = loadConfig(transcriptsConfig, env);
  const [shipped, inForce] = [await promptFilesInForce(undefined), await promptFilesInForce(promptsDir)];
  const say = (value: unknown, text: string): void => out.say(values.json ? JSON.stringify(value) : text);
  switch (verb) {
    case 'list': {
      await promptsInForce(promptsDir);
      const all = [...inForce.keys()].sort().map((one) => ({
        name: one,
        replaced: shipped.get(one) !== inForce.get(one),
        fragment: !Object.hasOwn(promptTable, one),
      }));
      say(all, all.map(lineOf).join('\n'));
      return 0;
    }
    case 'show': {
      const text = inForce.get(name ?? '');
      if (text === undefined) throw new TranscriptsError('prompt_unknown', [name ?? '']);
      say({ name, text }, text);
      return 0;
    }
    case 'diff': {
      const replaced = [...inForce].filter(([one, text]) => shipped.get(one) !== text).sort(([a], [b]) => (a < b ? -1 : 1));
      const changes = replaced.map(([one, after]) => ({ name: one, before: shipped.get(one) ?? '', after }));
      say(changes, changes.map(differenceText).join('\n') || 'every prompt is as it ships');
      return 0;
    }
    default:
      throw new WrongUse();
  }
}

interface Listed {
  readonly name: string;
  readonly replaced: boolean;
  readonly fragment: boolean;
}
const lineOf = ({ name, replaced, fragment }: Listed): string =>
  `${replaced ? 'replaced' : 'shipped '}  ${name}${fragment ? ' (fragment)' : ''}`;

const differenceText = ({ name, before, after }: { readonly name: string; readonly before: string; readonly after: string }): string =>
  [`${name}.liquid`, ...linesOf(before, after, '-'), ...linesOf(after, before, '+')].join('\n');
const linesOf = (text: string, other: string, mark: string): readonly string[] => {
  const others = new Set(other.split('\n'));
  return text
    .split('\n')
    .filter((line) => !others.has(line))
    .map((line) => `${mark} ${line}`);
};
