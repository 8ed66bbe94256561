import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const packageFolder = join(import.meta.dirname, '..');
let folder: string;

/** The sources as JavaScript, below `node_modules` so that dependencies resolve and nothing is left in the tree. */
beforeAll(async () => {
  await mkdir(join(packageFolder, 'node_modules'), { recursive: true });
  folder = await mkdtemp(join(packageFolder, 'node_modules', '.child-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023, verbatimModuleSyntax: true };
  for (const file of await readdir(join(packageFolder, 'src'))) {
    const source = await readFile(join(packageFolder, 'src', file), 'utf8');
    await writeFile(join(folder, file.replace(/\.ts$/, '.js')), ts.transpileModule(source, { compilerOptions }).outputText);
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** A child process, its log lines, and the points in them. */
function start(behaviour: string, env: NodeJS.ProcessEnv = {}) {
  const child: ChildProcessWithoutNullStreams = spawn(
    process.execPath,
    [join(import.meta.dirname, 'child', 'main.mjs'), folder, behaviour],
    { env },
  );
  const lines: Record<string, unknown>[] = [];
  const waiting = new Map<string, () => void>();
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line) as Record<string, unknown>);
    waiting.get(String(lines.at(-1)?.['event']))?.();
  });
  return {
    child,
    lines,
    output: () => output,
    said: (event: string) =>
      new Promise<void>((resolve) => {
        if (lines.some((line) => line['event'] === event)) resolve();
        else waiting.set(event, resolve);
      }),
    ended: new Promise<number | null>((resolve) => child.once('close', resolve)),
  };
}

describe('a real process', () => {
  test('finishes what it has in hand on SIGTERM, says that a second signal changes nothing, and exits 0', async () => {
    const { child, said, ended, lines } = start('loop');
    await said('child.in_hand');
    child.kill('SIGTERM');
    await said('process.stopping');
    child.kill('SIGINT');
    await said('process.already_stopping');
    child.stdin.write('go\n');
    expect(await ended).toBe(0);
    const order = ['child.in_hand', 'process.stopping', 'process.already_stopping', 'child.acked', 'child.closed', 'process.stopped'];
    expect(lines.map((line) => line['event']).filter((event) => order.includes(String(event)))).toEqual(order);
  });

  test.each([
    ['exception', { event: 'process.uncaught_exception', error: 'TypeError', exitCode: 1 }],
    ['rejection', { event: 'process.unhandled_rejection', error: 'Error', code: 'some_code', exitCode: 1 }],
  ])('an uncaught %s is one sanitized line and exit code 1', async (behaviour, line) => {
    const { ended, lines, output } = start(behaviour);
    expect(await ended).toBe(1);
    expect(lines.at(-1)).toMatchObject(line);
    expect(output()).not.toContain('canary');
  });

  test('without any running work stays until it is told to stop', async () => {
    const { child, said, ended } = start('nothing');
    await said('child.alive');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  test('drains when its lifeline ends', async () => {
    const { child, said, ended } = start('nothing', { EMEND_LIFELINE: 'stdin' });
    await said('child.alive');
    child.stdin.end();
    expect(await ended).toBe(0);
  });

  test('a bad configuration is exit code 2', async () => {
    const { ended, output } = start('loop', { EMEND_HTTP_PORT: 'canary-1a6f' });
    expect(await ended).toBe(2);
    expect(output()).not.toContain('canary');
  });
});
