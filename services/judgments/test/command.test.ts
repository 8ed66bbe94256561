import { describe, expect, test } from 'vitest';
import { observed, runStory } from '../../../test/support/history.js';
import { commandBytesMax, readCommand } from '../src/domain/command.js';
import { bytesOf, commandFrom, pointers, recordOf, retractOf } from './commands.js';

const story = runStory();
const at = pointers(story);
const body = recordOf(story, { target: at.proposal, verdict: 'correct', replacementOutput: observed('better') as never });
const subject = 'svc.thought.judgments.record.anna';
const read = (change: { subject?: string; bytes?: Uint8Array }) => readCommand({ subject, bytes: bytesOf(body), ...change });

describe('a request is a command', () => {
  test('whose authority is the last token of its subject', () => {
    expect(read({})).toMatchObject({ kind: 'command', command: { operation: 'record', authority: 'anna', verdict: 'correct' } });
  });

  test('to retract, under the other subject', () => {
    const retraction = retractOf(story, { target: at.proposal, retracts: story.idOf.source });
    expect(commandFrom('ben', 'retract', retraction)).toMatchObject({ operation: 'retract', authority: 'ben' });
  });

  test('whose replacement is handed on as it was sent, a member named `__proto__` included', () => {
    const text = JSON.stringify({ ...body, replacementOutput: 0 }).replace('"replacementOutput":0', '"replacementOutput":{"__proto__":1}');
    const command = readCommand({ subject, bytes: new TextEncoder().encode(text) });
    expect(JSON.stringify(command)).toContain('"replacementOutput":{"__proto__":1}');
  });
});

describe('a request is refused', () => {
  const text = JSON.stringify(body);
  test.each<[string, Parameters<typeof read>[0], string]>([
    ['under an operation of nobody', { subject: 'svc.thought.judgments.erase.anna' }, 'subject_invalid'],
    ['without an authority', { subject: 'svc.thought.judgments.record' }, 'subject_invalid'],
    ['with an authority of two tokens', { subject: `${subject}.ben` }, 'subject_invalid'],
    ['with an authority that no place can hold', { subject: 'svc.thought.judgments.record.anna@home' }, 'subject_invalid'],
    ['with a long authority', { subject: `svc.thought.judgments.record.${'a'.repeat(65)}` }, 'subject_invalid'],
    ['elsewhere', { subject: 'svc.other.record.anna' }, 'subject_invalid'],
    ['past the bound', { bytes: new Uint8Array(commandBytesMax + 1) }, 'command_too_large'],
    ['empty', { bytes: new Uint8Array() }, 'command_invalid'],
    ['not as UTF-8', { bytes: new Uint8Array([0xff, 0xfe]) }, 'command_invalid'],
    ['not as JSON', { bytes: new TextEncoder().encode('accept it') }, 'command_invalid'],
    ['as a list', { bytes: bytesOf([body]) }, 'command_invalid'],
    ['as null', { bytes: bytesOf(null) }, 'command_invalid'],
    ['with an authority of its own', { bytes: bytesOf({ ...body, authority: 'ben' }) }, 'command_invalid'],
    ['with a time of observation of its own', { bytes: bytesOf({ ...body, observedAt: '2026-01-01T00:00:00.000Z' }) }, 'command_invalid'],
    ['with a member named `__proto__`', { bytes: new TextEncoder().encode(text.replace('{', '{"__proto__":1,')) }, 'command_invalid'],
    ['with a name given twice', { bytes: new TextEncoder().encode(text.replace('{', '{"verdict":"accept",')) }, 'command_invalid'],
    ['with half a character', { bytes: bytesOf({ ...body, action: 'a\ud800' }) }, 'command_invalid'],
    ['without an action id', { bytes: bytesOf({ ...body, action: '' }) }, 'command_invalid'],
    ['with another verdict', { bytes: bytesOf({ ...body, verdict: 'adore' }) }, 'command_invalid'],
    ['nested too deep', { bytes: new TextEncoder().encode(`${'['.repeat(60_000)}${']'.repeat(60_000)}`) }, 'command_invalid'],
    ['as a retraction that records', { subject: 'svc.thought.judgments.retract.anna' }, 'command_invalid'],
  ])('%s', (_title, change, code) => {
    expect(read(change)).toEqual({ kind: 'refused', code });
  });
});
