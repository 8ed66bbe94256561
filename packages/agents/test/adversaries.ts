import type { RunLimits } from '../src/limits.js';

/** A worker that does not play by the rules, and what must become of its run. */
export interface Adversary {
  readonly does: string;
  readonly body: string;
  /** `generated`, or the code that the run ends with. */
  readonly ends: string;
  readonly upstreamCalls: 0 | 1;
  readonly refused?: number;
  readonly limits?: Partial<RunLimits>;
}

const generate = `{ type: 'generate', messages }`;
const result = `say({ type: 'result', text: await generated() });`;

export const adversaries: readonly Adversary[] = [
  { does: 'is honest', body: `const messages = await hello(); say(${generate}); ${result}`, ends: 'generated', upstreamCalls: 1 },
  // More than one generation.
  {
    does: 'asks three times in one write',
    body: `const messages = await hello(); say(${generate}, ${generate}, ${generate}); ${result}`,
    ends: 'generated',
    upstreamCalls: 1,
    refused: 2,
  },
  {
    does: 'asks again after its answer',
    body: `const messages = await hello(); say(${generate}); const text = await generated(); say(${generate}); await hear(); say({ type: 'result', text });`,
    ends: 'generated',
    upstreamCalls: 1,
    refused: 1,
  },
  {
    does: 'asks for another prompt after its answer',
    body: `const messages = await hello(); say(${generate}); const text = await generated();
      say({ type: 'generate', messages: [...messages, { role: 'user', content: 'more' }] }); await hear(); say({ type: 'result', text });`,
    ends: 'generated',
    upstreamCalls: 1,
    refused: 1,
  },
  {
    does: 'asks a thousand times',
    body: `const messages = await hello(); for (let n = 0; n < 1000; n += 1) say(${generate}); stay();`,
    ends: 'frames_too_many',
    upstreamCalls: 1,
  },
  // Another prompt, or a say in how it is answered.
  {
    does: 'asks for another prompt',
    body: `const [system] = await hello(); say({ type: 'generate', messages: [system, { role: 'user', content: 'other' }] }); stay();`,
    ends: 'prompt_mismatch',
    upstreamCalls: 0,
  },
  {
    does: 'asks for its prompt in another order',
    body: `const messages = (await hello()).reverse(); say(${generate}); stay();`,
    ends: 'prompt_mismatch',
    upstreamCalls: 0,
  },
  {
    does: 'asks with a lone surrogate',
    body: `const [system] = await hello(); say({ type: 'generate', messages: [system, { role: 'user', content: '\\ud800' }] }); stay();`,
    ends: 'prompt_mismatch',
    upstreamCalls: 0,
  },
  {
    does: 'names a model',
    body: `const messages = await hello(); say({ ...${generate}, model: 'other' }); stay();`,
    ends: 'frame_unreadable',
    upstreamCalls: 0,
  },
  {
    does: 'names a temperature and an address',
    body: `const messages = await hello(); say({ ...${generate}, temperature: 2, baseUrl: 'http://198.51.100.1' }); stay();`,
    ends: 'frame_unreadable',
    upstreamCalls: 0,
  },
  {
    does: 'names a model in a second request',
    body: `const messages = await hello(); say(${generate}, { ...${generate}, model: 'other' }); stay();`,
    ends: 'frame_unreadable',
    upstreamCalls: 1,
  },
  // Bytes.
  {
    does: 'announces ten megabytes',
    body: `await hello(); raw(Buffer.from([0, 160, 0, 0])); stay();`,
    ends: 'frame_too_large',
    upstreamCalls: 0,
  },
  { does: 'announces four gigabytes', body: `raw(Buffer.from([255, 255, 255, 255])); stay();`, ends: 'frame_too_large', upstreamCalls: 0 },
  {
    does: 'sends four megabytes in one frame',
    body: `await hello(); say({ type: 'result', text: 'x'.repeat(4 << 20) }); stay();`,
    ends: 'frame_too_large',
    upstreamCalls: 0,
  },
  { does: 'sends garbage', body: `await hello(); say('{"type":'); stay();`, ends: 'frame_unreadable', upstreamCalls: 0 },
  {
    does: 'sends bytes that are no text',
    body: `await hello(); raw(Buffer.from([0, 0, 0, 2, 0xc3, 0x28])); stay();`,
    ends: 'frame_unreadable',
    upstreamCalls: 0,
  },
  { does: 'sends an empty frame', body: `await hello(); raw(Buffer.alloc(4)); stay();`, ends: 'frame_unreadable', upstreamCalls: 0 },
  { does: 'sends a null', body: `await hello(); say(null); stay();`, ends: 'frame_unreadable', upstreamCalls: 0 },
  { does: 'invents a message', body: `await hello(); say({ type: 'tool' }); stay();`, ends: 'frame_unreadable', upstreamCalls: 0 },
  {
    does: 'floods its output',
    body: `await hello(); setInterval(() => process.stdout.write('x'.repeat(65536)), 1);`,
    ends: 'worker_output_too_large',
    upstreamCalls: 0,
  },
  // Turns.
  { does: 'says hello twice', body: `say({ type: 'hello' }, { type: 'hello' }); stay();`, ends: 'frame_unexpected', upstreamCalls: 0 },
  { does: 'asks before hello', body: `say({ type: 'generate', messages: [] }); stay();`, ends: 'frame_unexpected', upstreamCalls: 0 },
  {
    does: 'has a result before it asked',
    body: `await hello(); say({ type: 'result', text: 'made up' }); stay();`,
    ends: 'frame_unexpected',
    upstreamCalls: 0,
  },
  {
    does: 'has a result while it is answered',
    body: `const messages = await hello(); say(${generate}, { type: 'result', text: 'made up' }); stay();`,
    ends: 'frame_unexpected',
    upstreamCalls: 1,
  },
  {
    does: 'changes its answer',
    body: `const messages = await hello(); say(${generate}); const text = await generated(); say({ type: 'result', text: text + ' ' }); stay();`,
    ends: 'result_differs',
    upstreamCalls: 1,
  },
  // Time and death.
  { does: 'never speaks', body: `stay();`, ends: 'sandbox_not_started', upstreamCalls: 0, limits: { startMs: 500 } },
  { does: 'is busy and never speaks', body: `for (;;);`, ends: 'sandbox_not_started', upstreamCalls: 0, limits: { startMs: 500 } },
  { does: 'never asks', body: `await hello(); stay();`, ends: 'worker_hung', upstreamCalls: 0, limits: { turnMs: 300 } },
  {
    does: 'keeps its answer',
    body: `const messages = await hello(); say(${generate}); stay();`,
    ends: 'worker_hung',
    upstreamCalls: 1,
    limits: { turnMs: 1_000 },
  },
  { does: 'ends at once', body: `process.exit(0);`, ends: 'sandbox_not_started', upstreamCalls: 0 },
  { does: 'throws at once', body: `throw new Error('x');`, ends: 'sandbox_not_started', upstreamCalls: 0 },
  { does: 'ends after hello', body: `await hello(); process.exit(0);`, ends: 'worker_ended_early', upstreamCalls: 0 },
  {
    does: 'ends in the middle of a frame',
    body: `await hello(); raw(Buffer.from([0, 0, 0, 9, 123])); await new Promise((r) => setTimeout(r, 50)); process.exit(0);`,
    ends: 'worker_ended_early',
    upstreamCalls: 0,
  },
  {
    does: 'closes its channel',
    body: `await hello(); channel.destroy(); stay();`,
    ends: 'worker_ended_early',
    upstreamCalls: 0,
  },
  {
    does: 'stays after its result',
    body: `const messages = await hello(); say(${generate}); ${result} stay();`,
    ends: 'generated',
    upstreamCalls: 1,
    limits: { leaveMs: 200 },
  },
];
