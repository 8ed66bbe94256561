import { compileContract, compileSchema, encodeOutputRepairEvent, observation, type OutputRepairEvent } from '@emend/contracts';
import type { Model, ModelAnswer } from '@emend/model';
import { completionProtocol, type Invocation, ringOne } from '@emend/overseer';
import { type Comparison, measure } from '../measure.js';
import { type BenchOptions, type Verdict, verdictOf } from '../report.js';
import { answers, schema } from './answers.js';
import { type CallComparison, medianCallVerdict, request } from './medianCall.js';

const rounds = 5;
const validCalls = 20_000;
const overseenCalls = 3_000;

/** What ring 1 costs a call whose model answers at once. Prints one row a figure, as it comes. */
export async function benchOverseer({ only, say }: BenchOptions): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  const add = (verdict: Verdict): void => {
    verdicts.push(verdict);
    say(verdict.line);
  };
  const valid = validComparison();
  if (valid.name.includes(only)) add(verdictOf(await measure(valid, rounds)));
  for (const comparison of traceComparisons()) if (comparison.name.includes(only)) add(await medianCallVerdict(comparison));
  return verdicts;
}

function validComparison(): Comparison {
  const check = compileSchema(schema, 'bench');
  const work = (): Promise<number> => {
    for (let call = 0; call < validCalls; call += 1) {
      if (check(JSON.parse(answerAt(call))).length > 0) throw new Error('every answer is valid');
    }
    return Promise.resolve(validCalls);
  };
  return {
    name: 'valid answer of 1 to 4 KB: decoder, protocol, decorator',
    unit: 'answers',
    bar: 0.5,
    calibration: { name: 'JSON.parse, compiled ajv check', work },
    subject: { name: 'ring 1', work: () => exactCalls(ring(answerAt)) },
  };
}

/** With a sink that encodes every event, as a publisher does. A valid answer tells nothing; one that is overseen tells two events. */
function traceComparisons(): readonly CallComparison[] {
  const broken = (call: number): string => answerAt(call).replace('0.8', '"high"');
  const rows = [
    { name: 'call with the trace, valid answer', text: answerAt, calls: validCalls, obtained: 'exact' },
    { name: 'call with the trace, overseen answer', text: broken, calls: overseenCalls, obtained: 'overseen' },
  ] as const;
  return rows.map(({ text, ...row }) => ({ ...row, without: ring(text), withTrace: ring(text, encoded) }));
}

const answerAt = (call: number): string => answers[call % answers.length] ?? '';

const protocol = completionProtocol(compileContract(observation));

function encoded(event: OutputRepairEvent): void {
  const { bytes } = encodeOutputRepairEvent(event, { producer: 'bench', time: '2026-01-02T03:04:05.678Z' });
  if (bytes.length === 0) throw new Error('an event has a body');
}

function ring(textOf: (call: number) => string, trace?: (event: OutputRepairEvent) => void): Invocation {
  let [asked, repaired] = [0, 0];
  return ringOne({
    role: 'standard',
    protocol,
    trace,
    model: instant(() => textOf(asked++)),
    repairModel: instant(() => `{"repaired_arguments":${answerAt(repaired++)}}`),
  });
}

const usage = { promptTokens: 1, completionTokens: 1 };

function instant(text: () => string): Model {
  return {
    identity: { provider: 'bench', model: 'instant', executionAdapter: 'instant@1', catalog: { digest: '', generation: 1 } },
    generate: (): Promise<ModelAnswer> => Promise.resolve({ kind: 'generated', text: text(), finishReason: 'stop', usage }),
  };
}

async function exactCalls(invocation: Invocation): Promise<number> {
  for (let call = 0; call < validCalls; call += 1) {
    const { turn } = await invocation.invoke(request);
    if (turn.kind !== 'completed' || turn.obtained !== 'exact') throw new Error('every answer is valid');
  }
  return validCalls;
}
