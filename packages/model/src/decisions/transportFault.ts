import type { ModelAnswer } from '../port.js';

/** Faults before a byte of the request was sent, by the codes that the platform gives them. */
const unconnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** A handshake that failed: a certificate, or a server that speaks no TLS. */
const handshake = /^(?:ERR_TLS_|ERR_SSL_WRONG_VERSION_NUMBER$|CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_)/;

/** What a fetch that failed proves. A code we do not know leaves open whether the request had arrived. */
export function readTransportFault(error: unknown): Exclude<ModelAnswer, { kind: 'generated' }> {
  const code = codeOf(error);
  // `fetch` gives no code where it refuses by itself: a redirect, a port it blocks, a URL it cannot use.
  if (code === null) return { kind: 'failed', code: 'transport_refused' };
  if (unconnected.has(code)) return { kind: 'not_generated', code: 'connection_failed' };
  if (handshake.test(code)) return { kind: 'not_generated', code: 'tls_refused' };
  return { kind: 'failed', code: 'transfer_broken' };
}

/** The code of an error or of what caused it. Messages can quote addresses and are not read. */
function codeOf(error: unknown): string | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < CAUSES_MAX; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return null;
}

const CAUSES_MAX = 4;
