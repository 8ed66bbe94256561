import { expect, test } from 'vitest';
import { fixedClock, manualTime, sleep, systemTimers } from '../src/index.js';
import { turn } from './fakeDeliveries.js';

test('a sleep ends when its time has passed', async () => {
  const time = manualTime();
  let ended: string | undefined;
  const sleeping = sleep(100, undefined, time).then((how) => {
    ended = how;
  });
  time.advance(99);
  await turn();
  expect(ended).toBeUndefined();
  time.advance(1);
  await sleeping;
  expect(ended).toBe('elapsed');
});

test('a sleep ends with its signal, and leaves no timer', async () => {
  const time = manualTime();
  const aborter = new AbortController();
  const sleeping = sleep(100, aborter.signal, time);
  aborter.abort();
  expect(await sleeping).toBe('aborted');
  expect(time.pending()).toBe(0);
  expect(await sleep(100, aborter.signal, time)).toBe('aborted');
});

test('manual time fires in order of time, each timer at its own', () => {
  const time = manualTime(1_000);
  const fired: string[] = [];
  time.after(50, () => fired.push(`once@${time.now()}`));
  const cancel = time.every(20, () => fired.push(`every@${time.now()}`));
  time.advance(60);
  cancel();
  time.advance(60);
  expect(fired).toEqual(['every@1020', 'every@1040', 'once@1050', 'every@1060']);
  expect(time.now()).toBe(1_120);
});

test('the system timers fire', async () => {
  await new Promise<void>((resolve) => systemTimers.after(0, resolve));
  await new Promise<void>((resolve) => {
    const cancel = systemTimers.every(1, () => {
      cancel();
      resolve();
    });
  });
});

test('a fixed clock stands still', () => expect(fixedClock(7).now()).toBe(7));
