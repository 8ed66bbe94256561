import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Files that are derived from the code and committed. A test compares them; `EMEND_WRITE=1 npx vitest run packages/contracts`
 * writes them anew, and the difference is then read in the commit. Nothing is ever written without that word.
 */
export const writes = process.env['EMEND_WRITE'] === '1';

/** The committed text; with the switch, `fresh` is written first. A file that is not there is a failure, not a first time. */
export function committed(file: string, fresh: string): string {
  if (writes) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, fresh);
  }
  return existsSync(file) ? readFileSync(file, 'utf8') : `${file} is missing: write it with EMEND_WRITE=1`;
}

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
