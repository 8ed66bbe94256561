import { bootstrap } from '@emend/log';
import { exitCodes } from '../exitCodes.js';
import { brokerUrl, connectBoundMs, credentialsFileOf } from '../stack/brokerUrl.js';
import { findHome, readDefinitions } from '../stack/home.js';
import type { CommandContext } from './context.js';

/** Creates streams, buckets and durables, and compares what the server echoes with what was asked. */
export async function bootstrapCommand({ env, voice }: CommandContext, options: { readonly definitions?: string }): Promise<number> {
  const definitions = await readDefinitions(findHome(env), options.definitions);
  const report = await bootstrap({ servers: brokerUrl(env), credentialsFile: credentialsFileOf(env), connectBoundMs, definitions });
  voice.result(report, `${report.created.length} made, ${report.present.length} present, all as asked (server ${report.serverVersion})`);
  return exitCodes.ok;
}
