/** A fault of the system in two words, as `spawn EPERM`: its message would hold paths and arguments. */
export function faultName(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return 'unknown fault';
  const call = 'syscall' in error && typeof error.syscall === 'string' ? (error.syscall.split(' ')[0] ?? '') : '';
  return `${call} ${error.code}`.trim();
}
