import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { descendantsOf, isAlive } from './processTree.js';

it('sees what a process has started, however deep, and whether it lives', async () => {
  const shell = spawn('sh', ['-c', 'sleep 600 & echo started; wait'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(shell, 'exit');
  await once(shell.stdout, 'data');
  const mine = descendantsOf(process.pid);
  const below = descendantsOf(shell.pid ?? 0);
  onTestFinished(() => below.filter(isAlive).forEach(({ pid }) => process.kill(pid)));
  expect(mine.map(({ pid }) => pid)).toContain(shell.pid);
  expect(below).toHaveLength(1);
  expect(mine).toEqual(expect.arrayContaining([...below]));
  expect(below.map(isAlive)).toEqual([true]);
  expect(below.map(({ pid }) => isAlive({ pid, startedAt: '0' }))).toEqual([false]);

  for (const { pid } of below) process.kill(pid, 'SIGKILL');
  await exited;
  expect(below.map(isAlive)).toEqual([false]);
});
