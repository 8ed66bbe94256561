import type { DiagnosticClass } from '@emend/contracts';

interface FailureRow {
  readonly class: DiagnosticClass;
  readonly sentence: string;
}

/** Why no sandbox can be had on this machine. A service that meets one of these takes no work. */
export const unavailableCodes = {
  platform_unsupported: 'Namespaces and seccomp are of Linux alone.',
  thread_unsupported: 'Workers are started by the main thread alone: one dies with the thread that started it.',
  architecture_unsupported: 'There is a filter for x64 and one for arm64, and none for this machine.',
  bubblewrap_missing: 'No bwrap was found.',
  bubblewrap_setuid: 'The bwrap that was found is setuid: it would be root towards the host before it gives that up.',
  prlimit_missing: 'No prlimit was found: it comes with util-linux.',
  node_unreadable: 'The binary of the running Node is gone from its place, or cannot be read.',
  libraries_unreadable: 'ldd did not say which libraries the running Node needs, or one of them cannot be read.',
  bundle_missing: 'The worker file was not built, or cannot be read.',
  bundle_unfit: 'The worker file is larger than a worker may be.',
  spawn_refused: 'The system refused to start any worker at all.',
  canary_silent: 'The canary did not come up: bubblewrap was refused its namespaces, or Node did not start inside.',
  canary_escaped: 'The canary could do what no worker may: see the misses.',
} as const;
export type UnavailableCode = keyof typeof unavailableCodes;

/** The run failed before a prompt left this process, for a cause that is not the prompt: nothing was generated. */
export const notStartedCodes = {
  sandbox_not_started: { class: 'sandbox', sentence: 'The worker never said hello, and nothing was asked upstream.' },
} as const satisfies Readonly<Record<string, FailureRow>>;
export type NotStartedCode = keyof typeof notStartedCodes;

/** The run ended without a text of its own. A generation may have taken place; it is not tried again. */
export const runFailedCodes = {
  worker_ended_early: { class: 'sandbox', sentence: 'The worker ended, or closed its channel, before its result.' },
  worker_hung: { class: 'broker', sentence: 'The worker was silent when it was its turn.' },
  worker_output_too_large: { class: 'sandbox', sentence: 'The worker wrote more to its output streams than the bound.' },
  frame_too_large: { class: 'broker', sentence: 'A header announced more bytes than the worker was given.' },
  frame_unreadable: { class: 'broker', sentence: 'A frame is no JSON, or no message of the protocol.' },
  frame_unexpected: { class: 'broker', sentence: 'A message out of its turn.' },
  frames_too_many: { class: 'broker', sentence: 'The worker sent more frames than a run can need.' },
  prompt_mismatch: { class: 'broker', sentence: 'The messages hash to another prompt than the one the run was started for.' },
  result_differs: { class: 'broker', sentence: 'The result is not the text that the worker was given.' },
  answer_over_bound: { class: 'too_large', sentence: 'The text of the answer passed its bound.' },
  run_deadline_passed: { class: 'timeout', sentence: 'The provider call did not end within its time.' },
  provider_call_threw: { class: 'process', sentence: 'The provider call threw: a bug.' },
  run_cancelled: { class: 'cancelled', sentence: 'The caller gave up on the run.' },
} as const satisfies Readonly<Record<string, FailureRow>>;
export type RunFailedCode = keyof typeof runFailedCodes;

/** What ends a run whose answers are played, for demos and tests. */
export const playerFailedCodes = {
  recording_missing: { class: 'configuration', sentence: 'The recorded player has no generation of this prompt in this tier.' },
} as const satisfies Readonly<Record<string, FailureRow>>;
export type PlayerFailedCode = keyof typeof playerFailedCodes;

/** What a worker hears instead of a generation. */
export const refusedCodes = {
  generation_already_used: 'One run has one generation, and it was asked for already.',
} as const;
export type RefusedCode = keyof typeof refusedCodes;
