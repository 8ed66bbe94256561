import {
  canonicalBytes,
  type JudgmentReply,
  judgmentReplySchema,
  judgmentRequestSubject,
  type RecordJudgmentInput,
  type RetractJudgmentInput,
  recordJudgmentSchema,
  retractJudgmentSchema,
} from '@emend/contracts';
import type { Broker } from '@emend/log';
import { ClientError } from './errors.js';

/** How long an answer may take. Past it nothing is known: the same command may be sent again. */
const replyBoundMs = 10_000;

/** An authority's door. The broker's credential decides who may use which name. */
export class Authority {
  constructor(
    private readonly broker: Broker,
    readonly name: string,
  ) {}

  /** @throws ClientError `command_invalid`, `reply_invalid`; LogError `no_responders`, `timeout`, `permission_denied` */
  async record(command: RecordJudgmentInput): Promise<JudgmentReply> {
    return this.#ask('record', recordJudgmentSchema.safeParse(command));
  }

  async retract(command: RetractJudgmentInput): Promise<JudgmentReply> {
    return this.#ask('retract', retractJudgmentSchema.safeParse(command));
  }

  async #ask(operation: 'record' | 'retract', parsed: { success: true; data: object } | { success: false }): Promise<JudgmentReply> {
    const subject = judgmentRequestSubject(operation, this.name);
    if (!parsed.success) throw new ClientError('command_invalid', subject);
    const reply = await this.broker.request(subject, canonicalBytes(JSON.parse(JSON.stringify(parsed.data))), replyBoundMs);
    try {
      return judgmentReplySchema.parse(JSON.parse(new TextDecoder().decode(reply.bytes)));
    } catch {
      throw new ClientError('reply_invalid', subject);
    }
  }
}
