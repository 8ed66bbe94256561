import { describe, expect, test } from 'vitest';
import { readTransportFault } from '../src/decisions/transportFault.js';

const fault = (members: Readonly<Record<string, string>>): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('no word of it is read'), members) });

const errnos = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EMFILE', 'EACCES', 'EPERM', 'EADDRNOTAVAIL', 'ECONNRESET'];

describe('what a transport fault proves', () => {
  test.each(errnos)('%s of connect: no connection, so nothing was generated', (code) => {
    expect(readTransportFault(fault({ code, syscall: 'connect' }))).toEqual({ kind: 'not_generated', code: 'connection_failed' });
  });

  test.each(errnos.flatMap((code) => ['read', 'write'].map((syscall) => [code, syscall] as const)))(
    '%s of %s: the request may have been read, so it is never asked again',
    (code, syscall) => {
      expect(readTransportFault(fault({ code, syscall }))).toEqual({ kind: 'failed', code: 'transfer_broken' });
    },
  );

  test.each([...errnos, 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'EPIPE'])(
    '%s without a system call proves nothing',
    (code) => {
      expect(readTransportFault(fault({ code }))).toEqual({ kind: 'failed', code: 'transfer_broken' });
    },
  );

  test.each(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL'])('%s of the name lookup: nothing was sent', (code) => {
    expect(readTransportFault(fault({ code, syscall: 'getaddrinfo' }))).toEqual({ kind: 'not_generated', code: 'connection_failed' });
  });

  test('a connect timeout of the client: nothing was sent', () => {
    expect(readTransportFault(fault({ code: 'UND_ERR_CONNECT_TIMEOUT' })).kind).toBe('not_generated');
  });

  test.each([
    [['connect', 'connect'], 'not_generated'],
    [['connect', 'read'], 'failed'],
    [['read'], 'failed'],
  ] as const)('several addresses, with %j: %s', (calls, kind) => {
    const all = calls.map((syscall) => Object.assign(new Error(''), { code: 'ECONNREFUSED', syscall }));
    const cause = Object.assign(new AggregateError(all), { code: 'ECONNREFUSED' });
    expect(readTransportFault(new TypeError('fetch failed', { cause })).kind).toBe(kind);
  });
});
