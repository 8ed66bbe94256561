import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nodeDisk } from '../src/adapters/nodeDisk.js';
import { freshFolder } from './exports.js';

const folder = (): string => {
  const path = freshFolder();
  mkdirSync(path, { recursive: true });
  return path;
};

it('writes all chunks and nothing between them', async () => {
  const path = join(folder(), 'file');
  await nodeDisk.write(path, ['a\n', 'é\n', 'x'.repeat(300_000)]);
  expect(readFileSync(path, 'utf8')).toBe(`a\né\n${'x'.repeat(300_000)}`);
});

it('what is not there is null, or an empty list', async () => {
  expect(await nodeDisk.read(join(folder(), 'nothing'))).toBeNull();
  expect(await nodeDisk.foldersIn(join(folder(), 'nothing'))).toEqual([]);
});

it('a folder never takes the place of a folder that holds something', async () => {
  const root = folder();
  for (const name of ['one', 'two']) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, 'file'), name);
  }
  expect(await nodeDisk.rename(join(root, 'one'), join(root, 'two'))).toBe('taken');
  expect(readFileSync(join(root, 'two', 'file'), 'utf8')).toBe('two');
});

it('a file in the place of the folder is told with its path', async () => {
  const path = join(folder(), 'file');
  writeFileSync(path, '');
  await expect(nodeDisk.makeFolder(join(path, 'below'))).rejects.toMatchObject({
    code: 'export_folder_unusable',
    where: join(path, 'below'),
  });
});

it('a full disk has a code of its own', async () =>
  expect(nodeDisk.write('/dev/full', ['x'])).rejects.toMatchObject({ code: 'export_disk_full' }));

it('what a writer throws while it is asked for chunks stays what it is', async () => {
  function* chunks(): Generator<string> {
    yield 'a';
    throw new RangeError('bug');
  }
  await expect(nodeDisk.write(join(folder(), 'file'), chunks())).rejects.toThrow(RangeError);
});
