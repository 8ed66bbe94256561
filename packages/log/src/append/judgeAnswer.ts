import type { LogErrorCode } from '../errors.js';

/** What one publish says about the place it was aimed at. */
export type Answer =
  | { readonly kind: 'stored'; readonly sequence: number }
  /** Something stands there, or is about to. Read back and decide. */
  | { readonly kind: 'taken' }
  /** A limit of the whole log. Read back first: an earlier try of ours may have been the last that fitted. */
  | { readonly kind: 'limit' }
  /** Stored or not, nobody knows. Read back, then the same bytes again. */
  | { readonly kind: 'ambiguous'; readonly cause: string }
  | { readonly kind: 'permanent'; readonly code: LogErrorCode; readonly brokerCode: number };

/**
 * What the broker's error numbers mean for an append. One number stands for several situations on some servers,
 * so `taken` never means that somebody else won.
 */
const ANSWER_BY_BROKER_CODE: Readonly<Record<number, 'taken' | 'limit' | { readonly permanent: LogErrorCode }>> = {
  10071: 'taken', // wrong last sequence for the subject
  10164: 'taken', // the same, from clusters since 2.11
  10158: 'taken', // the same message is in flight
  10077: 'limit', // the store refused: a limit, told apart by its text
  10023: 'limit', // insufficient resources
  10047: 'limit', // insufficient storage resources
  10054: { permanent: 'too_large' },
  10060: { permanent: 'stream_unfit' }, // another stream takes this subject
  10109: { permanent: 'stream_unfit' }, // sealed
  10118: { permanent: 'stream_unfit' },
  10111: { permanent: 'stream_unfit' }, // rollup refused
};

const PER_SUBJECT_LIMIT = 'per subject';
const SERVER_SIDE_STATUS_MIN = 500;

/** Judges the body of an answer to a publish. Pure; knows nothing of connections. */
export function judgeAnswer(body: string): Answer {
  const answer = parse(body);
  if (answer === null) return { kind: 'ambiguous', cause: 'answer_unreadable' };
  if (answer.error !== undefined) return judgeRefusal(answer.error);
  // An old cluster can confirm as a duplicate, with sequence 0, what it never stored.
  if (answer.duplicate || answer.sequence < 1) return { kind: 'ambiguous', cause: 'answer_doubtful' };
  return { kind: 'stored', sequence: answer.sequence };
}

function judgeRefusal(error: Refusal): Answer {
  const known = ANSWER_BY_BROKER_CODE[error.brokerCode];
  if (known === 'limit' && error.text.includes(PER_SUBJECT_LIMIT)) return { kind: 'taken' };
  if (known === 'taken' || known === 'limit') return { kind: known };
  if (known !== undefined) return { kind: 'permanent', code: known.permanent, brokerCode: error.brokerCode };
  if (error.status >= SERVER_SIDE_STATUS_MIN) return { kind: 'ambiguous', cause: `broker_${error.brokerCode}` };
  return { kind: 'permanent', code: 'broker_refused', brokerCode: error.brokerCode };
}

interface Refusal {
  readonly status: number;
  readonly brokerCode: number;
  readonly text: string;
}

interface ParsedAnswer {
  readonly sequence: number;
  readonly duplicate: boolean;
  readonly error?: Refusal;
}

function parse(body: string): ParsedAnswer | null {
  try {
    const json: unknown = JSON.parse(body);
    if (typeof json !== 'object' || json === null) return null;
    const { seq, duplicate, error } = json as Record<string, unknown>;
    const answer = { sequence: typeof seq === 'number' ? seq : 0, duplicate: duplicate === true };
    return typeof error === 'object' && error !== null ? { ...answer, error: refusal(error) } : answer;
  } catch {
    return null;
  }
}

function refusal(error: object): Refusal {
  const { code, err_code: brokerCode, description } = error as Record<string, unknown>;
  return {
    status: typeof code === 'number' ? code : SERVER_SIDE_STATUS_MIN,
    brokerCode: typeof brokerCode === 'number' ? brokerCode : 0,
    text: typeof description === 'string' ? description : '',
  };
}
