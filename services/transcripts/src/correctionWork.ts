import {
  capturedObjectBytesMax,
  type EventOf,
  type OutputContract,
  readCapturedSegments,
  type SpokenSegment,
  type TranscriptOutput,
} from '@emend/contracts';
import { LogError } from '@emend/log';
import type { AppendDeps, StandardWork, WorkEnd } from '@emend/runs';
import { type ClaimFacts, withoutOutput } from '@emend/runs/decisions';
import { retry, type Timers } from '@emend/runtime';
import { type CorrectDeps, correctTranscript } from './correctTranscript.js';
import { isOf, segmentsOf, type SegmentsOf, transcriptToCorrect } from './domain/capturedTranscript.js';
import type { TranscriptToCorrect, WorkUnit } from './domain/correctedTranscript.js';
import { type Corrected, writeOutput } from './domain/correctedOutput.js';
import { classOfFailure } from './domain/runFailures.js';
import { deriveTranscript } from './deriveTranscript.js';
import type { TranscriptEvents } from './events.js';
import type { ObjectPort } from './ports.js';
import { whileAway } from './whileAway.js';

export interface CorrectionDeps extends AppendDeps {
  readonly correcting: Omit<CorrectDeps, 'signal'>;
  /** Of the output; what does not fit it is never appended. */
  readonly contract: OutputContract;
  readonly claim: ClaimFacts;
  readonly objects: ObjectPort;
  readonly events: TranscriptEvents;
  readonly timers: Timers;
}

/** What this delivery still knows of its own end. */
interface InHand {
  /** Stopped before it was done: somebody else goes on. */
  readonly givenUp: boolean;
}

type Step<Value> = { readonly kind: 'so'; readonly value: Value } | { readonly kind: 'not'; readonly code: string };
const so = <Value>(value: Value): Step<Value> => ({ kind: 'so', value });
const not = (code: string): { readonly kind: 'not'; readonly code: string } => ({ kind: 'not', code });

/** The work on one transcript: what its claim records, what its end says, and the corrected transcript that follows from the end. */
export function correctionWork(deps: CorrectionDeps, source: EventOf<'sourceCaptured'>, signal: AbortSignal): StandardWork<InHand> {
  const one = new OneTranscript(deps, source, signal);
  return {
    claims: () => deps.claim,
    work: (run) => one.work(run),
    afterEnd: async ({ run, end, inHand }) => (inHand?.givenUp ? retry(0, 'given_up') : deriveTranscript(deps, run, end)),
  };
}

class OneTranscript {
  constructor(
    private readonly deps: CorrectionDeps,
    private readonly source: EventOf<'sourceCaptured'>,
    private readonly signal: AbortSignal,
  ) {}

  /** Never rejects but with a fault of the broker that every delivery would meet. */
  async work(run: string): Promise<WorkEnd<InHand>> {
    try {
      const output = await this.#output(run);
      return output.kind === 'so' ? this.#judged(output.value) : this.#failed(output.code);
    } catch (error) {
      if (error instanceof LogError) throw error;
      this.deps.events.workThrew(run, error);
      return this.#failed('work_threw');
    }
  }

  async #output(run: string): Promise<Step<TranscriptOutput>> {
    const where = segmentsOf(this.source.data);
    const segments = where === null ? not('segment_unusable') : await this.#segments(where);
    if (segments.kind === 'not') return segments;
    const transcript = transcriptToCorrect(this.source.data, segments.value);
    if (transcript === null) return not('segment_unusable');
    const corrected = await this.#corrected(run, transcript);
    return corrected.kind === 'not' ? corrected : this.#stored(corrected.value, transcript.language);
  }

  async #segments(where: SegmentsOf): Promise<Step<readonly SpokenSegment[]>> {
    if (where.kind === 'inline') return so(where.segments);
    if (!isOf(where.object, this.source)) return not('object_foreign');
    const { objects, timers } = this.deps;
    const options = { bytesMax: capturedObjectBytesMax, signal: this.signal };
    const read = await whileAway({ signal: this.signal, timers }, () => objects.get(where.object, options));
    if (read === null) return not('given_up');
    if (read.kind === 'refused') return not(read.code);
    const segments = readCapturedSegments(read.bytes);
    return segments === null || segments.length !== where.count ? not('object_unreadable') : so(segments);
  }

  async #corrected(run: string, transcript: TranscriptToCorrect): Promise<Step<Corrected>> {
    const { debug, ...correcting } = this.deps.correcting;
    // One file for all runs: each line says which.
    const ofRun = (at: WorkUnit): WorkUnit & { readonly run: string } => ({ ...at, run });
    const named = debug && { debug: (at: WorkUnit) => debug(ofRun(at)) };
    const end = await correctTranscript({ ...correcting, ...named, signal: this.signal }, transcript);
    switch (end.kind) {
      case 'corrected':
        this.deps.events.corrected(run, end.report);
        return so(end);
      case 'failed':
        this.deps.events.stageFailed(run, end);
        return not(end.code);
      case 'cancelled':
        return not('given_up');
      default:
        return end satisfies never;
    }
  }

  /** What has no room in the end is stored before it. */
  async #stored(corrected: Corrected, language: string | null): Promise<Step<TranscriptOutput>> {
    const written = writeOutput(corrected, language);
    if (written.kind === 'too_large') return not('result_too_large');
    if (written.kind === 'inline') return so(written.output);
    const { objects, timers } = this.deps;
    const object = await whileAway({ signal: this.signal, timers }, () => objects.put(this.source.rootId, written.bytes));
    return object === null ? not('given_up') : so(written.outputWith(object));
  }

  #judged(output: TranscriptOutput): WorkEnd<InHand> {
    const checked = this.deps.contract.check(output);
    if (checked.kind === 'invalid') return this.#failed('result_refused');
    const { proposals, decisions, revisions } = output.report.calls;
    const all = [proposals, decisions, revisions];
    const sum = (of: (one: typeof proposals) => number): number => all.reduce((total, one) => total + of(one), 0);
    return {
      // Put together here from what was accepted, so nothing of it was decoded: what was repaired is in the report, call by call.
      end: {
        kind: 'output',
        output: checked.value,
        completion: 'exact',
        calls: {
          primary: sum(({ calls, transportRetries }) => calls + transportRetries),
          overseer: sum(({ structuralRepairs }) => structuralRepairs),
        },
      },
      code: 'corrected',
      inHand: { givenUp: false },
    };
  }

  #failed(code: string): WorkEnd<InHand> {
    const diagnostic = withoutOutput(classOfFailure(code), this.deps.contract.ref);
    return { end: { kind: 'failure', diagnostic }, code, inHand: { givenUp: code === 'given_up' } };
  }
}
