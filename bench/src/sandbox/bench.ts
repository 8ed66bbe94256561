import type { BenchOptions, Verdict } from '../report.js';
import { runsName, runsVerdicts } from './runs.js';
import { startName, startVerdict } from './start.js';

/** What a sandboxed run costs. Prints one row a figure, as it comes. */
export async function benchSandbox({ root, only, say }: BenchOptions): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  const add = (verdict: Verdict): void => {
    verdicts.push(verdict);
    say(verdict.line);
  };
  if (startName.includes(only)) add(await startVerdict(root));
  if (runsName.includes(only)) for (const verdict of await runsVerdicts()) add(verdict);
  return verdicts;
}
