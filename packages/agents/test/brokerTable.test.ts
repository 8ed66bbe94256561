import { describe, expect, test } from 'vitest';
import { type BrokerInput, type BrokerState, stepBroker } from '../src/broker/brokerTable.js';

const states: readonly BrokerState[] = ['starting', 'ready', 'generating', 'generated', 'ended'];

/** Each input with what it does in each state: `next:action`, or the code that breaks the run off. */
const table: Readonly<Record<BrokerInput, readonly string[]>> = {
  hello: ['ready:send_context', 'frame_unexpected', 'frame_unexpected', 'frame_unexpected', 'nothing'],
  generate: ['frame_unexpected', 'generating:call_provider', 'generating:refuse', 'generated:refuse', 'nothing'],
  generate_other: ['frame_unexpected', 'prompt_mismatch', 'generating:refuse', 'generated:refuse', 'nothing'],
  result: ['frame_unexpected', 'frame_unexpected', 'frame_unexpected', 'ended:end_with_answer', 'nothing'],
  result_other: ['frame_unexpected', 'frame_unexpected', 'frame_unexpected', 'result_differs', 'nothing'],
  unreadable: ['frame_unreadable', 'frame_unreadable', 'frame_unreadable', 'frame_unreadable', 'nothing'],
  answered: ['frame_unexpected', 'frame_unexpected', 'generated:send_answer', 'frame_unexpected', 'nothing'],
  unanswered: ['frame_unexpected', 'frame_unexpected', 'ended:end_with_refusal', 'frame_unexpected', 'nothing'],
  channel_closed: ['worker_ended_early', 'worker_ended_early', 'worker_ended_early', 'worker_ended_early', 'nothing'],
  time_passed: ['worker_hung', 'worker_hung', 'run_deadline_passed', 'worker_hung', 'nothing'],
};

const rows = Object.entries(table).flatMap(([input, cells]) =>
  cells.map((cell, index) => ({ input: input as BrokerInput, state: states[index] as BrokerState, cell })),
);

describe('the table of the broker', () => {
  test.each(rows)('$input in $state: $cell', ({ input, state, cell }) => {
    const step = stepBroker(state, input);
    const said = step.action.kind === 'break_off' ? step.action.code : `${step.state}:${step.action.kind}`;
    expect(said).toBe(cell === 'nothing' ? 'ended:nothing' : cell);
    if (step.action.kind === 'break_off') expect(step.state).toBe('ended');
  });

  test('no path of any inputs calls the provider twice', () => {
    const inputs = Object.keys(table) as BrokerInput[];
    const most = (state: BrokerState, calls: number, depth: number): number => {
      if (depth === 0 || state === 'ended') return calls;
      return Math.max(
        ...inputs.map((input) => {
          const step = stepBroker(state, input);
          return most(step.state, calls + (step.action.kind === 'call_provider' ? 1 : 0), depth - 1);
        }),
      );
    };
    expect(most('starting', 0, 6)).toBe(1);
  });
});
