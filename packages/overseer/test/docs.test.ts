import { readFileSync } from 'node:fs';
import { decoderVersion } from '@emend/contracts';
import { expect, it } from 'vitest';
import { decode, editListHash, editListVersion, editTable, faultTable } from '../src/index.js';

const read = (file: string): string => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
const page = read('docs/decoder.md');

it('docs/decoder.md lists the edits as they are', () => {
  const rows = Object.entries(editTable).map(([code, { version, sentence }]) => `| \`${code}\` | ${version} | ${sentence} |`);
  expect(page).toContain(['| code | version | what is changed |', '| --- | --- | --- |', ...rows].join('\n'));
  expect(page).toContain(`\`${editListVersion}\`, SHA-256 \`${editListHash}\``);
});

it('docs/decoder.md lists the faults as they are', () => {
  const rows = Object.entries(faultTable).map(([code, sentence]) => `| \`${code}\` | ${sentence} |`);
  expect(page).toContain(['| fault | what was found |', '| --- | --- |', ...rows].join('\n'));
});

it('the report of the generated faults is of this list of edits', () => {
  expect(read('docs/reports/decoder.md')).toContain(`the decoder is ${editListVersion}, ${editListHash.slice(0, 12)}`);
});

it('the sample of the README does what it says', () => {
  const schema = { type: 'object', properties: { title: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } } } as const;
  const result = decode('```json\n{"title": "Low tide", "tags": ["slow",]}\n```', { schema, finishReason: 'stop' });
  expect(result).toMatchObject({ status: 'repaired', value: { title: 'Low tide', tags: ['slow'] } });
  const said = 'edits' in result ? result.edits.map(({ code, count }) => `${code} ${count}`).join(', ') : '';
  expect(read('packages/overseer/README.md')).toContain(`// ${said}`);
});

it('a policy names this list of edits by its hash', () => {
  expect(decoderVersion).toBe(`strict-json@1 ${editListVersion}:${editListHash.slice(0, 16)}`);
});
