import type { ModelAnswer } from '../port.js';

/** Until one of these ends there is no connection, and so not a byte of the request is sent, whatever went wrong. */
const connecting = new Set(['connect', 'getaddrinfo']);
/** The client's own word for the same. It names no call. */
const connectTimeout = 'UND_ERR_CONNECT_TIMEOUT';
/** A handshake that failed: a certificate, or a server that speaks no TLS. */
const handshake = /^(?:ERR_TLS_|ERR_SSL_WRONG_VERSION_NUMBER$|CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_)/;

/**
 * What a fetch that failed proves. The same code can mean both: a host that is unreachable when it is called, and one that is lost
 * after it has read the request. So it is the system call that proves that nothing was sent, never the code alone.
 */
export function readTransportFault(error: unknown): Exclude<ModelAnswer, { kind: 'generated' }> {
  const { code, call } = faultOf(error);
  // `fetch` gives no code where it refuses by itself: a redirect, a port it blocks, a URL it cannot use.
  if (code === null) return { kind: 'failed', code: 'transport_refused' };
  if (connecting.has(call) || code === connectTimeout) return { kind: 'not_generated', code: 'connection_failed' };
  if (handshake.test(code)) return { kind: 'not_generated', code: 'tls_refused' };
  return { kind: 'failed', code: 'transfer_broken' };
}

/** The code of an error or of what caused it, and the system call it came from. Messages can quote addresses and are not read. */
function faultOf(error: unknown): { readonly code: string | null; readonly call: string } {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < CAUSES_MAX; at = at.cause, depth += 1) {
    if (!('code' in at) || typeof at.code !== 'string') continue;
    return { code: at.code, call: 'syscall' in at && typeof at.syscall === 'string' ? at.syscall : callOfSeveral(at) };
  }
  return { code: null, call: '' };
}

/** A name with several addresses fails with one error for each; it counts as a call that all of them share. */
function callOfSeveral(error: Error): string {
  if (!(error instanceof AggregateError)) return '';
  const calls = new Set(error.errors.map((one: unknown) => (one instanceof Error && 'syscall' in one ? String(one.syscall) : '')));
  return calls.size === 1 ? ([...calls][0] ?? '') : '';
}

const CAUSES_MAX = 4;
