import { subjectPrefix } from '@emend/contracts';
import { connectionStatus, type LifeOptions, RefusedToStart, type StartContext } from '@emend/runtime';
import { LedgerError } from '@emend/ledger';
import { connectBroker } from './adapters/brokerConnection.js';
import { nodeDisk } from './adapters/nodeDisk.js';
import { openOwnLedger } from './adapters/ownLedger.js';
import { thisWriter } from './adapters/thisWriter.js';
import { exporterConfig } from './config.js';
import { exporterEvents, exporterLogFields } from './events.js';
import { ExportFolder } from './exportFolder.js';
import { exportPolicyOf } from './exportPolicyOf.js';
import { followLog } from './followLog.js';

/** The exporter as a process: the only place that wires. */
export function exporterLife(env: NodeJS.ProcessEnv): LifeOptions<typeof exporterConfig> {
  return { name: 'exporter', env, config: exporterConfig, logFields: exporterLogFields, start };
}

async function start({ config, log, metrics, health, signal, defer }: StartContext<typeof exporterConfig>) {
  const ledger = openHeld(config.file);
  defer(() => ledger.close());
  const policy = await exportPolicyOf(config, config.exportDir, ledger.facts);
  const folder = new ExportFolder({ disk: nodeDisk, root: config.exportDir, writer: thisWriter() });
  const { onStatus, connected } = connectionStatus({ log, health });
  const broker = await connectBroker(config, { name: 'exporter', signal, onStatus });
  defer(() => broker.close());

  log.info('exporter.wired', {
    reads: `${subjectPrefix}>`,
    writes: config.exportDir,
    file: ledger.file,
    opened: ledger.opened,
    position: ledger.position(),
    sourceKinds: config.sourceKinds.join(' '),
    declassification: policy.declassification === null ? 'none' : `${policy.declassification.events.size} events`,
    destination: policy.destination === null ? 'public only' : `up to ${policy.destination.upTo}`,
    server: broker.serverVersion,
  });
  connected();

  const events = exporterEvents(log, metrics);
  const following = followLog({ ledger, log: broker.log, policy, folder, events, health, intervalMs: config.intervalMs, signal });
  return { running: following };
}

/** Two exporters on one file would fold over each other: the second does not start. */
function openHeld(file: string) {
  try {
    return openOwnLedger(file);
  } catch (error) {
    if (error instanceof LedgerError) throw new RefusedToStart(error.code);
    throw error;
  }
}
