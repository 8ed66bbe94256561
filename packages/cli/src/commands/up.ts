import { join } from 'node:path';
import { Producer } from '@emend/client';
import { connect } from '@emend/log';
import { declare } from '../declare/declare.js';
import { readDeclarations } from '../declare/folder.js';
import { CliError } from '../errors.js';
import { exitCodes } from '../exitCodes.js';
import { connectBoundMs, credentialsFileOf, dataDirOf } from '../stack/brokerUrl.js';
import { findHome } from '../stack/home.js';
import { type Stack, type StackOptions, startStack } from '../stack/stack.js';
import type { CommandContext } from './context.js';

/** Who the shipped declarations are from. */
const declarer = 'emend-declare';

export interface ShippedStackOptions
  extends Pick<StackOptions, 'env' | 'dataDir' | 'settings' | 'services' | 'definitions' | 'say' | 'signal'> {
  /** Folders of declarations beside the shipped one. */
  readonly declarations: readonly string[];
  /** Of the declarations, in milliseconds; the real clock, when absent. */
  readonly now?: () => number;
}

/** The whole of Emend on this machine, with the shipped declarations in the log before the services start. */
export async function startShippedStack({ declarations, now, ...options }: ShippedStackOptions): Promise<Stack> {
  const { env, say } = options;
  const home = findHome(env);
  const wanted = await readDeclarations([join(home, 'deploy', 'declarations'), ...declarations]);
  return startStack({
    ...options,
    home,
    beforeServices: async (url) => {
      const broker = await connect({
        servers: url,
        credentialsFile: credentialsFileOf(env),
        name: declarer,
        stream: 'THOUGHT',
        connectBoundMs,
      });
      try {
        const producer = new Producer({ log: broker.log, producer: declarer, ...(now ? { now } : {}) });
        const declared = await declare({ log: broker.log, producer, declarations: wanted, onPlan: () => true });
        const differing = declared.plan.filter(({ state }) => state === 'differs' || state === 'gap').map((step) => step.name);
        if (differing.length > 0) throw new CliError('declaration_invalid', differing.join(', '), 'a new version for new content');
        say(`declared: ${declared.plan.filter((step) => step.state === 'new').length} new, ${declared.plan.length} in all`);
      } finally {
        await broker.close();
      }
    },
  });
}

/** Starts everything and stays until it is told to stop, or until a service ends for good. */
export async function upCommand(
  { env, voice, signal }: CommandContext,
  options: { readonly data?: string; readonly declarations?: readonly string[] },
): Promise<number> {
  const dataDir = options.data ?? dataDirOf(env);
  const stack = await startShippedStack({ env, dataDir, declarations: options.declarations ?? [], say: voice.say, signal });
  voice.result(
    { url: stack.url, services: stack.services.map(({ service, pid }) => ({ service, pid })) },
    `up on ${stack.url}; Ctrl-C stops it`,
  );
  const ended = stack.services.map(({ service, ended: over }) => over.then((code) => ({ service, code })));
  const stopped = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }));
  const first = signal.aborted ? null : await Promise.race([...ended, stopped]);
  if (first) voice.complain(`${first.service} ended with exit code ${first.code ?? 'none'}; see ${join(dataDir, 'logs')}`);
  await stack.stop();
  return first ? exitCodes.failed : exitCodes.ok;
}
