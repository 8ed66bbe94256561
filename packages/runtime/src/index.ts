export { type Outcome, type OutcomeKind, again, done, retry, skip, stop } from './outcome.js';
export {
  type ConsumerLoopOptions,
  DELIVERIES_MAX,
  LOOP_ABANDON_MS,
  LOOP_DRAIN_MAX_MS,
  type LoopEnd,
  runConsumerLoop,
} from './consumerLoop.js';
export type { Delivered } from './handleDelivery.js';
export { AGAIN_FIRST_MS, AGAIN_MAX_MS, FAULT_DELAY_MS, RETRY_DELAY_MAX_MS } from './retryDelay.js';
export { DISPOSE_MAX_MS, DRAIN_MAX_MS, Life, type LifeOptions, type StartContext } from './life.js';
export type { RunEnd } from './runningWork.js';
export type { LifeState } from './lifeState.js';
export { runProcess } from './runProcess.js';
export { type Program, runProgram } from './runProgram.js';
export { type Command, runCommand } from './runCommand.js';
export { guardIds } from './guardIds.js';
export { type ExitCode, exitCodes } from './exitCode.js';
export { type ComponentHealth, type Health, type HealthReport, createHealth } from './health.js';
export { type HealthServer, type HealthServerOptions, startHealthServer } from './healthServer.js';
export { type Config, type ConfigTable, type Setting, loadConfig, setting } from './config.js';
export { configTable } from './configTable.js';
export { commonConfig, processConfig } from './commonConfig.js';
export { flag, oneLine, oneOf, wholeNumber } from './settingTypes.js';
export {
  LOG_TEXT_MAX_CHARS,
  type LogFields,
  type LogLevel,
  type Logger,
  type LoggerOptions,
  createLogger,
  logLevels,
  runtimeFields,
  silentLogger,
} from './logger.js';
export type { MetricOptions } from './instruments.js';
export { type Metrics, createMetrics } from './metrics.js';
export { type LoopMetrics, noLoopMetrics } from './loopMetrics.js';
export { type Cancel, type Clock, type Timers, aborted, fixedClock, sleep, systemClock, systemTimers } from './clock.js';
export { type ManualTime, manualTime } from './manualTime.js';
export { type ConnectionStatus, connectionStatus } from './connectionStatus.js';
export { type Patience, type PatienceOptions, patienceOf } from './patience.js';
export { type ErrorFacts, describeError } from './describeError.js';
export { ConfigError, type ConfigProblem, InvalidOptions, RefusedToStart, type RuntimeCode, WrongUse, runtimeCodes } from './errors.js';
