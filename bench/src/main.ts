import { join } from 'node:path';
import { benchLog } from './log/bench.js';
import { tableHead, type Verdict } from './report.js';

const benches: Readonly<Record<string, (root: string, say: (line: string) => void) => Promise<readonly Verdict[]>>> = { log: benchLog };

const [name = '', ...flags] = process.argv.slice(2);
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (bench === undefined) {
  process.stderr.write(`usage: npm run bench -- ${Object.keys(benches).join('|')} [--ci]\n`);
  process.exitCode = 2;
} else {
  say(`five rounds, calibration and subject in turn; medians and the spread of the rounds' ratios\n\n${tableHead}`);
  const verdicts = await bench(join(import.meta.dirname, '..', '..'), say);
  const failing = verdicts.filter((verdict) => (flags.includes('--ci') ? verdict.failsCi : verdict.missed));
  say(`\n${verdicts.length} figures, ${verdicts.filter(({ missed }) => missed).length} bars missed`);
  process.exitCode = failing.length > 0 ? 1 : 0;
}
