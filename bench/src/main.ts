import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchDecoder } from './decoder/bench.js';
import { benchLog } from './log/bench.js';
import { benchOverseer } from './overseer/bench.js';
import { type BenchOptions, tableHead, type Verdict } from './report.js';
import { benchRunner } from './runner/bench.js';
import { benchSandbox } from './sandbox/bench.js';
import { benchTranscripts } from './transcripts/bench.js';

const benches: Readonly<Record<string, (options: BenchOptions) => Promise<readonly Verdict[]>>> = {
  log: benchLog,
  sandbox: benchSandbox,
  runner: benchRunner,
  decoder: benchDecoder,
  overseer: benchOverseer,
  transcripts: benchTranscripts,
};

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: { ci: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
});
const [name = ''] = positionals;
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (bench === undefined) {
  process.stderr.write(`usage: npm run bench -- ${Object.keys(benches).join('|')} [--ci] [--only WORDS]\n`);
  process.exitCode = 2;
} else {
  say(`five rounds, calibration and subject in turn; medians and the spread of the rounds' ratios\n\n${tableHead}`);
  const verdicts = await bench({ root: join(import.meta.dirname, '..', '..'), only: flags.only, say });
  const failing = verdicts.filter((verdict) => (flags.ci ? verdict.failsCi : verdict.missed));
  say(`\n${verdicts.length} figures, ${verdicts.filter(({ missed }) => missed).length} bars missed`);
  process.exitCode = failing.length > 0 ? 1 : 0;
}
