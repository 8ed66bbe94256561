import { compileSchema } from '@emend/contracts';
import { type Decoded, decoder } from '@emend/overseer';
import { type Comparison, measure } from '../measure.js';
import { type BenchOptions, type Verdict, verdictOf } from '../report.js';
import { hostileName, hostileVerdict } from './hostile.js';
import { loadPeers, type Peers } from './peers.js';
import { type Workload, withoutCommas, workload } from './workload.js';

const rounds = 5;

/** The speed of the decoder beside what others use for the same text. */
export async function benchDecoder({ root, only, say }: BenchOptions): Promise<readonly Verdict[]> {
  const peers = await loadPeers(root);
  const verdicts: Verdict[] = [];
  const add = (verdict: Verdict): void => {
    verdicts.push(verdict);
    say(verdict.line);
  };
  for (const comparison of comparisons(peers).filter(({ name }) => name.includes(only))) add(verdictOf(await measure(comparison, rounds)));
  if (hostileName.includes(only)) add(hostileVerdict(workload(65_536), rounds));
  return verdicts;
}

function comparisons(peers: Peers): readonly Comparison[] {
  const small = workload(2_048);
  const large = workload(50_000);
  const broken = withoutCommas(large);
  return [
    exactAgainstParse('a valid answer of 2 KB', small, 2_000),
    againstJsonrepair('a valid 50 kB', peers, large, large.text, 'exact'),
    againstJsonrepair('50 kB without every fiftieth comma', peers, large, broken, 'repaired'),
    againstJsonrepair('50 kB in a fence', peers, large, `\`\`\`json\n${large.text}\n\`\`\``, 'repaired'),
    ...['partial-json', 'AI SDK parsePartialJson'].map((name) => besidePeer(name, peers, large, broken)),
  ];
}

/** The rate is at least half of JSON.parse and a compiled validator: what a caller would do without us. */
function exactAgainstParse(name: string, { schema, text }: Workload, times: number): Comparison {
  const check = compileSchema(schema, 'bench');
  return {
    name,
    bar: 0.5,
    unit: 'texts',
    calibration: { name: 'JSON.parse and ajv', work: async () => repeat(times, () => check(JSON.parse(text))) },
    subject: decodes({ schema, text }, text, 'exact', times),
  };
}

function againstJsonrepair(name: string, peers: Peers, valid: Workload, text: string, status: Decoded['status']): Comparison {
  return { name, bar: 0.5, unit: 'texts', calibration: reads('jsonrepair', peers, text), subject: decodes(valid, text, status, 100) };
}

/** For the table; the bar is jsonrepair's. */
const besidePeer = (peer: string, peers: Peers, valid: Workload, broken: string): Comparison => ({
  name: `50 kB without every fiftieth comma, beside ${peer}`,
  bar: 0,
  unit: 'texts',
  calibration: reads(peer, peers, broken),
  subject: decodes(valid, broken, 'repaired', 100),
});

function reads(peer: string, peers: Peers, text: string): Comparison['calibration'] {
  const read = peers[peer];
  if (read === undefined) throw new Error(`${peer} is not among the peers`);
  return { name: peer, work: async () => repeat(100, () => orNothing(() => read(text))) };
}

function orNothing(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Decodes again and again, having looked once that the text is read as it should be. */
function decodes({ schema, text: valid }: Workload, text: string, status: Decoded['status'], times: number): Comparison['subject'] {
  const { decode } = decoder({ schema });
  const decoded = decode(text, 'stop');
  const right = (decoded.status === 'exact' || decoded.status === 'repaired') && JSON.stringify(decoded.value) === valid;
  if (decoded.status !== status || !right) throw new Error(`the text of the bench is ${decoded.status}, not ${status}`);
  return { name: 'decode', work: async () => repeat(times, () => decode(text, 'stop')) };
}

async function repeat(times: number, work: () => unknown): Promise<number> {
  for (let time = 0; time < times; time += 1) {
    const result = work();
    if (result instanceof Promise) await result;
  }
  return times;
}
