import { readFileSync } from 'node:fs';
import { outputRepairReasons } from '@emend/contracts';
import type { ModelAnswer } from '@emend/model';
import { describe, expect, it } from 'vitest';
import { judgeTurn, overseerErrorCodes, type Turn } from '../src/index.js';
import { countedModel, observationProtocol, observed, repairs, requestWith, ring, says, unreadable, violating } from './countedModel.js';

const page = readFileSync(new URL('../../../docs/decision-tables/overseer.md', import.meta.url), 'utf8');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const whole = JSON.stringify(observed);
const answers: readonly (readonly [string, string, string | null])[] = [
  ['`stop`, strict JSON that fits', whole, 'stop'],
  ['`stop`, JSON with faults of which one lossless reading fits', `${whole.slice(0, -1)},}`, 'stop'],
  [
    '`stop`, several readings fit, or none is the only one',
    '{"title": "a "b", "c" d", "summary": "s", "tags": [], "confidence": 1, "evidence": []}',
    'stop',
  ],
  ['`stop`, no JSON', unreadable, 'stop'],
  ['`stop`, JSON that breaks the contract', violating, 'stop'],
  ['`stop`, JSON that says what no double holds', whole.replace('0.5', '1e999'), 'stop'],
  ['`stop`, nothing but blank', ' \n', 'stop'],
  ['`stop`, a refusal in words', 'I cannot help with that.', 'stop'],
  ['`stop`, an error object of a provider alone', '{"error":{"type":"api_error","message":"m"}}', 'stop'],
  ['`stop`, the same of a rate limit', '{"error":{"type":"rate_limit_error","message":"m"}}', 'stop'],
  ['`stop`, plainly cut off all the same', '{"title": "a', 'stop'],
  ['`stop`, more than 64 KiB', ' '.repeat(65_537), 'stop'],
  ['`stop`, nested deeper than an output may be', '['.repeat(200), 'stop'],
  ['`length`, whatever stands there', whole, 'length'],
  ['`content_filter`, whatever stands there', whole, 'content_filter'],
  ['`tool_calls`, where a message was due', whole, 'tool_calls'],
  ['no stop word or an unknown one, strict JSON that fits', whole, null],
  ['the same, strict JSON that breaks the contract', violating, null],
  ['the same, anything open', '{"title": "a", "tags": [', null],
];

const turnCells = (turn: Turn): readonly [string, string, string] => {
  switch (turn.kind) {
    case 'completed':
      return [`\`completed\`, ${turn.obtained}`, '', ''];
    case 'malformed':
      return ['`malformed`', `\`${turn.diagnostic.class}\``, turn.candidate === null ? 'no' : 'yes'];
    case 'failed':
      return [`\`failed\`, \`${turn.code}\``, '', ''];
    default:
      return [`\`${turn.kind}\``, '', ''];
  }
};

const primaries: readonly (readonly [string, ModelAnswer])[] = [
  ['completed', says(whole)],
  ['malformed, with a candidate', says(unreadable)],
  ['malformed, without one', says('{"title": "a', 'length')],
  ['failed', { kind: 'failed', code: 'provider_failed' }],
  ['not generated', { kind: 'not_generated', code: 'rate_limited' }],
  ['cancelled', { kind: 'failed', code: 'call_cancelled' }],
];

describe('the page of decisions says what the code does', () => {
  it('what an answer becomes', () => {
    const rows = answers.map(([name, text, finishReason]) => [name, ...turnCells(judgeTurn(observationProtocol, { text, finishReason }))]);
    expect(page).toContain(table(['answer', 'turn', 'class', 'candidate'], rows));
  });

  it('what is asked after a primary, and what comes back', async () => {
    const rows = await Promise.all(
      primaries.map(async ([name, answer]) => {
        const cells: string[] = [];
        for (const overseer of [repairs(observed), says('no')]) {
          const { invoke, kinds } = ring(countedModel('primary', answer), countedModel('overseer', overseer));
          const { turn, calls } = await invoke(requestWith());
          const told =
            kinds().length === 0
              ? 'none'
              : kinds()
                  .map((kind) => `\`${kind}\``)
                  .join(', ');
          if (cells.length === 0) cells.push(String(calls.length - 1));
          cells.push(turn.kind === 'completed' ? `\`completed\`, ${turn.obtained}` : `\`${turn.kind}\`, the primary’s own`, told);
        }
        return [name, ...cells];
      }),
    );
    expect(page).toContain(table(['primary', 'overseer calls', 'it succeeds', 'trace', 'it does not', 'trace'], rows));
  });

  it('why an overseer call did not help', () => {
    expect(page).toContain(
      table(
        ['reason', 'meaning'],
        Object.entries(outputRepairReasons).map(([reason, sentence]) => [`\`${reason}\``, sentence]),
      ),
    );
  });

  it('why there is no ring 1', () => {
    expect(page).toContain(
      table(
        ['code', 'meaning'],
        Object.entries(overseerErrorCodes).map(([code, sentence]) => [`\`${code}\``, sentence]),
      ),
    );
  });
});
