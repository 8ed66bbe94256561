import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bundleBytesMax } from '../src/limits.js';

const built = (name: string): string => readFileSync(fileURLToPath(new URL(`../dist/${name}`, import.meta.url)), 'utf8');
const required = (text: string): readonly string[] => [...text.matchAll(/require\(["']([^"']+)["']\)/g)].map(([, name]) => name ?? '');

test('the worker asks Node for sockets alone, since its channel is one', () => {
  expect(new Set(required(built('worker.cjs')))).toEqual(new Set(['node:net']));
});

test('the worker holds no address, no key look-up and no way to fetch', () => {
  expect(built('worker.cjs').match(/https?:|process\.env|\bfetch\(|WebSocket|XMLHttpRequest|authorization|import\(/gi) ?? []).toEqual([]);
});

test('the worker is small enough to be read', () => {
  expect(Buffer.byteLength(built('worker.cjs'))).toBeLessThan(bundleBytesMax);
});
