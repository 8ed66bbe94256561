import { hostname } from 'node:os';
import type { Writer } from '../exportFolder.js';

/** This process as a writer of drafts. The host's name becomes part of a folder's name. */
export const thisWriter = (): Writer => ({ host: hostname().replaceAll(/[^A-Za-z0-9]+/g, '_'), pid: process.pid, isAlive });

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Not ours to signal, so it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
