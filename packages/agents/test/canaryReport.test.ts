import { describe, expect, test } from 'vitest';
import { type CanaryReport, missesOf } from '../src/sandbox/canaryReport.js';

const sound: CanaryReport = {
  type: 'report',
  environment: ['PWD'],
  user: 65_534,
  tcp: 'EPERM',
  listen: 'EPERM',
  unix: 'EPERM',
  reads: { '/etc/passwd': 'ENOENT' },
  list: 'EPERM',
  writes: { '/x': 'EROFS' },
  signalParent: 'EPERM',
  signalSelf: 'EPERM',
  fork: 'EPERM',
  compile: 'EvalError',
  openFiles: [],
};

const deviations: readonly (readonly [string, Partial<CanaryReport>])[] = [
  ['environment_empty', { environment: ['PWD', 'SECRET'] }],
  ['user_nobody', { user: 0 }],
  // Without a filter an empty namespace answers like this: the second wall is not the first.
  ['no_connection', { tcp: 'ECONNREFUSED' }],
  ['no_connection', { tcp: 'done' }],
  ['no_listening', { listen: 'done' }],
  ['no_unix_socket', { unix: 'ECONNREFUSED' }],
  ['host_files_absent', { reads: { '/etc/passwd': 'ENOENT', '/etc/shadow': 'EACCES' } }],
  ['host_files_absent', { reads: {} }],
  ['no_listing', { list: 'done' }],
  ['nothing_writable', { writes: { '/x': 'EROFS', '/tmp/x': 'done' } }],
  ['no_signal_to_parent', { signalParent: 'ESRCH' }],
  ['no_signal_at_all', { signalSelf: 'done' }],
  ['no_process', { fork: 'done' }],
  ['no_code_from_strings', { compile: 'done' }],
  ['no_file_inherited', { openFiles: [9] }],
];

describe('a report of the canary', () => {
  test('that is sound has no miss', () => {
    expect(missesOf(sound)).toEqual([]);
  });

  test.each(deviations)('misses %s where it says %j', (name, deviation) => {
    expect(missesOf({ ...sound, ...deviation })).toEqual([name]);
  });
});
