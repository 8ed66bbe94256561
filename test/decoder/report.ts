import type { Tally } from './tally.js';

export interface Sums {
  readonly ours: Tally;
  readonly one: Tally;
  readonly two: Tally;
  /** Ours, of the specimens that the others read too. */
  readonly shared: Tally;
  readonly peers: Map<string, Tally>;
  readonly byFault: Map<string, Tally>;
  /** The most steps for a byte, beyond the thousand that any text may take. */
  worstSteps: number;
}

const share = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;

const row = (name: string, tally: Tally): string => {
  const { specimens, exact, silentlyWrong, wrong } = tally;
  const none = specimens - exact - silentlyWrong - wrong;
  return `| ${name} | ${specimens} | ${share(exact, specimens)} | ${share(none, specimens)} | ${share(wrong, specimens)} | ${silentlyWrong} (${share(silentlyWrong, specimens)}) |`;
};

const head = [
  '| | texts | the original value | no value | another value, refused by the contract | another value, accepted: silently wrong |',
  '| --- | --- | --- | --- | --- | --- |',
].join('\n');

/** The page that `EMEND_WRITE=1 npm run test:decoder` writes. */
export function reportOf(sums: Sums, decoder: string): string {
  const faults = [...sums.byFault].toSorted(([a], [b]) => a.localeCompare(b));
  return `# Generated faults

Written by \`EMEND_WRITE=1 npm run test:decoder\`; the decoder is ${decoder}. The faults are those of \`test/support/faulty/faults.ts\`, which knows
nothing of the decoder. A text that is still a valid document of its contract is not malformed and was drawn again.

## All texts

${head}
${row('one fault', sums.one)}
${row('two faults', sums.two)}
${row('all', sums.ours)}

The most work for one text: ${sums.worstSteps.toFixed(1)} steps a byte.

## The texts that other libraries read too

${head}
${row('Emend', sums.shared)}
${[...sums.peers].map(([name, tally]) => row(name, tally)).join('\n')}

## One fault, by its name

| fault | texts | the original value | no value | another value |
| --- | --- | --- | --- | --- |
${faults.map(([name, { specimens, exact, silentlyWrong, wrong }]) => `| ${name} | ${specimens} | ${exact} | ${specimens - exact - silentlyWrong - wrong} | ${silentlyWrong + wrong} |`).join('\n')}
`;
}
