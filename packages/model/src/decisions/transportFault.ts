import type { ModelAnswer } from '../port.js';

/** Steps before a byte of the request is sent. Whatever their error number, nothing was generated. */
const beforeSending = new Set(['connect', 'getaddrinfo']);
/** The client's own code of such a step, which names no system call. */
const connectLate = 'UND_ERR_CONNECT_TIMEOUT';
/** A handshake that failed: a certificate, or a server that speaks no TLS. */
const handshake = /^(?:ERR_TLS_|ERR_SSL_WRONG_VERSION_NUMBER$|CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_)/;

/** Causes of causes that are looked at. */
const causesMax = 4;

/** What the platform says of a fault: its code, and the system call that met it. Messages can quote addresses and are not read. */
export interface PlatformFault {
  readonly code: string | null;
  readonly syscall: string | null;
}

/**
 * What a fetch that failed proves. The step decides and not the number: the same EHOSTUNREACH comes from `connect`, where nothing
 * was sent, and from `read`, where the request had gone. A fault that names no step we know leaves that open.
 */
export function readTransportFault(error: unknown): Exclude<ModelAnswer, { kind: 'generated' }> {
  return judgeFault(faultOf(error));
}

/** As {@link readTransportFault}, from what the platform said. */
export function judgeFault({ code, syscall }: PlatformFault): Exclude<ModelAnswer, { kind: 'generated' }> {
  // `fetch` gives no code where it refuses by itself: a redirect, a port it blocks, a URL it cannot use.
  if (code === null) return { kind: 'failed', code: 'transport_refused' };
  if (code === connectLate || (syscall !== null && beforeSending.has(syscall))) return { kind: 'not_generated', code: 'connection_failed' };
  if (syscall === null && handshake.test(code)) return { kind: 'not_generated', code: 'tls_refused' };
  return { kind: 'failed', code: 'transfer_broken' };
}

/** The fault of an error or of what caused it. */
function faultOf(error: unknown): PlatformFault {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < causesMax; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') return { code: at.code, syscall: syscallOf(at) };
  }
  return { code: null, syscall: null };
}

/** A name with several addresses has an attempt for each, and they count as one step only where all name the same. */
function syscallOf(error: Error): string | null {
  if (!(error instanceof AggregateError)) return 'syscall' in error && typeof error.syscall === 'string' ? error.syscall : null;
  const [first = null, ...others] = new Set(error.errors.map((one: unknown) => (one instanceof Error ? syscallOf(one) : null)));
  return others.length === 0 ? first : null;
}
