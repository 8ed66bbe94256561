import { describe, expect, it } from 'vitest';
import {
  canonicalBytes,
  encodeOutputRepairEvent,
  type OutputRepairEvent,
  outputRepairReasons,
  outputRepairSubjectPrefix,
} from '../src/index.js';

const publication = { producer: 'runner', time: '2026-01-02T03:04:05.678Z' };
const facts = { invocation: 'i1', model: 'org/Big', bytes: 12, issueCodes: ['not_json'] } as const;
const usage = { promptTokens: 3, completionTokens: null };
const kinds: readonly OutputRepairEvent[] = [
  { kind: 'started', ...facts },
  { kind: 'succeeded', ...facts, usage },
  { kind: 'failed', ...facts, usage, reason: 'envelope_invalid' },
];
const read = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));

describe('an event of an overseer call, as the run trace has it (O13, O17, O20)', () => {
  it.each(kinds)('$kind stands under its kind and producer, and under its run where there is one', (event) => {
    expect(encodeOutputRepairEvent(event, publication).subject).toBe(`${outputRepairSubjectPrefix}${event.kind}.runner`);
    expect(encodeOutputRepairEvent({ ...event, run: 'r1' }, publication).subject).toBe(
      `trace.thought.output-repair.${event.kind}.runner.r1`,
    );
  });

  it.each(kinds)('$kind carries the fields that it may have', (event) => {
    expect(read(encodeOutputRepairEvent({ ...event, run: 'r1' }, publication).bytes)).toEqual({ ...event, run: 'r1', ...publication });
  });

  it.each(kinds)('$kind: whatever else is in hand does not travel (O33)', (event) => {
    const careless = {
      ...event,
      text: 'CANARY',
      candidate: { text: 'CANARY' },
      cause: new Error('CANARY'),
      usage: { ...usage, raw: 'CANARY' },
    };
    expect(new TextDecoder().decode(encodeOutputRepairEvent(careless, publication).bytes)).not.toContain('CANARY');
  });

  it.each(kinds)('$kind has the bytes of its canonical form', (event) => {
    const { bytes } = encodeOutputRepairEvent({ ...event, run: 'r1', model: 'Modell “ü”' }, publication);
    expect(bytes).toEqual(canonicalBytes(read(bytes)));
  });

  it('says at most 32 codes', () => {
    const many = { ...facts, kind: 'started', issueCodes: Array.from({ length: 40 }, () => 'type' as const) } as const;
    expect(read(encodeOutputRepairEvent(many, publication).bytes)).toMatchObject({ issueCodes: { length: 32 } });
  });

  it('fails for one of a closed list of reasons', () => {
    expect(Object.keys(outputRepairReasons)).toEqual([
      'cancelled',
      'call_failed',
      'not_generated',
      'answer_incomplete',
      'answer_too_large',
      'envelope_invalid',
      'answer_unchanged',
      'protocol_refused',
      'valid_paths_changed',
    ]);
  });
});
