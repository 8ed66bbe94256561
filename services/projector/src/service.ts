import { connectionStatus, type LifeOptions, RefusedToStart, type StartContext, systemClock } from '@emend/runtime';
import { LedgerError } from '@emend/ledger';
import { brokerIncidents, incidentProbe } from './adapters/brokerIncidents.js';
import { type ProjectorConfig, projectorConfig } from './config.js';
import { PROJECTION_VERSION } from './domain/generation.js';
import { viewNames } from './domain/rows.js';
import { projectorEvents, projectorLogFields } from './events.js';
import { bindViews, openBroker, openFold } from './openParts.js';
import { projectLog } from './projectLog.js';

/** The projector as a process: the only place that wires it. */
export function projectorLife(env: NodeJS.ProcessEnv): LifeOptions<ProjectorConfig> {
  return { name: 'projector', env, config: projectorConfig, logFields: projectorLogFields, start };
}

async function start({ config, log, metrics, health, signal, defer }: StartContext<ProjectorConfig>) {
  // The file first: a second projector on it must not even connect.
  const ledger = openExclusively(config.file, config.fileBytesMax);
  defer(() => ledger.close());
  const { onStatus, connected } = connectionStatus({ log, health });
  const broker = await openBroker(config, { signal, onStatus });
  connected();
  defer(() => broker.close());
  const views = await bindViews(broker);
  await broker.proveWrite([incidentProbe]);

  const last = await broker.log.lastSequence();
  log.info('projector.wired', {
    reads: config.stream,
    writes: viewNames.join(' '),
    file: config.file,
    opened: ledger.opened,
    position: ledger.position(),
    last,
    projection: PROJECTION_VERSION,
    server: broker.serverVersion,
  });
  const running = projectLog({
    ledger,
    log: broker.log,
    views,
    incidents: brokerIncidents(broker, systemClock),
    health,
    events: projectorEvents(log, metrics),
    putsInFlight: config.putsInFlight,
    signal,
  });
  return { running };
}

/** A file that another holds, or that is not ours, is a matter of how the service was set up. */
function openExclusively(file: string, bytesMax: number) {
  try {
    return openFold(file, bytesMax);
  } catch (error) {
    if (error instanceof LedgerError && (error.code === 'ledger_in_use' || error.code === 'ledger_foreign'))
      throw new RefusedToStart(error.code);
    throw error;
  }
}
