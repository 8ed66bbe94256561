/** Where a process stands. `idle` is before `run`, and nothing leaves `stopped`. */
export type LifeState = 'idle' | 'starting' | 'ready' | 'draining' | 'stopped';

/** What moves it. */
export type LifeEvent = 'start' | 'started' | 'stop' | 'ended';

const moves: Readonly<Record<LifeState, Readonly<Partial<Record<LifeEvent, LifeState>>>>> = {
  idle: { start: 'starting', stop: 'stopped' },
  starting: { started: 'ready', stop: 'draining', ended: 'stopped' },
  ready: { stop: 'draining', ended: 'stopped' },
  draining: { ended: 'stopped' },
  stopped: {},
};

/** The next state. An event that has no move leaves the state as it is: stopping twice, or starting late, does nothing. */
export function nextState(state: LifeState, event: LifeEvent): LifeState {
  return moves[state][event] ?? state;
}
