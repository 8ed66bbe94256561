import {
  type JsonObject,
  type JsonValue,
  type JudgmentTarget,
  eventIdOf,
  judgmentRequestPrefix,
  keyTokenSchema,
  parseStrictJson,
  type RecordJudgment,
  type RetractJudgment,
  recordJudgmentSchema,
  retractJudgmentSchema,
  subjects,
} from '@emend/contracts';

/** UTF-8 bytes of a command as sent. Twice what an event may hold: a client may write its characters as escapes. */
export const commandBytesMax = 131_072;

export const operations = ['record', 'retract'] as const;
export type Operation = (typeof operations)[number];

/** What an authority asks for. `authority` is the last token of the subject: the credential, never a word of the body. */
export type JudgmentCommand =
  | (Omit<RecordJudgment, 'replacementOutput'> & {
      readonly operation: 'record';
      readonly authority: string;
      readonly replacementOutput?: JsonValue;
    })
  | (RetractJudgment & { readonly operation: 'retract'; readonly authority: string });

/** Why a request is not a command of ours. Nothing of it is repeated. */
export const commandFaults = {
  subject_invalid: 'The subject names no operation of ours, or its authority is not a token of `[A-Za-z0-9_-]`, at most 64 characters.',
  command_too_large: 'The body has more bytes than a command may have.',
  command_invalid: 'The body is not one strict JSON document of the shape of its operation.',
} as const;
export type CommandFault = keyof typeof commandFaults;

export type CommandRead =
  | { readonly kind: 'command'; readonly command: JudgmentCommand }
  | { readonly kind: 'refused'; readonly code: CommandFault };

/** Reads a request without trusting its sender. Pure; never throws. */
export function readCommand(request: { readonly subject: string; readonly bytes: Uint8Array }): CommandRead {
  const addressed = addresseeOf(request.subject);
  if (addressed === null) return { kind: 'refused', code: 'subject_invalid' };
  if (request.bytes.byteLength > commandBytesMax) return { kind: 'refused', code: 'command_too_large' };
  const body = parseBody(request.bytes);
  const command = body === null ? null : commandOf(addressed, body);
  return command === null ? { kind: 'refused', code: 'command_invalid' } : { kind: 'command', command };
}

interface Addressee {
  readonly operation: Operation;
  readonly authority: string;
}

function addresseeOf(subject: string): Addressee | null {
  const prefix = `${judgmentRequestPrefix}.`;
  const [word, authority, ...more] = subject.startsWith(prefix) ? subject.slice(prefix.length).split('.') : [];
  const operation = operations.find((known) => known === word);
  return operation !== undefined && more.length === 0 && keyTokenSchema.safeParse(authority).success
    ? { operation, authority: authority ?? '' }
    : null;
}

function commandOf(addressed: Addressee, body: JsonValue): JudgmentCommand | null {
  const { operation, authority } = addressed;
  if (operation === 'retract') {
    const parsed = retractJudgmentSchema.safeParse(body);
    return parsed.success ? { ...parsed.data, operation, authority } : null;
  }
  const parsed = recordJudgmentSchema.safeParse(body);
  if (!parsed.success) return null;
  const { replacementOutput: _copied, ...said } = parsed.data;
  // The schema has just found an object. Its own copy of the output would have lost a member named `__proto__`.
  const { replacementOutput } = body as JsonObject;
  return { ...said, ...(replacementOutput === undefined ? {} : { replacementOutput }), operation, authority };
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parseBody(bytes: Uint8Array): JsonValue | null {
  try {
    const parsed = parseStrictJson(decoder.decode(bytes));
    return parsed.kind === 'parsed' ? parsed.value : null;
  } catch {
    return null;
  }
}

/** What the judgment is about: a run names itself. */
export const targetOf = ({ target, run }: JudgmentCommand): JudgmentTarget =>
  target.kind === 'run' ? { kind: 'run', id: run } : { kind: target.kind, id: target.id };

/** The judgment that the command says it replaces or takes back. */
export const judgmentNamedBy = (command: JudgmentCommand): string | null =>
  command.operation === 'retract' ? command.retracts : command.supersedes;

/** The places of everything that a command rests on, as far as it names them itself. */
export function placesNamedBy(command: JudgmentCommand): readonly string[] {
  const { run, producer } = command;
  const named = [
    command.target,
    ...(command.operation === 'record' && command.prefer ? [command.prefer.preferred, command.prefer.over] : []),
  ];
  const policies = new Set(named.flatMap((one) => (one.kind === 'proposal' ? [one.policy] : [])));
  return [
    subjects.runStarted({ producer, run }),
    subjects.runEnded({ producer, run }),
    ...[...policies].flatMap((policy) => [
      subjects.repairRequested({ run, policy }),
      subjects.repairStarted({ run, policy }),
      subjects.correction({ run, policy }),
    ]),
  ];
}

/** Whether an output that a command names has the id of the place it names: a proposal stands on its policy's. */
export function idFitsPlace(command: JudgmentCommand, named: JudgmentCommand['target']): boolean {
  const { run, producer } = command;
  switch (named.kind) {
    case 'run':
      return true;
    case 'output':
      return named.id === eventIdOf(subjects.runEnded({ producer, run }));
    case 'proposal':
      return named.id === eventIdOf(subjects.correction({ run, policy: named.policy }));
    default:
      return named satisfies never;
  }
}
