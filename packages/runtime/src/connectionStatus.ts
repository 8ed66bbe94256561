import type { Health } from './health.js';
import type { Logger } from './logger.js';

/** The component under which a process tells of its broker. */
const component = 'broker';

export interface ConnectionStatus {
  /** For the connection's own reports: `waiting` for the first one, `disconnect`, `reconnect`. Others are not of interest here. */
  readonly onStatus: (status: { readonly kind: string }) => void;
  /** The first connection stands. */
  readonly connected: () => void;
}

/** What a connection says of itself, as health and log lines: a process that waits for its broker is not silent. */
export function connectionStatus({ log, health }: { readonly log: Logger; readonly health: Health }): ConnectionStatus {
  const away = (reason: string): void => {
    health.set(component, { ok: false, reason });
    log.warn('broker.away', { reason });
  };
  return {
    onStatus({ kind }) {
      if (kind === 'waiting') away('unreachable');
      if (kind === 'disconnect') away('disconnected');
      if (kind !== 'reconnect') return;
      health.set(component, { ok: true });
      log.info('broker.back');
    },
    connected: () => health.set(component, { ok: true }),
  };
}
