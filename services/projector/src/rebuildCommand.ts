import { rmSync } from 'node:fs';
import { createMetrics, loadConfig, silentLogger } from '@emend/runtime';
import { projectorConfig } from './config.js';
import { projectorEvents } from './events.js';
import { bindViews, openBroker, openFold } from './openParts.js';
import { type RebuildProgress, type Rebuilt, rebuildView } from './rebuildView.js';
import { rebuildLines } from './rebuildLines.js';

/** How long the command waits for a broker before it says that there is none. */
const CONNECT_BOUND_MS = 10_000;

/** What the command tells its caller. */
export const rebuildExitCodes = {
  /** Rebuilt, and the views had said what the log says. */
  equal: 0,
  /** It could not be done; run it again. */
  failed: 1,
  /** The configuration or the arguments cannot be used. */
  badConfig: 2,
  /** It refused: a bucket is missing, or an event is from a newer writer. */
  refused: 3,
  /** Rebuilt, and the views had said something else. They are right now. */
  differed: 4,
} as const;

export interface RebuildCommand {
  readonly env: NodeJS.ProcessEnv;
  readonly json: boolean;
  readonly signal: AbortSignal;
  /** One line of the result. */
  readonly say: (line: string) => void;
  readonly progress: (progress: RebuildProgress) => void;
}

/** `rebuild`: a fresh fold in a file beside the live one, the comparison, and the difference put right. */
export async function rebuildCommand({ env, json, signal, say, progress }: RebuildCommand): Promise<number> {
  const config = loadConfig(projectorConfig, env);
  const file = `${config.file}.rebuild-${process.pid}`;
  const remove = (): void => ['', '-wal', '-shm'].forEach((ending) => rmSync(`${file}${ending}`, { force: true }));
  remove();
  const ledger = openFold(file, config.fileBytesMax);
  try {
    const broker = await openBroker(config, { connectBoundMs: CONNECT_BOUND_MS });
    try {
      const views = await bindViews(broker);
      const events = projectorEvents(silentLogger, createMetrics({ service: 'projector' }));
      const rebuilt = await rebuildView({
        ledger,
        log: broker.log,
        views,
        events,
        putsInFlight: config.putsInFlight,
        onProgress: progress,
        signal,
      });
      for (const line of json ? [JSON.stringify(rebuilt)] : rebuildLines(rebuilt)) say(line);
      return exitCodeOf(rebuilt);
    } finally {
      await broker.close();
    }
  } finally {
    ledger.close();
    remove();
  }
}

function exitCodeOf(rebuilt: Rebuilt): number {
  switch (rebuilt.kind) {
    case 'rebuilt':
      return rebuilt.byteEqual ? rebuildExitCodes.equal : rebuildExitCodes.differed;
    case 'log_empty':
      return rebuildExitCodes.equal;
    case 'unknown_version':
      return rebuildExitCodes.refused;
    case 'interrupted':
      return rebuildExitCodes.failed;
    default:
      return rebuilt satisfies never;
  }
}
