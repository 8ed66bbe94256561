import { setMaxListeners } from 'node:events';
import { type Timers, aborted, systemTimers } from './clock.js';
import { processConfig } from './commonConfig.js';
import { type Config, type ConfigTable, loadConfig } from './config.js';
import { describeError } from './describeError.js';
import { type Disposal, createDisposal } from './disposal.js';
import { ConfigError, type RuntimeCode } from './errors.js';
import { type Ending, type ExitCode, endingOf, exitCodes, fault } from './exitCode.js';
import { type Health, createHealth } from './health.js';
import { startHealthServer } from './healthServer.js';
import { type LifeEvent, type LifeState, nextState } from './lifeState.js';
import { type Logger, type LoggerOptions, createLogger } from './logger.js';
import { type Metrics, createMetrics } from './metrics.js';
import { type RunEnd, followWork } from './runningWork.js';
import { within } from './within.js';

/** Time from the request to stop until the running work must have ended; longer than a loop's own drain. */
export const DRAIN_MAX_MS = 25_000;
/** Time for closing what was opened. Both together stay below the 30 s that supervisors usually grant. */
export const DISPOSE_MAX_MS = 3_000;

/** Any time will do: what counts is that the timer is there. */
const STAY_MS = 1_000_000_000;

export interface StartContext<T extends ConfigTable> {
  readonly config: Config<T & typeof processConfig>;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  /** Aborts when draining begins. */
  readonly signal: AbortSignal;
  /** Closes something when the life ends; the last opened is closed first. */
  readonly defer: (dispose: () => void | Promise<void>) => void;
}

export interface LifeOptions<T extends ConfigTable> {
  readonly name: string;
  readonly version?: string;
  readonly env: NodeJS.ProcessEnv;
  /** The settings of the service; those of `processConfig` are always read too. */
  readonly config: T;
  /** Names of log fields allowed beside `runtimeFields`. */
  readonly logFields?: readonly string[];
  /**
   * Opens and wires. When it resolves the process is ready. The work that goes on is returned inside an object,
   * because a promise for a promise does not exist; without any, the process lives until it is told to stop. When the
   * first piece of running work ends, the process drains: half a process is not ready.
   */
  readonly start: (context: StartContext<T>) => Promise<{ readonly running: Promise<RunEnd> | readonly Promise<RunEnd>[] } | void>;
  readonly drainMaxMs?: number;
  readonly logDestination?: NonNullable<LoggerOptions['destination']>;
  readonly processMetrics?: boolean;
  readonly timers?: Timers;
}

/** A process without the process: everything but signals and exit, so that tests can run it. */
export class Life<T extends ConfigTable> {
  readonly #options: LifeOptions<T>;
  readonly #aborter = new AbortController();
  readonly #timers: Timers;
  #log: Logger;
  #state: LifeState = 'idle';
  #ended: Promise<ExitCode> | undefined;

  constructor(options: LifeOptions<T>) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#log = this.#logger({});
    setMaxListeners(0, this.#aborter.signal); // Every loop and wait of the process listens.
  }

  get state(): LifeState {
    return this.#state;
  }

  get log(): Logger {
    return this.#log;
  }

  /** Starts, serves, drains and closes. A second call returns the same end. */
  run(): Promise<ExitCode> {
    this.#ended ??= this.#run();
    return this.#ended;
  }

