import { backoffMs, pause } from '../backoff.js';
import { LogError } from '../errors.js';
import { CALL_TIMEOUT_MS, PROOF_TRIES_MAX } from '../limits.js';
import { isPermissionDenied } from './coreMessaging.js';
import { toHeaders } from './messageHeaders.js';
import type { Session } from './session.js';

/** No stream has this name: a space is not allowed in one. */
const NO_STREAM = 'no such stream';
const STREAM_NOT_EXPECTED = 10060;

type Proof = 'proven' | 'denied' | 'unproven';

/**
 * A publish that the stream must refuse gets as far as the stream only if it is permitted. So the refusal by number
 * is the proof, and nothing is ever stored. All subjects are tried before anything is thrown.
 */
export async function proveWrite(session: Session, subjects: readonly string[]): Promise<void> {
  const proofs = await Promise.all(subjects.map(async (subject) => ({ subject, proof: await prove(session, subject) })));
  const named = (wanted: Proof): string[] => proofs.filter(({ proof }) => proof === wanted).map(({ subject }) => subject);
  const denied = named('denied');
  if (denied.length > 0) throw new LogError('permission_denied', `may not write: ${denied.join(', ')}`, denied);
  const unproven = named('unproven');
  if (unproven.length > 0) throw new LogError('write_unproven', `no stream answered for: ${unproven.join(', ')}`, unproven);
}

async function prove(session: Session, subject: string): Promise<Proof> {
  for (let attempt = 0; attempt < PROOF_TRIES_MAX; attempt++) {
    if (attempt > 0) await pause(backoffMs(attempt, session.random), session.closing);
    try {
      const headers = toHeaders({ 'Nats-Expected-Stream': NO_STREAM });
      const answer = await session.nc.request(subject, new Uint8Array(), { timeout: CALL_TIMEOUT_MS, headers });
      if (brokerCode(answer.string()) === STREAM_NOT_EXPECTED) return 'proven';
    } catch (error) {
      if (isPermissionDenied(error, subject)) return 'denied';
    }
  }
  return 'unproven';
}

function brokerCode(body: string): number {
  try {
    const answer = JSON.parse(body) as { error?: { err_code?: number } } | null;
    return answer?.error?.err_code ?? 0;
  } catch {
    return 0;
  }
}
