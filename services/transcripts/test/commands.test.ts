import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { correctCommand } from '../src/commands/correct.js';
import { promptsCommand } from '../src/commands/prompts.js';

let folder: string;
let server: Server;
let env: NodeJS.ProcessEnv;
let requests = 0;

/** An endpoint that corrects one homophone and finds nothing against it. */
function answerTo(body: string): string {
  const { messages } = JSON.parse(body) as { readonly messages: readonly { readonly content: string }[] };
  const system = messages[0]?.content ?? '';
  if (!system.includes('"corrections"')) return '{"verdict":"approve"}';
  const correction = { segment: 1, original: 'peer', replacement: 'pier', reason: 'a <pier> is met at' };
  return JSON.stringify({ corrections: system.includes('sound like') ? [correction] : [] });
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'emend-transcripts-'));
  await writeFile(path.join(folder, 'talk.txt'), 'we met at the north peer\n');
  server = createServer((request, response) => {
    requests += 1;
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const message = { role: 'assistant', content: answerTo(body) };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ model: 'm', choices: [{ finish_reason: 'stop', message }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  env = { EMEND_TRANSCRIPTS_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, EMEND_TRANSCRIPTS_MODEL: 'm' };
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

async function said(
  command: typeof correctCommand,
  args: readonly string[],
  change: NodeJS.ProcessEnv = {},
  colour = false,
): Promise<string> {
  const lines: string[] = [];
  await command(args, { ...env, ...change }, { say: (text) => void lines.push(text), complain: () => {}, colour });
  return lines.join('\n');
}
const talk = () => path.join(folder, 'talk.txt');

describe('correct', () => {
  it('shows before and after of each changed segment with its reason, from any OpenAI-compatible endpoint', async () => {
    expect(await said(correctCommand, [talk()])).toBe(
      's1\n- we met at the north peer\n+ we met at the north pier\n  homophones: "peer" to "pier": a <pier> is met at\n\n1 of 1 corrections applied',
    );
    expect(await said(correctCommand, [talk()], {}, true)).toContain('\u001b[32m+ we met at the north pier\u001b[0m');
  });

  it('writes a page that escapes what was said', async () => {
    const page = await said(correctCommand, [talk(), '--html']);
    expect(page).toContain('<del>peer</del> <ins>pier</ins> a &lt;pier&gt; is met at');
  });

  it('writes the history of every attempt where it is told to, with every text redacted, and the result is the same (A95, A138)', async () => {
    const file = path.join(folder, 'debug.jsonl');
    const plain = await said(correctCommand, [talk()]);
    expect(await said(correctCommand, [talk()], { EMEND_TRANSCRIPTS_DEBUG_FILE: file })).toBe(plain);
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ kind: 'assessed', stage: 'homophones', section: 1 }]);
    expect(lines.join()).not.toMatch(/peer|pier/);
    const unwritable = { EMEND_TRANSCRIPTS_DEBUG_FILE: path.join(folder, 'no', 'folder') };
    expect(await said(correctCommand, [talk()], unwritable)).toBe(plain);
  });

  it.each([
    ['file_unreadable', ['nowhere.srt']],
    ['transcript_refused', ['--format', 'srt']],
    ['prompts_refused', []],
  ])('refuses with %s before the first call', async (code, args) => {
    const before = requests;
    const mine = path.join(folder, code);
    await mkdir(mine, { recursive: true });
    await writeFile(path.join(mine, 'check.style.liquid'), 'x');
    const files = args.includes('nowhere.srt') ? [] : [talk()];
    const change = code === 'prompts_refused' ? { EMEND_TRANSCRIPTS_PROMPTS: mine } : {};
    await expect(said(correctCommand, [...files, ...args], change)).rejects.toMatchObject({ code });
    expect(requests).toBe(before);
  });
});

describe('prompts', () => {
  it.each([[[]], [['forget']], [['show']], [['list', 'grammar.repair']]])('%j is wrong use', async (words) => {
    await expect(said(promptsCommand, words)).rejects.toMatchObject({ code: 'wrong_use' });
  });

  it('lists what is in force, shows one, and says what a folder changes', async () => {
    const mine = path.join(folder, 'mine');
    await mkdir(path.join(mine, 'fragments'), { recursive: true });
    await writeFile(path.join(mine, 'fragments', 'spoken.liquid'), 'Mine.');
    const change = { EMEND_TRANSCRIPTS_PROMPTS: mine };
    expect(await said(promptsCommand, ['list'], change)).toContain('replaced  fragments/spoken (fragment)');
    expect(await said(promptsCommand, ['show', 'fragments/spoken'], change)).toBe('Mine.');
    expect(await said(promptsCommand, ['diff'], change)).toContain('+ Mine.');
    expect(await said(promptsCommand, ['diff'])).toBe('every prompt is as it ships');
    await expect(said(promptsCommand, ['show', 'nobody'])).rejects.toMatchObject({ code: 'prompt_unknown' });
    const list = JSON.parse(await said(promptsCommand, ['list', '--json'], change)) as readonly object[];
    expect(list).toContainEqual({ name: 'fragments/spoken', replaced: true, fragment: true });
    expect(JSON.parse(await said(promptsCommand, ['diff', '--json'], change))).toMatchObject([
      { name: 'fragments/spoken', after: 'Mine.' },
    ]);
  });
});
