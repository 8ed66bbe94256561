import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { type Broker, bootstrap, connect, parseDefinitions } from '@emend/log';
import { startTestServer, type TestServer, workspaceRoot } from '@emend/log/server';
import { afterEach, describe, expect, it } from 'vitest';
import { quarantineShowCommand } from '../src/commands/quarantine.js';
import { exitCodeOf, exitCodes } from '../src/exitCodes.js';
import { createVoice } from '../src/terminal/voice.js';
import { visibleJson, visibleText } from '../src/terminal/visible.js';

const run = 'r'.repeat(22);
const given = { as: 'keeper', reason: 'Ticket 12: no title' } as const;
/** What a model wrote: it clears a screen, paints, turns the writing round, and carries a word to look for. */
const malformed = '{"title":\n\t"canary-4c1d \u001b[2J\u009b1m \u202eevil"';

/** Whoever names nobody may do anything but say that it did. */
const silenced = `
accounts {
  ALL {
    jetstream: enabled
    users: [
      { user: admin, password: pw }
      { user: silenced, password: pw, permissions: { publish: { deny: [ "incident.>" ] } } }
    ]
  }
}
no_auth_user: silenced
`;
const admin = { kind: 'password', user: 'admin', password: 'pw' } as const;

let server: TestServer;
let broker: Broker;

/** A broker with the shipped streams and buckets, and one text in quarantine. */
async function start({ config, ttlSeconds = 60 }: { readonly config?: string; readonly ttlSeconds?: number } = {}): Promise<void> {
  server = await startTestServer(config === undefined ? {} : { config });
  const shipped = parseDefinitions(JSON.parse(readFileSync(join(workspaceRoot(), 'deploy/jetstream.json'), 'utf8')));
  const maxBytes = 16 * 1024 * 1024;
  const definitions = {
    streams: shipped.streams.map((stream) => ({ ...stream, maxBytes })),
    buckets: shipped.buckets.map((bucket) => ({ ...bucket, maxBytes, ttlSeconds })),
    durables: [],
  };
  await bootstrap({ servers: server.url, definitions, ...(config === undefined ? {} : { credentials: admin }) });
  broker = await connect({ servers: server.url, name: 'test', stream: 'INCIDENTS' });
  await (await broker.view('quarantine')).put(run, new TextEncoder().encode(malformed), 0);
}

afterEach(async () => {
  await broker.close();
  await server.remove();
});

/** Runs the command: what it printed, and the exit code or the error that it ended with. */
async function shown(name: string = run, flags: { readonly as: string; readonly reason: string } = given, json = false) {
  const printed = { out: '', err: '' };
  const sink = (to: 'out' | 'err'): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, next) {
        printed[to] += chunk.toString();
        next();
      },
    });
  const voice = createVoice({ json, out: sink('out'), err: sink('err') });
  const context = { env: { EMEND_NATS_URL: server.url }, voice, json, signal: new AbortController().signal };
  const ended: unknown = await quarantineShowCommand(context, name, flags).catch((error: unknown) => error);
  return { ...printed, ended };
}

/** What a stream holds, as text. */
async function held(stream: string): Promise<readonly string[]> {
  const reader = await connect({ servers: server.url, name: 'reader', stream });
  const all: string[] = [];
  const to = await reader.log.lastSequence();
  for await (const { subject, bytes } of reader.log.read({ from: 1, to })) all.push(`${subject} ${new TextDecoder().decode(bytes)}`);
  await reader.close();
  return all;
}

const incidentOf = (name: string): string =>
  `incident.thought.operator.quarantine_opened.keeper {"code":"quarantine_opened","operator":"keeper","reason":"Ticket 12: no title","service":"operator","subject":"$KV.quarantine.${name}","time":"`;