  /** Asks for the end, now or before the start. A further request changes nothing and says so. */
  stop(reason: string): void {
    if (this.#aborter.signal.aborted) return this.#log.warn('process.already_stopping', { reason, state: this.#state });
    this.#move('stop');
    this.#log.info('process.stopping', { reason, state: this.#state });
    this.#aborter.abort();
  }

  async #run(): Promise<ExitCode> {
    this.#move('start');
    if (this.#state === 'stopped') return exitCodes.clean;
    // A service that is switched off holds nothing open, and promises alone do not keep a process alive.
    const staying = setInterval(() => {}, STAY_MS);
    const { exitCode, cause } = await this.#live();
    clearInterval(staying);
    this.#move('ended');
    this.#log[exitCode === 0 ? 'info' : 'error']('process.stopped', { exitCode, cause });
    return exitCode;
  }

  async #live(): Promise<Ending> {
    let config: Config<T & typeof processConfig>;
    try {
      config = loadConfig({ ...processConfig, ...this.#options.config }, this.#options.env);
    } catch (error) {
      return this.#failed(error);
    }
    const metrics = createMetrics({ service: this.#options.name, processMetrics: this.#options.processMetrics ?? false });
    const dropped = metrics.counter({ name: 'log_fields_dropped_total', help: 'Log fields that are not on the allow-list.' });
    this.#log = this.#logger({ level: config.logLevel, onDropped: (count) => dropped.inc(count) });
    const disposal = createDisposal(this.#log);
    const ending = await this.#serve(config, metrics, disposal);
    return this.#close(disposal, ending);
  }

  /** From the first port opened to the end of the work. */
  async #serve(config: Config<T & typeof processConfig>, metrics: Metrics, disposal: Disposal): Promise<Ending> {
    const { signal } = this.#aborter;
    const health = createHealth(() => this.#state);
    const work = async (): Promise<Ending> => {
      await this.#openHttp(config, health, metrics, disposal);
      this.#log.info('process.starting', { version: this.#options.version, node: process.version });
      const started = await this.#options.start({
        config,
        log: this.#log,
        metrics,
        health,
        signal,
        defer: (dispose) => disposal.defer(dispose),
      });
      this.#move('started');
      if (this.#state === 'ready') this.#log.info('process.ready');
      return followWork([started?.running ?? aborted(signal)].flat(), {
        signal,
        onFirstEnd: () => this.stop('work_ended' satisfies RuntimeCode),
        onError: (error) => this.#failed(error),
      });
    };
    return this.#untilDrained(work().catch((error: unknown) => this.#failed(error)));
  }

  /** Waits for the work; once stopping, only within the bound. */
  async #untilDrained(work: Promise<Ending>): Promise<Ending> {
    const { signal } = this.#aborter;
    const drainMaxMs = this.#options.drainMaxMs ?? DRAIN_MAX_MS;
    await Promise.race([work, aborted(signal)]);
    if (await within(drainMaxMs, work, this.#timers)) return work;
    return fault('drain_expired' satisfies RuntimeCode);
  }

  #failed(error: unknown): Ending {
    const ending = endingOf(error, this.#aborter.signal);
    if (ending.exitCode !== 0) this.#log.error('process.failed', { ...describeError(error), state: this.#state });
    if (error instanceof ConfigError) {
      for (const { name, expected } of error.problems) this.#log.error('config.invalid', { setting: name, expected });
    }
    return ending;
  }

  async #close(disposal: Disposal, ending: Ending): Promise<Ending> {
    this.#aborter.abort(); // A start that failed half-way may have left work running.
    const disposed = disposal.disposeAll();
    const inTime = await within(DISPOSE_MAX_MS, disposed, this.#timers);
    if (ending.exitCode !== 0) return ending;
    if (!inTime) return fault('dispose_expired' satisfies RuntimeCode);
    return (await disposed) > 0 ? fault('dispose_failed' satisfies RuntimeCode) : ending;
  }

  async #openHttp(config: Config<typeof processConfig>, health: Health, metrics: Metrics, disposal: Disposal): Promise<void> {
    if (config.httpPort === 'off') return;
    const server = await startHealthServer({ host: config.httpHost, port: config.httpPort, health, metrics, about: this.#about() });
    disposal.defer(() => server.close());
    this.#log.info('http.listening', { host: config.httpHost, port: server.port });
  }

  #about(): { service: string; version?: string } {
    const { name, version } = this.#options;
    return version === undefined ? { service: name } : { service: name, version };
  }

  #move(event: LifeEvent): void {
    this.#state = nextState(this.#state, event);
  }

  #logger(extra: Pick<LoggerOptions, 'level' | 'onDropped'>): Logger {
    const { name, logFields = [], logDestination } = this.#options;
    return createLogger({ name, fields: logFields, ...extra, ...(logDestination ? { destination: logDestination } : {}) });
  }
}
