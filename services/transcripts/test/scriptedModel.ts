import type { JsonObject } from '@emend/contracts';
import type { CallAnswer, CallCounts, CallPort, RevisionCall } from '@emend/revision';
import type { Correction } from '../src/domain/correction.js';
import { codesOf, type ModelCheckName, modelCheckNames } from '../src/domain/modelChecks.js';

export const counts: CallCounts = { transportRetries: 0, structuralRepairs: 0, usage: { promptTokens: 100, completionTokens: 10 } };
export const answered = (value: unknown, more: Partial<CallCounts> = {}): CallAnswer => ({
  kind: 'answered',
  text: typeof value === 'string' ? value : JSON.stringify(value),
  ...counts,
  ...more,
});
export const failed = (code: string, more: Partial<CallCounts> = {}): CallAnswer => ({
  kind: 'failed',
  code,
  ...counts,
  usage: { promptTokens: null, completionTokens: null },
  ...more,
});

export const correction = (original: string, replacement: string, segment = 1): Correction => ({
  segment,
  original,
  replacement,
  reason: 'heard wrong',
});
export const revise = (proposal_ref: string, one: Correction) => ({ proposal_ref, action: 'revise', correction: one });
export const withdraw = (proposal_ref: string) => ({ proposal_ref, action: 'withdraw' });
export const approve = { verdict: 'approve' };
export const reject = (code: string) => ({ verdict: 'reject', code, explanation: 'It would say something else.' });

/** What a call wants, as its contract says it. */
export type Wanted =
  | { readonly kind: 'propose' }
  | { readonly kind: 'decide'; readonly check: ModelCheckName }
  | { readonly kind: 'revise'; readonly ref: string };

export function wantedBy({ schema, messages }: RevisionCall): Wanted {
  if (schema['properties'] !== undefined) return { kind: 'propose' };
  const shapes = schema['anyOf'] as readonly { readonly properties: Readonly<Record<string, JsonObject>> }[];
  const codes = shapes[1]?.properties['code']?.['enum'] as readonly string[] | undefined;
  if (codes === undefined) return { kind: 'revise', ref: /correction (p\d+) of your list/.exec(messages.at(-1)?.content ?? '')?.[1] ?? '' };
  const check = modelCheckNames.find((name) => codesOf(name)[0] === codes[0]);
  if (check === undefined) throw new Error('no check has these codes');
  return { kind: 'decide', check };
}

export interface ScriptedModel {
  readonly call: CallPort;
  readonly calls: readonly (RevisionCall & { readonly wanted: Wanted })[];
}

/** Answers by what is wanted, and keeps what it was asked. */
export function scriptedModel(answer: (wanted: Wanted, call: RevisionCall) => unknown): ScriptedModel {
  const calls: (RevisionCall & { readonly wanted: Wanted })[] = [];
  return {
    calls,
    call(asked) {
      const wanted = wantedBy(asked);
      calls.push({ ...asked, wanted });
      const said = answer(wanted, asked);
      return Promise.resolve(isAnswer(said) ? said : answered(said));
    },
  };
}

const isAnswer = (said: unknown): said is CallAnswer =>
  typeof said === 'object' && said !== null && 'kind' in said && (said.kind === 'answered' || said.kind === 'failed');
