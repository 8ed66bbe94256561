import type { Duplex } from 'node:stream';
import type { RefusedCode, RunFailedCode } from '../failureCodes.js';
import { frameSlackBytes, generationGraceMs, type RunLimits } from '../limits.js';
import type { PromptMessages } from '../prompt.js';
import { type BrokerInput, type BrokerState, stepBroker } from './brokerTable.js';
import { encodeFrame, FrameReader } from './framing.js';
import type { ParentMessage } from './messages.js';
import type { CallProvider, RunTimers, Upstream } from './upstream.js';
import { readWorkerMessage } from './workerMessages.js';

/** Counts of one run, for logs and tests: no text. */
export interface BrokerCounts {
  readonly upstreamCalls: number;
  readonly refused: number;
  readonly frames: number;
  /** Whether the worker ever said hello: proof that it ran. */
  readonly started: boolean;
}

export type BrokerEnd<Failed extends string, NotGenerated extends string> = BrokerCounts & {
  readonly end: Upstream<Failed, NotGenerated> | { readonly kind: 'broken_off'; readonly code: RunFailedCode };
};

export interface BrokerOptions<Failed extends string, NotGenerated extends string> {
  /** The parent's end of the channel that the worker inherited. */
  readonly channel: Duplex;
  readonly messages: PromptMessages;
  readonly promptHash: string;
  readonly callProvider: CallProvider<Failed, NotGenerated>;
  readonly limits: RunLimits;
  readonly timers: RunTimers;
}

/** Speaks with one worker, once. It never throws and it ends within the sum of its limits. */
export class SingleRunBroker<Failed extends string, NotGenerated extends string> {
  readonly #options: BrokerOptions<Failed, NotGenerated>;
  readonly #upstreamAbort = new AbortController();
  readonly #frames: FrameReader;
  #state: BrokerState = 'starting';
  #started = false;
  #upstream: Upstream<Failed, NotGenerated> | null = null;
  #upstreamCalls = 0;
  #refused = 0;
  #framesRead = 0;
  /** Of the largest frame that the worker was sent: it has nothing longer to say than what it heard. */
  #sentBytes = 0;
  #cancelTimer = (): void => {};
  #resolve: (end: BrokerEnd<Failed, NotGenerated>) => void = () => {};

  readonly ended: Promise<BrokerEnd<Failed, NotGenerated>>;

  constructor(options: BrokerOptions<Failed, NotGenerated>) {
    this.#options = options;
    this.#frames = new FrameReader(() => this.#sentBytes + frameSlackBytes);
    this.ended = new Promise((resolve) => (this.#resolve = resolve));
    const { channel } = options;
    channel.on('data', (chunk: Buffer) => this.#read(chunk));
    channel.on('end', () => this.#take('channel_closed'));
    channel.on('close', () => this.#take('channel_closed'));
    // A worker that is gone resets the channel; its close says the same.
    channel.on('error', () => this.#take('channel_closed'));
    this.#waitIn('starting');
  }

  /** Ends the run with a cause from outside: a caller that gave up, a worker that flooded its output. */
  breakOff(code: RunFailedCode): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#end({ kind: 'broken_off', code });
  }

  #read(chunk: Buffer): void {
    if (this.#state === 'ended') return;
    const { messages, breach } = this.#frames.push(chunk);
    for (const message of messages) {
      this.#framesRead += 1;
      if (this.#framesRead > this.#options.limits.framesMax) return this.breakOff('frames_too_many');
      const answer = this.#upstream?.kind === 'generated' ? this.#upstream.text : null;
      this.#take(readWorkerMessage(message, { promptHash: this.#options.promptHash, answer }));
    }
    if (breach !== null) this.breakOff(breach);
  }

  /** The state is the new one before anything happens: a second request in the same chunk meets it. */
  #take(input: BrokerInput): void {
    const before = this.#state;
    const { state, action } = stepBroker(before, input);
    this.#state = state;
    if (state !== before && state !== 'ended') this.#waitIn(state);
    switch (action.kind) {
      case 'send_context':
        this.#started = true;
        return this.#send({ type: 'context', messages: this.#options.messages });
      case 'call_provider':
        return this.#callProvider();
      case 'send_answer':
        return this.#send({ type: 'generated', text: this.#upstream?.kind === 'generated' ? this.#upstream.text : '' });
      case 'refuse':
        this.#refused += 1;
        return this.#send({ type: 'refused', code: 'generation_already_used' satisfies RefusedCode });
      case 'end_with_answer':
      case 'end_with_refusal':
        return this.#end(this.#upstream ?? { kind: 'broken_off', code: 'frame_unexpected' });
      case 'break_off':
        return this.#end({ kind: 'broken_off', code: action.code });
      case 'nothing':
    }
  }

  #callProvider(): void {
    this.#upstreamCalls += 1;
    // Inside a promise, so that a call that throws at once is caught as one that throws later.
    void new Promise<Upstream<Failed, NotGenerated>>((resolve) => resolve(this.#options.callProvider(this.#upstreamAbort.signal))).then(
      (upstream) => this.#answered(upstream),
      // What it threw may quote the prompt: the code is all that is kept.
      () => this.breakOff('provider_call_threw'),
    );
  }

  #answered(upstream: Upstream<Failed, NotGenerated>): void {
    if (this.#state !== 'generating') return;
    if (upstream.kind === 'generated' && Buffer.byteLength(upstream.text) > this.#options.limits.answerBytesMax) {
      return this.breakOff('answer_over_bound');
    }
    this.#upstream = upstream;
    this.#take(upstream.kind === 'generated' ? 'answered' : 'unanswered');
  }

  #send(message: ParentMessage): void {
    const frame = encodeFrame(message);
    this.#sentBytes = Math.max(this.#sentBytes, frame.length);
    this.#options.channel.write(frame);
  }

  /** One clock: the time that the state in hand may take. */
  #waitIn(state: Exclude<BrokerState, 'ended'>): void {
    const { startMs, turnMs, generationMs } = this.#options.limits;
    const ms = { starting: startMs, ready: turnMs, generating: generationMs + generationGraceMs, generated: turnMs }[state];
    this.#cancelTimer();
    this.#cancelTimer = this.#options.timers.after(ms, () => this.#take('time_passed'));
  }

  #end(end: BrokerEnd<Failed, NotGenerated>['end']): void {
    this.#cancelTimer();
    this.#upstreamAbort.abort();
    this.#resolve({ end, upstreamCalls: this.#upstreamCalls, refused: this.#refused, frames: this.#framesRead, started: this.#started });
  }
}
