import type { RunFailedCode } from '../failureCodes.js';

/** Where one run stands. `ended` is final. */
export type BrokerState = 'starting' | 'ready' | 'generating' | 'generated' | 'ended';

/** What can happen to a run: a worker's message as it was read, an end of the provider call, or a breach. */
export type BrokerInput =
  | 'hello'
  | 'generate'
  | 'generate_other'
  | 'result'
  | 'result_other'
  | 'unreadable'
  | 'answered'
  | 'unanswered'
  | 'channel_closed'
  | 'time_passed';

export type BrokerAction =
  | { readonly kind: 'send_context' | 'call_provider' | 'send_answer' | 'refuse' | 'end_with_answer' | 'end_with_refusal' | 'nothing' }
  | { readonly kind: 'break_off'; readonly code: RunFailedCode };

export interface BrokerStep {
  readonly state: BrokerState;
  readonly action: BrokerAction;
}

const go = (state: BrokerState, kind: Exclude<BrokerAction['kind'], 'break_off'>): BrokerStep => ({ state, action: { kind } });
const breakOff = (code: RunFailedCode): BrokerStep => ({ state: 'ended', action: { kind: 'break_off', code } });

/** What goes on, and how. Everything that is not here breaks the run off: see {@link brokenBy}. */
const moves: Readonly<Record<BrokerState, Partial<Readonly<Record<BrokerInput, BrokerStep>>>>> = {
  starting: {
    hello: go('ready', 'send_context'),
  },
  ready: {
    // The only way to the provider, and it leads out of the only state that it starts from.
    generate: go('generating', 'call_provider'),
    generate_other: breakOff('prompt_mismatch'),
    time_passed: breakOff('worker_hung'),
  },
  generating: {
    generate: go('generating', 'refuse'),
    generate_other: go('generating', 'refuse'),
    answered: go('generated', 'send_answer'),
    unanswered: go('ended', 'end_with_refusal'),
    time_passed: breakOff('run_deadline_passed'),
  },
  generated: {
    generate: go('generated', 'refuse'),
    generate_other: go('generated', 'refuse'),
    result: go('ended', 'end_with_answer'),
    result_other: breakOff('result_differs'),
    time_passed: breakOff('worker_hung'),
  },
  ended: {},
};

const brokenBy: Readonly<Record<BrokerInput, RunFailedCode>> = {
  hello: 'frame_unexpected',
  generate: 'frame_unexpected',
  generate_other: 'frame_unexpected',
  result: 'frame_unexpected',
  result_other: 'frame_unexpected',
  unreadable: 'frame_unreadable',
  answered: 'frame_unexpected',
  unanswered: 'frame_unexpected',
  channel_closed: 'worker_ended_early',
  time_passed: 'worker_hung',
};

/** One move of a run. Pure, and taken before anything is awaited, so that no second request can find the state of the first. */
export function stepBroker(state: BrokerState, input: BrokerInput): BrokerStep {
  if (state === 'ended') return go('ended', 'nothing');
  return moves[state][input] ?? breakOff(brokenBy[input]);
}
