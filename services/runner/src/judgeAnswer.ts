import type { Diagnostic, EventOf, RefusedFor } from '@emend/contracts';
import type { EndFacts } from '@emend/runs/decisions';
import type { StandardAgent } from './domain/activation.js';
import { ruledOut } from './domain/acceptance.js';
import { diagnosticOf } from './domain/failureCodes.js';
import { type InvocationEnd, refusedFor } from './domain/retries.js';
import type { Answered } from './ports.js';

/** What one invocation comes to. */
export interface Judged {
  readonly ended: InvocationEnd;
  readonly end: EndFacts;
  /** A completion or a failure code. */
  readonly code: string;
  /** Of an output that was refused, and may be asked for again. */
  readonly refused: RefusedFor | null;
  /** The text of a failed invocation, for the quarantine. */
  readonly text: string | null;
}

/** The turn of an invocation, then the semantic rules of its contract. */
export function judgeAnswer({ turn, text }: Answered, { contract }: StandardAgent, source: EventOf<'sourceCaptured'>): Judged {
  const failed = (diagnostic: Diagnostic, code: string = diagnostic.class): Judged => {
    const refused = refusedFor(diagnostic);
    return { ended: refused === null ? 'failed' : 'refused', end: { kind: 'failure', diagnostic }, code, refused, text };
  };
  if (turn.kind === 'failed') return failed(diagnosticOf(turn.code, contract.ref), turn.code);
  if (turn.kind === 'malformed') return failed(turn.diagnostic);
  const broken = ruledOut(contract, turn.canonical, source);
  // The size is the refused text's: the model's own, or the overseer's in canonical form.
  const written = turn.completion === 'overseen' || text === null ? turn.canonical : text;
  if (broken !== null) return failed({ ...broken, candidateBytes: Buffer.byteLength(written, 'utf8') });
  const { output, completion, edits } = turn;
  return { ended: 'output', end: { kind: 'output', output, completion, edits }, code: completion, refused: null, text: null };
}
