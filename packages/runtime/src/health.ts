import { InvalidOptions, type RuntimeCode } from './errors.js';
import type { LifeState } from './lifeState.js';
import { safeCode } from './safeCode.js';

/** Components one process may report. */
export const COMPONENTS_MAX = 32;

export interface ComponentHealth {
  readonly ok: boolean;
  /** A code; where the component is not ok, why. */
  readonly reason?: string;
}

/** Where parts of a process say how they are. A component that is not ok makes the process unready, never dead. */
export interface Health {
  set(component: string, health: ComponentHealth): void;
  report(): HealthReport;
}

export interface HealthReport {
  readonly state: LifeState;
  readonly ready: boolean;
  readonly components: Readonly<Record<string, ComponentHealth>>;
}

/** Health over the state of the process: ready means the state is `ready` and every component is ok. */
export function createHealth(state: () => LifeState): Health {
  const components = new Map<string, ComponentHealth>();
  return {
    set(component, { ok, reason }) {
      const name = safeCode(component, 'unnamed');
      if (!components.has(name) && components.size >= COMPONENTS_MAX) {
        throw new InvalidOptions(`health: expected at most ${COMPONENTS_MAX} components`);
      }
      components.set(name, reason === undefined ? { ok } : { ok, reason: safeCode(reason, 'unsafe_code' satisfies RuntimeCode) });
    },
    report: () => ({
      state: state(),
      ready: state() === 'ready' && [...components.values()].every(({ ok }) => ok),
      components: Object.fromEntries(components),
    }),
  };
}
