import { z } from 'zod';

/** What the parent plants, for the canary to look for. */
export interface CanaryProbe {
  readonly type: 'probe';
  /** A port that the parent listens on, on the loopback of the host. */
  readonly port: number;
  readonly parentPid: number;
  /** Paths that are there on the host. */
  readonly hostPaths: readonly string[];
}

/** How one attempt ended: the code of its error, or `done`. */
const attemptSchema = z.string().max(64);

export const canaryReportSchema = z.strictObject({
  type: z.literal('report'),
  environment: z.array(z.string().max(256)).max(256),
  user: z.number(),
  tcp: attemptSchema,
  listen: attemptSchema,
  unix: attemptSchema,
  reads: z.record(z.string(), attemptSchema),
  list: attemptSchema,
  writes: z.record(z.string(), attemptSchema),
  signalParent: attemptSchema,
  signalSelf: attemptSchema,
  fork: attemptSchema,
  compile: attemptSchema,
  openFiles: z.array(z.number()).max(64),
});
export type CanaryReport = z.infer<typeof canaryReportSchema>;

interface Claim {
  readonly name: string;
  readonly holds: (report: CanaryReport) => boolean;
}

const absent = ['ENOENT', 'ENOTDIR'];
const unwritable = ['EROFS', 'ENOENT', 'EACCES', 'EPERM'];
const every = (attempts: Readonly<Record<string, string>>, codes: readonly string[]): boolean =>
  Object.keys(attempts).length > 0 && Object.values(attempts).every((code) => codes.includes(code));

/** What a sandbox promises, each by its name in an operator's log. */
export const claims: readonly Claim[] = [
  { name: 'environment_empty', holds: ({ environment }) => environment.every((name) => name === 'PWD') },
  { name: 'user_nobody', holds: ({ user }) => user === 65_534 },
  { name: 'no_connection', holds: ({ tcp }) => tcp === 'EPERM' },
  { name: 'no_listening', holds: ({ listen }) => listen === 'EPERM' },
  { name: 'no_unix_socket', holds: ({ unix }) => unix === 'EPERM' },
  { name: 'host_files_absent', holds: ({ reads }) => every(reads, absent) },
  { name: 'no_listing', holds: ({ list }) => list === 'EPERM' },
  { name: 'nothing_writable', holds: ({ writes }) => every(writes, unwritable) },
  { name: 'no_signal_to_parent', holds: ({ signalParent }) => signalParent === 'EPERM' },
  { name: 'no_signal_at_all', holds: ({ signalSelf }) => signalSelf === 'EPERM' },
  { name: 'no_process', holds: ({ fork }) => fork === 'EPERM' },
  { name: 'no_code_from_strings', holds: ({ compile }) => compile === 'EvalError' },
  { name: 'no_file_inherited', holds: ({ openFiles }) => openFiles.length === 0 },
];

/** The claims that a report does not bear out. None: the sandbox holds. */
export const missesOf = (report: CanaryReport): readonly string[] => claims.filter(({ holds }) => !holds(report)).map(({ name }) => name);
