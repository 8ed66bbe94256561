import { Writable } from 'node:stream';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { disguiseIds, plainId } from '../src/argumentIds.js';
import { exitCodes, findHome } from '../src/index.js';
import { buildProgram, type Run } from '../src/program.js';
import { createVoice } from '../src/terminal/voice.js';

const ran: Run = { once: async () => {}, untilStopped: async () => {} };

function sink(isTTY: boolean) {
  const chunks: string[] = [];
  const out = new Writable({
    write(chunk: Buffer, _encoding, next) {
      chunks.push(chunk.toString());
      next();
    },
  });
  return Object.assign(out, { isTTY, text: () => chunks.join('') });
}

describe('a command', () => {
  it('on a terminal overwrites its progress; the result stands on a line of its own', () => {
    const out = sink(true);
    const voice = createVoice({ json: false, out, err: sink(false) });
    voice.progress('1 line');
    voice.progress('2 lines');
    voice.result({ lines: 2 }, 'done');
    expect(out.text()).toBe('\r\u001b[2K1 line\r\u001b[2K2 lines\ndone\n');
  });

  it('elsewhere prints plain lines, and progress now and then', () => {
    const out = sink(false);
    const voice = createVoice({ json: false, out, err: sink(false) });
    for (let step = 1; step <= 1_000; step += 1) voice.progress(`${step} lines`);
    expect(out.text()).toBe('500 lines\n1000 lines\n');
  });

  it('with --json prints one document and nothing else', () => {
    const out = sink(true);
    const voice = createVoice({ json: true, out, err: sink(false) });
    voice.say('a line');
    voice.progress('1 line');
    voice.result({ lines: 1 }, 'done');
    expect(out.text()).toBe('{"lines":1}\n');
  });
});

describe('the program', () => {
  it('has every command that the README names', () => {
    const names = buildProgram(ran).commands.map((command) => command.name());
    expect(names).toEqual([
      'up',
      'bootstrap',
      'declare',
      'ingest',
      'show',
      'status',
      'quarantine',
      'judge',
      'effective',
      'review',
      'explain',
      'scan',
      'rebuild',
      'export',
      'transcript',
      'prompts',
    ]);
  });

  it('refuses words that it does not know, with the usage exit code', async () => {
    const program = buildProgram(ran);
    const all = [program, ...program.commands, ...program.commands.flatMap((command) => command.commands)];
    for (const command of all) command.configureOutput({ writeErr: () => {} });
    await expect(program.parseAsync(['node', 'emend', 'forget'])).rejects.toMatchObject({ exitCode: 1 });
    await expect(program.parseAsync(['node', 'emend', 'judge', 'accept', 'run'])).rejects.toMatchObject({
      code: 'commander.missingMandatoryOptionValue',
    });
  });
});

it('the home is the folder that has the services, or what EMEND_HOME says; else that is an error', () => {
  expect(findHome({ EMEND_HOME: '/somewhere' })).toBe('/somewhere');
  expect(findHome({})).toMatch(/[^/]$/);
  expect(() => findHome({}, '/')).toThrow(/home_missing/);
});

describe('an id that begins with a dash', () => {
  const id = `-${'a'.repeat(21)}`;

  it('is no option, wherever it stands', () => {
    expect(disguiseIds(['show', id, '--json']).map(plainId)).toEqual(['show', id, '--json']);
    expect(disguiseIds(['show', id])[1]).not.toMatch(/^-/);
  });

  it('comes to the command as it is', async () => {
    const seen: string[] = [];
    const program = buildProgram({
      ...ran,
      once: async (work) => {
        seen.push(work.toString());
      },
    });
    await program.parseAsync(disguiseIds(['node', 'emend', 'show', id]));
    expect(seen).toHaveLength(1);
  });
});

it('the README names every command, and every exit code', async () => {
  const readme = await readFile(join(import.meta.dirname, '..', 'README.md'), 'utf8');
  for (const command of buildProgram(ran).commands) expect(readme).toContain(`\`${command.name()}`);
  const codes = [...readme.matchAll(/^\| ([0-9]) \|/gm)].map((row) => Number(row[1]));
  expect(codes).toEqual(Object.values(exitCodes));
});
