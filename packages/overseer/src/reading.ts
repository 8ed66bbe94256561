import { type FinishMeaning, type Issue, type IssueCode, type JsonValue, openContainers } from '@emend/contracts';
import type { ContractView } from './contractView.js';
import type { Outcome } from './decoded.js';
import { byteOffsets } from './editList.js';
import type { FaultCode } from './faults.js';
import type { Budget, Limits } from './limits.js';
import type { Failure } from './sheet.js';
import type { Wrapping } from './wrapping.js';

/** One text on its way through the decoder. */
export interface Reading {
  readonly text: string;
  readonly bytes: number;
  readonly meaning: FinishMeaning;
  readonly view: ContractView;
  readonly limits: Limits;
  readonly wrapping: Wrapping;
  readonly budget: Budget;
}

export const truncated: Outcome = { status: 'truncated' };
export const empty: Outcome = { status: 'empty' };

/** Invalid JSON: truncated where the provider cannot say that the text ended. */
export function invalidJson(reading: Reading, fault: FaultCode, at: number, issue: IssueCode = 'not_json'): Outcome {
  if (reading.meaning === 'unknown') return truncated;
  const issues: readonly Issue[] = [{ code: issue, path: '' }];
  return { status: 'invalid', class: 'invalid_json', fault, at: byteOffsets(reading.text, reading.bytes)(at), issues, issueCount: 1 };
}

export function ambiguous(reading: Reading, fault: FaultCode, at: number, readings: number): Outcome {
  if (reading.meaning === 'unknown') return truncated;
  return { status: 'ambiguous', readings, fault, at: byteOffsets(reading.text, reading.bytes)(at) };
}

/** Read in full, and refused by the contract. */
export function contractViolation(rejected: JsonValue, issues: readonly Issue[], issueCount: number): Outcome {
  return { status: 'invalid', class: 'contract_violation', fault: 'contract', at: 0, issues, issueCount, rejected };
}

/** JSON that strict reading refuses for what it says, not for how it is written. */
export function refusedStrictly(reading: Reading, code: IssueCode): Outcome {
  if (code === 'too_deep') return { status: 'too_large', limit: 'levels' };
  if (reading.meaning === 'unknown') return truncated;
  const broken = code === 'number_unsafe' ? 'contract_violation' : 'invalid_json';
  return { status: 'invalid', class: broken, fault: 'strict', at: 0, issues: [{ code, path: '' }], issueCount: 1 };
}

/** A scan that stopped. With `stop` the provider's word is no proof: what is open and ends without a closer is cut off. */
export function unread(reading: Reading, payload: string, failure: Failure): Outcome {
  if (failure.kind === 'too_deep') return { status: 'too_large', limit: 'levels' };
  if (isCutOff(payload)) return truncated;
  switch (failure.kind) {
    case 'open':
      return invalidJson(reading, 'bracket', reading.text.length);
    case 'fault':
      return invalidJson(reading, failure.code, failure.at);
    case 'ambiguous':
      return ambiguous(reading, failure.code, failure.at, failure.readings);
  }
}

export function isCutOff(payload: string): boolean {
  const ended = payload
    .trimEnd()
    .replace(/(?:```|~~~)$/, '')
    .trimEnd();
  return openContainers(ended).atEnd > 0 && !/[}\]｝］]$/.test(ended);
}
