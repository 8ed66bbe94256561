import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface ModelProcessOptions {
  /** How many tokens a prompt and its answer may have together. */
  readonly contextTokens: number;
  /** The file with the key that callers must show. */
  readonly keyFile: string;
}

/** llama.cpp's own server with the recorded model, as a process. */
export interface ModelProcess {
  /** Where it listens, without a path. */
  readonly origin: string;
  /** Ends it at once, also in the middle of an answer. */
  kill(): Promise<void>;
}

/** Lines of a server that did not start which are worth reading. */
const lastLinesMax = 12;

/** Resolves when the model is loaded. Throws with the last words of a server that ends before. */
export async function startModelProcess({ contextTokens, keyFile }: ModelProcessOptions): Promise<ModelProcess> {
  const python = process.env['EMEND_MODEL_PYTHON'];
  if (!python) throw new Error('EMEND_MODEL_PYTHON is not set: `npm run test:model` brings the model and sets it');
  const args = [join(import.meta.dirname, 'server.py'), '--context', String(contextTokens), '--key-file', keyFile];
  const child = spawn(python, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  const origin = await addressOf(child, ended);
  return {
    origin,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function addressOf({ stdout, stderr }: ChildProcess, ended: Promise<unknown>): Promise<string> {
  if (stdout === null || stderr === null) throw new Error('the model server has no output');
  const said: string[] = [];
  // Read to the end, also once it is up: a full pipe would stop the server.
  createInterface({ input: stderr }).on('line', (line) => said.splice(0, said.length, ...[...said, line].slice(-lastLinesMax)));
  const first = once(createInterface({ input: stdout }), 'line') as Promise<[string]>;
  const address = await Promise.race([first.then(([line]) => line), ended.then(() => null)]);
  if (address === null) throw new Error(`the model server did not start:\n${said.join('\n')}`);
  return address;
}
