import { describe, expect, it } from 'vitest';
import { type Answer, judgeAnswer } from '../src/append/judgeAnswer.js';

const refusal = (errCode: number, description = '', code = 400): string =>
  JSON.stringify({ error: { code, err_code: errCode, description } });

describe('judgeAnswer', () => {
  const table: readonly (readonly [string, string, Answer])[] = [
    ['a sequence', '{"stream":"T","seq":5}', { kind: 'stored', sequence: 5 }],
    ['a duplicate', '{"stream":"T","seq":5,"duplicate":true}', { kind: 'ambiguous', cause: 'answer_doubtful' }],
    ['sequence 0', '{"stream":"T","seq":0}', { kind: 'ambiguous', cause: 'answer_doubtful' }],
    ['no JSON', '+OK', { kind: 'ambiguous', cause: 'answer_unreadable' }],
    ['null', 'null', { kind: 'ambiguous', cause: 'answer_unreadable' }],
    ['10071', refusal(10071), { kind: 'taken' }],
    ['10164', refusal(10164), { kind: 'taken' }],
    ['10158', refusal(10158), { kind: 'taken' }],
    ['10077 of the subject', refusal(10077, 'maximum messages per subject exceeded', 503), { kind: 'taken' }],
    ['10077 of the messages', refusal(10077, 'maximum messages exceeded', 503), { kind: 'limit' }],
    ['10077 of the bytes', refusal(10077, 'maximum bytes exceeded', 503), { kind: 'limit' }],
    ['10047', refusal(10047, 'insufficient storage resources available', 500), { kind: 'limit' }],
    ['10054', refusal(10054), { kind: 'permanent', code: 'too_large', brokerCode: 10054 }],
    ['10060', refusal(10060), { kind: 'permanent', code: 'stream_unfit', brokerCode: 10060 }],
    ['an unknown refusal', refusal(12345), { kind: 'permanent', code: 'broker_refused', brokerCode: 12345 }],
    ['an unknown fault of the server', refusal(12345, '', 503), { kind: 'ambiguous', cause: 'broker_12345' }],
    ['an error without anything', '{"error":{}}', { kind: 'ambiguous', cause: 'broker_0' }],
  ];
  it.each(table)('%s', (_name, body, answer) => {
    expect(judgeAnswer(body)).toEqual(answer);
  });
});
