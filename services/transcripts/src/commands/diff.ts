import { parseArgs } from 'node:util';
import { guardIds, loadConfig, sleep, WrongUse } from '@emend/runtime';
import { withBroker } from '../adapters/commandBroker.js';
import { type CorrectedRead, readCorrected } from '../adapters/readCorrected.js';
import { changedSegments, changesHtml, changesText } from '../domain/changes.js';
import { namedTranscript } from '../domain/namedTranscript.js';
import { type Nothing, type NothingCode, nothingToShow } from '../domain/nothingToShow.js';
import { objectsBucket } from '../domain/objectsBucket.js';
import { servingConfig } from '../serviceConfig.js';
import type { Out } from './out.js';

const options = {
  agent: { type: 'string' },
  service: { type: 'string' },
  html: { type: 'boolean', default: false },
  wait: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

/** Attempts that are looked at: as many as the service may be told to make. */
const attemptsMax = 10;

/** What passes by itself while a service is at work. */
const mayStillCome: readonly NothingCode[] = ['not_started', 'in_work', 'run_abandoned', 'not_written_yet'];
const lookAgainMs = 500;

/** There is nothing to show: the same code as `emend` has for what is not there. */
export const nothingExitCode = 4;

/**
 * `diff SOURCE|RUN`: what was changed in a transcript of the log, before and after, with the reason of each change. With `--wait` it looks
 * again until a run has ended, however long that takes.
 */
export async function diffCommand(args: readonly string[], env: NodeJS.ProcessEnv, out: Out): Promise<number> {
  const { values, positionals } = parseArgs({ args: guardIds(args), allowPositionals: true, options });
  const [name, ...more] = positionals;
  const inForce = loadConfig({ agent: servingConfig.agent, producer: servingConfig.producer }, env);
  const agent = /^([A-Za-z0-9_.-]{1,128})@([1-9]\d{0,5})$/.exec(values.agent ?? inForce.agent);
  const producer = values.service ?? inForce.producer;
  const named = name === undefined ? null : namedTranscript(name, producer);
  if (named === null || more.length > 0 || agent === null) throw new WrongUse(usageOfDiff);
  const read = await withBroker(env, async (broker) => {
    const deps = {
      log: broker.log,
      objects: () => broker.objects(objectsBucket),
      producer,
      agent: { id: agent[1] ?? '', version: Number(agent[2]) },
      attemptsMax,
    };
    for (;;) {
      const found = await readCorrected(deps, named);
      if (found.kind === 'corrected' || !values.wait || !mayStillCome.includes(found.code)) return found;
      await sleep(lookAgainMs);
    }
  });
  if (read.kind === 'nothing') return tellNothing(read, values.json, out);
  out.say(values.json ? JSON.stringify(read) : values.html ? pageOf(read) : textOf(read, out.colour));
  return 0;
}

const usageOfDiff = 'diff SOURCE|PRODUCER/REF|RUN [--wait] [--html | --json] [--agent ID@V] [--service NAME]';

function tellNothing(read: Nothing, json: boolean, out: Out): number {
  const { code, place, detail } = read;
  if (json) out.say(JSON.stringify(read));
  else out.complain(`${code}: ${place}${detail === null ? '' : ` (${detail})`}: ${nothingToShow[code]}`);
  return nothingExitCode;
}

const changedIn = ({ before, after, corrections }: CorrectedRead) => changedSegments(before, after, corrections);
const pageOf = (read: CorrectedRead): string => changesHtml(changedIn(read));

function textOf(read: CorrectedRead, colour: boolean): string {
  const { proposed, applied } = read.report;
  return [changesText(changedIn(read), colour), `${applied} of ${proposed} corrections applied`].filter((part) => part !== '').join('\n\n');
}
