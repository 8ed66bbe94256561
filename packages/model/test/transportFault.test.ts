import { describe, expect, it } from 'vitest';
import { judgeFault, readTransportFault } from '../src/decisions/transportFault.js';

const unconnected = { kind: 'not_generated', code: 'connection_failed' };
const untrusted = { kind: 'not_generated', code: 'tls_refused' };
const broken = { kind: 'failed', code: 'transfer_broken' };
const refused = { kind: 'failed', code: 'transport_refused' };

const numbers = ['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EADDRNOTAVAIL', 'EMFILE', 'EACCES', 'EPERM'];

const fault = (code: string, syscall?: string) => Object.assign(new Error(code), { code, ...(syscall === undefined ? {} : { syscall }) });
const fetched = (cause: unknown) => readTransportFault(new TypeError('fetch failed', { cause }));

describe('whether nothing was generated', () => {
  it.each(numbers)('is decided by the step and not by the number: %s', (code) => {
    expect(judgeFault({ code, syscall: 'connect' })).toEqual(unconnected);
    for (const syscall of ['read', 'write', 'shutdown', null]) expect(judgeFault({ code, syscall })).toEqual(broken);
  });

  it.each([
    ['ENOTFOUND', 'getaddrinfo', unconnected],
    ['EAI_AGAIN', 'getaddrinfo', unconnected],
    ['EMFILE', 'getaddrinfo', unconnected],
    ['UND_ERR_CONNECT_TIMEOUT', null, unconnected],
    ['UND_ERR_SOCKET', null, broken],
    ['UND_ERR_HEADERS_TIMEOUT', null, broken],
    ['UND_ERR_BODY_TIMEOUT', null, broken],
    ['EPIPE', 'write', broken],
    ['EPROTO', 'write', broken],
    ['CERT_HAS_EXPIRED', null, untrusted],
    ['ERR_TLS_CERT_ALTNAME_INVALID', null, untrusted],
    ['ERR_SSL_WRONG_VERSION_NUMBER', null, untrusted],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'write', broken],
    ['SOMETHING_NEW', null, broken],
    [null, null, refused],
  ])('%s of %s', (code, syscall, answer) => {
    expect(judgeFault({ code, syscall })).toEqual(answer);
  });
});

describe('a failed fetch', () => {
  it('says its step in its cause', () => {
    expect(fetched(fault('EMFILE', 'connect'))).toEqual(unconnected);
    expect(fetched(fault('EHOSTUNREACH', 'read'))).toEqual(broken);
    expect(fetched(undefined)).toEqual(refused);
  });

  it('of a name with several addresses did not connect only where no attempt did', () => {
    const attempts = (...errors: Error[]) => Object.assign(new AggregateError(errors), { code: 'ECONNREFUSED' });
    expect(fetched(attempts(fault('ECONNREFUSED', 'connect'), fault('ENETUNREACH', 'connect')))).toEqual(unconnected);
    expect(fetched(attempts(fault('ECONNREFUSED', 'connect'), fault('ECONNRESET', 'read')))).toEqual(broken);
    expect(fetched(attempts())).toEqual(broken);
  });
});
