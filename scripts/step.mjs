import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** A step of set-up that did not work: which one, what happened, what the reader can do about it, and the exit code. */
export class StepError extends Error {
  constructor({ step, failed, todo, cause, exitCode = 1 }) {
    super(`${step}: ${failed}\n  what to do: ${todo}`, { cause });
    this.name = 'StepError';
    this.exitCode = exitCode;
  }
}

/** Set-up talks on standard error, so that the output of the program it prepares stays clean. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Runs a command to its end and returns its code and everything it printed, on either stream.
 * `onLine` sees each line as it comes.
 */
export function run(command, args, { env = process.env, onLine = () => {} } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    let pending = '';
    const take = (chunk) => {
      chunks.push(chunk);
      const lines = (pending + chunk).split('\n');
      pending = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.on('error', (error) => resolve({ code: 127, output: error.message }));
    // Some tools colour their output whatever NO_COLOR says, once CI is set.
    child.on('close', (code, signal) => resolve({ code: code ?? signalCode(signal), output: stripVTControlCharacters(chunks.join('')) }));
  });
}

/** Runs a program in the foreground, on our own terminal, and returns its exit code. */
export function runInForeground(command, args, { env = process.env } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, env, stdio: 'inherit' });
    // Ctrl-C reaches the child by itself; we only have to outlive it, so that its last words are seen.
    const ignore = () => {};
    const forward = () => child.kill('SIGTERM');
    process.on('SIGINT', ignore).on('SIGTERM', forward);
    const end = (code) => {
      process.off('SIGINT', ignore).off('SIGTERM', forward);
      resolve(code);
    };
    child.on('error', (error) => {
      say(error.message);
      end(127);
    });
    child.on('close', (code, signal) => end(code ?? signalCode(signal)));
  });
}

/** The file of a command line tool that the lockfile pinned, started by the Node that runs us. */
export function tool(name) {
  return path.join(root, 'node_modules', '.bin', name);
}

export function isOnPath(command) {
  return (process.env.PATH ?? '').split(path.delimiter).some((folder) => folder !== '' && isExecutable(path.join(folder, command)));
}

export function lastLines(text, count) {
  return text
    .trimEnd()
    .split('\n')
    .slice(-count)
    .map((line) => `  | ${line}`)
    .join('\n');
}

export function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}

/** Runs a whole command: prints what went wrong without a stack where a step said so itself, and sets the exit code. */
export async function main(action) {
  try {
    process.exitCode = await action();
  } catch (error) {
    say(error instanceof StepError ? `\nfailed: ${error.message}` : (error?.stack ?? String(error)));
    process.exitCode = error instanceof StepError ? error.exitCode : 1;
  }
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function signalCode(signal) {
  return signal === 'SIGINT' ? 130 : 143;
}
