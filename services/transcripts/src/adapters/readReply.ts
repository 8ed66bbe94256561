import { compileContract, type FinishMeaning, finishMeaning, type JsonObject } from '@emend/contracts';
import { type ModelAnswer, type Usage, usageUnsaid } from '@emend/model';
import { type Call, type CompletionProtocol, completionProtocol, type Invoked } from '@emend/overseer';
import type { CallAnswer, CallCounts } from '@emend/revision';

const protocols = new WeakMap<JsonObject, CompletionProtocol>();

/** Ring 1 for the schema of a call. A schema is compiled once for as long as it lives. */
export function protocolOf(schema: JsonObject): CompletionProtocol {
  const known = protocols.get(schema);
  if (known !== undefined) return known;
  const contract = compileContract({ id: 'emend.transcripts.reply', version: 1, schema, promptDescription: 'One JSON object.' });
  const protocol = completionProtocol(contract);
  protocols.set(schema, protocol);
  return protocol;
}

export interface Beside {
  /** The text of the model that answered, as it came. */
  readonly received: string | null;
  readonly transportRetries: number;
}

/**
 * What an invocation with ring 1 came to. A text that was read as it stands, or that nobody could repair, is given as it came: the contract of
 * whoever asked says what is wrong with it. A repaired one is given in canonical form, beside what was received.
 */
export function readTurn({ turn, calls }: Invoked, { received, transportRetries }: Beside): CallAnswer {
  const structuralRepairs = calls.filter(({ call }) => call === 'overseer').length;
  const counts: CallCounts = { transportRetries, structuralRepairs, usage: totalOf(calls) };
  switch (turn.kind) {
    case 'completed':
      return turn.obtained === 'exact'
        ? { kind: 'answered', text: received ?? turn.text, ...counts }
        : { kind: 'answered', text: turn.text, ...(received !== null && { received }), ...counts };
    case 'malformed': {
      const code = noAnswer(calls[0]?.finish ?? 'unknown');
      return code === null ? { kind: 'answered', text: received ?? '', ...counts } : { kind: 'failed', code, ...counts };
    }
    case 'failed':
    case 'not_generated':
      return { kind: 'failed', code: turn.code, ...counts };
    case 'cancelled':
      return { kind: 'failed', code: 'call_cancelled', ...counts };
    default:
      return turn satisfies never;
  }
}

/** The finish reason comes first: what was cut off or refused is no answer, however complete it looks. */
const noAnswer = (meaning: FinishMeaning): string | null => (meaning === 'complete' || meaning === 'unknown' ? null : `answer_${meaning}`);

/** Without ring 1: the finish reason decides whether there is an answer, and the text is read by whoever asked. */
export function strictAnswer(answer: ModelAnswer, transportRetries: number): CallAnswer {
  const counts: CallCounts = { transportRetries, structuralRepairs: 0, usage: answer.kind === 'generated' ? answer.usage : usageUnsaid };
  if (answer.kind !== 'generated') return { kind: 'failed', code: answer.code, ...counts };
  const code = noAnswer(finishMeaning(answer.finishReason));
  return code === null ? { kind: 'answered', text: answer.text, ...counts } : { kind: 'failed', code, ...counts };
}

/** Over all calls; null where no provider said anything. */
function totalOf(calls: readonly Call[]): Usage {
  const sum = (of: (usage: Usage) => number | null): number | null => {
    const said = calls.map(({ usage }) => of(usage)).filter((tokens) => tokens !== null);
    return said.length === 0 ? null : said.reduce((total, tokens) => total + tokens, 0);
  };
  return { promptTokens: sum(({ promptTokens }) => promptTokens), completionTokens: sum(({ completionTokens }) => completionTokens) };
}