describe('the text of a failed answer', () => {
  it('is shown once an incident says who opened it and why, and it is in nothing else', async () => {
    await start();
    const heard: string[] = [];
    const ending = new AbortController();
    const listening = (async () => {
      for await (const { subject, bytes } of broker.follow('>', ending.signal)) heard.push(`${subject} ${new TextDecoder().decode(bytes)}`);
    })();
    const { out, err, ended } = await shown();
    expect([ended, err]).toEqual([exitCodes.ok, '']);
    expect(out).toContain('canary-4c1d');
    await expect.poll(() => heard.filter((text) => text.startsWith('incident.')).length).toBe(1);
    ending.abort();
    await listening;
    expect(await held('INCIDENTS')).toEqual([expect.stringContaining(incidentOf(run))]);
    // The answer of the bucket goes to the inbox of the command alone; everybody else heard of the incident.
    const others = heard.filter((text) => !text.startsWith('_INBOX.'));
    const sinks = [...others, ...(await held('THOUGHT')), ...(await held('TRACE')), ...(await held('INCIDENTS')), err];
    expect(sinks.filter((text) => text.includes('canary-4c1d'))).toEqual([]);
  });

  it('is printed without what a terminal would obey', async () => {
    await start();
    expect((await shown()).out).toBe('{"title":\n\t"canary-4c1d \\u{1b}[2J\\u{9b}1m \\u{202e}evil"\n');
  });

  it('is exact with --json, and that line holds no such character either', async () => {
    await start();
    const { out } = await shown(run, given, true);
    expect(JSON.parse(out)).toEqual({ run, bytes: Buffer.byteLength(malformed), text: malformed });
    expect(visibleText(out)).toBe(out);
  });

  it('stays closed where the incident cannot be stored', async () => {
    await start({ config: silenced });
    const { out, err, ended } = await shown();
    expect([out, err]).toEqual(['', '']);
    expect(ended).toMatchObject({
      code: 'audit_failed',
      place: 'incident.thought.operator.quarantine_opened.keeper (permission_denied)',
    });
    expect(exitCodeOf(ended)).toBe(exitCodes.failed);
  });

  it('of a run that nobody set aside is not there, and that somebody asked is on record', async () => {
    await start();
    const unknown = 'u'.repeat(22);
    const { out, ended } = await shown(unknown);
    expect([out, exitCodeOf(ended)]).toEqual(['', exitCodes.notFound]);
    expect(ended).toMatchObject({ code: 'quarantine_empty', place: unknown });
    expect(await held('INCIDENTS')).toEqual([expect.stringContaining(incidentOf(unknown))]);
  });

  it('whose lifetime is over is not there', async () => {
    await start({ ttlSeconds: 1 });
    const view = await broker.view('quarantine');
    await expect.poll(() => view.get(run), { timeout: 20_000 }).toBeNull();
    const { out, ended } = await shown();
    expect([out, exitCodeOf(ended)]).toEqual(['', exitCodes.notFound]);
    expect(ended).toMatchObject({ code: 'quarantine_empty' });
  });

  it.each([
    ['operator_invalid', { ...given, as: '' }],
    ['operator_invalid', { ...given, as: 'two words' }],
    ['operator_invalid', { ...given, as: 'a.b' }],
    ['operator_invalid', { ...given, as: 'x'.repeat(65) }],
    ['reason_invalid', { ...given, reason: '' }],
    ['reason_invalid', { ...given, reason: 'one\ntwo' }],
    ['reason_invalid', { ...given, reason: '{"canary": 1}' }],
    ['reason_invalid', { ...given, reason: 'x'.repeat(201) }],
  ] as const)('is refused as %s for %j, before anybody is asked', async (code, flags) => {
    await start();
    const { out, ended } = await shown(run, flags);
    expect([out, exitCodeOf(ended)]).toEqual(['', exitCodes.usage]);
    expect(ended).toMatchObject({ code });
    expect(String((ended as Error).message)).not.toContain('canary');
    expect(await held('INCIDENTS')).toEqual([]);
  });
});

it.each([
  ['a\tb\nc', 'a\tb\nc'],
  ['Zażółć 箱 👍', 'Zażółć 箱 👍'],
  ['\r\u0000\u007f\u0085', '\\u{d}\\u{0}\\u{7f}\\u{85}'],
  ['\u200b\u2066\u2028\ufeff', '\\u{200b}\\u{2066}\\u{2028}\\u{feff}'],
  ['\u{e0041}', '\\u{e0041}'],
  ['\ud800', '\\u{d800}'],
])('%j is printed as %j, and in JSON it comes back as it was', (text, printed) => {
  expect(visibleText(text)).toBe(printed);
  expect(JSON.parse(visibleJson({ [text]: text }))).toEqual({ [text]: text });
  expect(visibleText(visibleJson({ [text]: text }))).toBe(visibleJson({ [text]: text }));
});
