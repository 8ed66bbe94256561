import { createHash, randomBytes } from 'node:crypto';
import { expect, it, describe } from 'vitest';
import { OBJECT_BYTES_MAX } from '../../src/limits.js';
import { bytes, codeOf } from '../testDefinitions.js';
import type { Bench } from './bench.js';

const bucket = 'transcripts';

export function describeObjects({ connect, place }: Bench): void {
  const root = (): string => place('root').replaceAll('.', '-');
  const all = { bytesMax: OBJECT_BYTES_MAX };

  describe('objects', () => {
    it.each([1, 131_072, 131_073, 1_000_000])('gives back %i bytes as they were, under their root and their hash', async (length) => {
      const objects = await (await connect()).objects(bucket);
      const content = randomBytes(length);
      const name = root();
      const ref = await objects.put(name, content);
      const hash = createHash('sha256').update(content).digest('hex');
      expect(ref).toEqual({ bucket, name: `${name}.${hash}`, hash, bytes: length });
      const elsewhere = await (await connect()).objects(bucket);
      const got = await elsewhere.get(ref, all);
      expect(got.kind === 'got' && Buffer.compare(got.bytes, content)).toBe(0);
    });

    it('takes the same content again, from two writers at once too, and gives it the same name', async () => {
      const writers = [await (await connect()).objects(bucket), await (await connect()).objects(bucket)];
      const content = randomBytes(300_000);
      const name = root();
      const refs = await Promise.all([...writers, ...writers].map((objects) => objects.put(name, content)));
      expect(new Set(refs.map((ref) => ref.name)).size).toBe(1);
      expect(await writers[0]?.get(refs[0]!, all)).toMatchObject({ kind: 'got' });
    });

    it('keeps the content of one root apart from that of another', async () => {
      const objects = await (await connect()).objects(bucket);
      const refs = [await objects.put(root(), bytes('same')), await objects.put(root(), bytes('same'))];
      expect(refs[0]?.hash).toBe(refs[1]?.hash);
      expect(refs[0]?.name).not.toBe(refs[1]?.name);
    });

    it('says what is missing, what is not what the reference names, and what is more than the caller takes', async () => {
      const objects = await (await connect()).objects(bucket);
      const ref = await objects.put(root(), bytes('content'));
      const codeOfGet = async (change: object, bytesMax = 100) => objects.get({ ...ref, ...change }, { bytesMax });
      const refused = (code: string) => ({ kind: 'refused', code });
      expect(await codeOfGet({ name: `${root()}.${ref.hash}` })).toEqual(refused('object_missing'));
      expect(await codeOfGet({ hash: 'a'.repeat(64) })).toEqual(refused('object_damaged'));
      expect(await codeOfGet({ bytes: ref.bytes + 1 })).toEqual(refused('object_damaged'));
      expect(await codeOfGet({}, ref.bytes - 1)).toEqual(refused('object_too_large'));
    });

    it('refuses a root that is no token, and content of no bytes or too many', async () => {
      const objects = await (await connect()).objects(bucket);
      expect(await codeOf(objects.put('a.b', bytes('x')))).toBe('subject_invalid');
      expect(await codeOf(objects.put(root(), new Uint8Array()))).toBe('too_large');
      expect(await codeOf(objects.put(root(), new Uint8Array(OBJECT_BYTES_MAX + 1)))).toBe('too_large');
    });

    it('proves that they may be written without writing', async () => {
      const objects = await (await connect()).objects(bucket);
      expect(await codeOf(objects.proveWrite())).toBe('no error');
    });

    it('are in a bucket that exists', async () => {
      expect(await codeOf((await connect()).objects('nowhere'))).toBe('objects_missing');
    });
  });
}
