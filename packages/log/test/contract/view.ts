import { describe, expect, it } from 'vitest';
import type { Put } from '../../src/index.js';
import type { Bench } from './bench.js';
import { all, bytes, codeOf, first, text } from '../testDefinitions.js';

const revisionOf = (put: Put): number => (put.kind === 'put' ? put.revision : 0);

export function describeView({ connect, place }: Bench): void {
  const key = (): string => place('key').replaceAll('.', '-');

  describe('view', () => {
    it('writes only over the revision expected', async () => {
      const view = await (await connect()).view('effective-output');
      const k = key();
      const revision = revisionOf(await view.put(k, bytes('1'), 0));
      expect(await view.put(k, bytes('x'), 0)).toEqual({ kind: 'conflict' });
      expect(await view.put(k, bytes('x'), revision + 1_000)).toEqual({ kind: 'conflict' });
      expect((await view.put(k, bytes('2'), revision)).kind).toBe('put');
      expect(text((await view.get(k))?.bytes)).toBe('2');
      expect(await view.get(key())).toBeNull();
    });

    it('removes only the revision expected, and a removed key can be made again', async () => {
      const view = await (await connect()).view('effective-output');
      const k = key();
      const revision = revisionOf(await view.put(k, bytes('1'), 0));
      expect(await view.remove(k, 0)).toEqual({ kind: 'conflict' });
      expect(await view.remove(k, revision + 1_000)).toEqual({ kind: 'conflict' });
      expect(await view.remove(k, revision)).toEqual({ kind: 'removed' });
      expect(await view.get(k)).toBeNull();
      expect((await view.put(k, bytes('2'), 0)).kind).toBe('put');
    });

    it('proves that keys can be written, without writing', async () => {
      const view = await (await connect()).view('effective-output');
      await view.proveWrite();
      expect(await view.get('probe')).toBeNull();
    });

    it('lets one of two writers of one revision win', async () => {
      const views = [await (await connect()).view('effective-output'), await (await connect()).view('effective-output')];
      const k = key();
      const kinds = await Promise.all(views.map(async (view, i) => (await view.put(k, bytes(String(i)), 0)).kind));
      expect(kinds.sort()).toEqual(['conflict', 'put']);
    });

    it('lists its keys and watches: what stands, the word, then changes', async () => {
      const view = await (await connect()).view('review-queue');
      expect(await all(view.keys())).toEqual([]);
      expect(await first(1, view.watch({}))).toEqual(['current']);
      const [a, b, gone] = [key(), key(), key()];
      for (const k of [a, b]) await view.put(k, bytes(k), 0);
      await view.remove(gone, revisionOf(await view.put(gone, bytes('x'), 0)));
      expect((await all(view.keys())).sort()).toEqual([a, b].sort());

      const seen: (string | null)[] = [];
      for await (const change of view.watch({})) {
        seen.push(change === 'current' ? change : change.bytes === null ? null : text(change.bytes));
        if (change === 'current') {
          await view.put(a, bytes('changed'), (await view.get(a))?.revision ?? 0);
          await view.remove(b, (await view.get(b))?.revision ?? 0);
        } else if (change.bytes === null) break;
      }
      expect(seen).toEqual([a, b, 'current', 'changed', null]);
    });

    it('watches one key alone', async () => {
      const view = await (await connect()).view('effective-output');
      const [watched, other] = [key(), key()];
      const stop = new AbortController();
      const seen: string[] = [];
      for await (const change of view.watch({ key: watched, signal: stop.signal })) {
        seen.push(change === 'current' ? change : text(change.bytes));
        if (change !== 'current') stop.abort();
        else for (const k of [other, watched]) await view.put(k, bytes(k), 0);
      }
      expect(seen).toEqual(['current', watched]);
    });

    it.each(['', '*', 'a.>', 'a b', 'a..b', '.a', 'ä', 'a:b'])('refuses the key %j', async (k) => {
      const view = await (await connect()).view('effective-output');
      const refused = [view.get(k), view.put(k, bytes('1'), 0), view.put(k, bytes('1'), 1), view.remove(k, 0), view.remove(k, 1)];
      expect(await Promise.all(refused.map(codeOf))).toEqual(Array(refused.length).fill('subject_invalid'));
    });

    it.each(['', 'a b', 'a..b', 'a*', '>.a', 'a:b'])('refuses to watch the keys %j', async (k) => {
      const view = await (await connect()).view('effective-output');
      expect(await codeOf(all(view.watch({ key: k })))).toBe('subject_invalid');
    });

    it('binds to what exists only', async () => {
      const broker = await connect();
      expect(await codeOf(broker.view('nobody-made-it'))).toBe('view_missing');
    });
  });
}
