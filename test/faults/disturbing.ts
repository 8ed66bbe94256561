import type { TestServer } from '@emend/log/server';
import { ackWaitSeconds, dedupeWindowSeconds, type Herd } from './herd.js';
import { descendantsOf, type ProcessSeen } from './processTree.js';
import type { LogFold, LogWatch } from './logWatch.js';
import type { UnkindWire } from './unkindWire.js';

export interface Disturbed {
  readonly herd: Herd;
  readonly server: TestServer;
  /** Each replica by its own way to the broker. */
  readonly wires: ReadonlyMap<string, UnkindWire>;
  readonly watch: LogWatch<LogFold>;
  /** How much is to be settled. */
  readonly wanted: number;
  /** Faults end with so little of it open: what was in hand is left to be settled, and a little more. */
  readonly openAtLast: number;
  /** The broker dies when these parts of the work are settled. */
  readonly brokerDiesAt: readonly number[];
  readonly random: () => number;
}

/** What was done, and what was left open when it was done for the last time. */
export interface FaultReport {
  readonly kills: number;
  readonly stalls: number;
  readonly brokerRestarts: number;
  readonly openAtLastKill: number;
  readonly lastKillMs: number;
  /** How long the faults went on. */
  readonly ranMs: number;
  /** What the replicas had started when they were killed: sandboxes and workers. */
  readonly orphans: readonly ProcessSeen[];
}

const killEveryMs = 1_000;
/** Every so many kills a replica stands still for longer than the ack wait, so that its messages go to the other one. */
const stallEvery = 12;
const stallMs = (ackWaitSeconds + 1) * 1_000;
/** A broker that dies is away for longer than its dedupe window. */
const brokerAwayMs = (dedupeWindowSeconds + 1) * 1_000;

/**
 * A kill -9 every second that a replica is up, until almost everything is settled; beside it stalls, and restarts of the broker.
 */
export async function disturb(disturbed: Disturbed): Promise<FaultReport> {
  return new Faults(disturbed).run();
}

class Faults {
  readonly #replicas: readonly string[];
  readonly #orphans: ProcessSeen[] = [];
  /** Who stands still, and the end of it. */
  readonly #stalls = new Map<string, NodeJS.Timeout>();
  readonly #startedMs = performance.now();
  #kills = 0;
  #stallCount = 0;
  #brokerRestarts = 0;

  constructor(private readonly disturbed: Disturbed) {
    this.#replicas = [...disturbed.wires.keys()];
  }

  async run(): Promise<FaultReport> {
    const { watch, openAtLast } = this.disturbed;
    const restarting = this.#restartBroker();
    const fewAreOpen = watch.until(() => this.#open() <= openAtLast);
    for (;;) {
      // On a machine so busy that a start takes longer than the pause, nothing else would ever be killed than what starts.
      await Promise.race([this.#someoneWorks(), fewAreOpen]);
      await Promise.race([pause(killEveryMs), fewAreOpen]);
      if (this.#open() <= openAtLast) break;
      if (this.#kills % stallEvery === stallEvery - 1) this.#stall(this.#victim());
      await this.#kill(this.#victim());
    }
    await restarting;
    for (const replica of this.#stalls.keys()) this.#wake(replica);
    return this.#killAllOnce();
  }

  /** The last kill is of all: whatever was in hand has lost its holder. From then on nothing is disturbed any more. */
  async #killAllOnce(): Promise<FaultReport> {
    const openAtLastKill = this.#open();
    for (const wire of this.disturbed.wires.values()) wire.becomeKind();
    await Promise.all(this.#replicas.map((replica) => this.#kill(replica)));
    return {
      kills: this.#kills,
      stalls: this.#stallCount,
      brokerRestarts: this.#brokerRestarts,
      orphans: this.#orphans,
      openAtLastKill,
      lastKillMs: performance.now(),
      ranMs: Math.round(performance.now() - this.#startedMs),
    };
  }

  #open(): number {
    return this.disturbed.wanted - this.disturbed.watch.fold.settledCount;
  }

  /** Those that nothing holds up, if there are any: whoever stands still for longer than the ack wait is to wake. */
  #awake(): readonly string[] {
    const running = this.#replicas.filter((replica) => !this.#stalls.has(replica));
    const awake = running.filter((replica) => !this.disturbed.wires.get(replica)?.standsStill);
    return awake.length > 0 ? awake : running;
  }

  #someoneWorks(): Promise<void> {
    return this.disturbed.herd.oneReady(this.#awake());
  }

  #victim(): string {
    const awake = this.#awake();
    return awake[Math.floor(this.disturbed.random() * awake.length)] ?? '';
  }

  async #kill(replica: string): Promise<void> {
    const { herd } = this.disturbed;
    this.#orphans.push(...descendantsOf(herd.pidOf(replica)));
    await herd.kill9(replica);
    this.#kills += 1;
  }

  #stall(replica: string): void {
    const { herd } = this.disturbed;
    this.#stallCount += 1;
    herd.signal(replica, 'SIGSTOP');
    this.#stalls.set(
      replica,
      setTimeout(() => this.#wake(replica), stallMs),
    );
  }

  #wake(replica: string): void {
    clearTimeout(this.#stalls.get(replica));
    this.#stalls.delete(replica);
    this.disturbed.herd.signal(replica, 'SIGCONT');
  }

  async #restartBroker(): Promise<void> {
    const { server, watch, wanted, brokerDiesAt } = this.disturbed;
    for (const part of brokerDiesAt) {
      await watch.until(({ settledCount }) => settledCount >= part * wanted);
      await server.kill9();
      await pause(brokerAwayMs);
      await server.restart();
      this.#brokerRestarts += 1;
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
