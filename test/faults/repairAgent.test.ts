import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { disturb, type FaultReport } from './disturbing.js';
import { ackWaitSeconds, seeded } from './herd.js';
import { isAlive } from './processTree.js';
import { inHandMax, openRepairField, type RepairField, slots } from './repairField.js';
import { foldAgain } from './logWatch.js';
import { RequestFold } from './requestFold.js';
import { sumOf, type WireCounts } from './unkindWire.js';

const requests = Number(process.env['EMEND_FAULT_REQUESTS'] ?? 1_000);
/** From the last kill to the last settlement: the one bar in time, and a claim of the specification. */
const settledWithinMs = 3 * ackWaitSeconds * 1_000;

it('of 1,000 requests each has one settlement and at most one call, under kills, stalls, lost acks and broker restarts', async () => {
  const seed = Number(process.env['EMEND_FAULT_SEED'] ?? Math.floor(Math.random() * 1e9));
  console.info(`seed ${seed} (EMEND_FAULT_SEED repeats it)`);
  const random = seeded(seed);
  const field = await openRepairField(requests, random);
  try {
    const { faults, stored, settledAfterMs, claimedLongestMs } = await runThrough(field, random);
    const wire = sumOf([...field.wires.values()].map(({ counts }) => counts));
    const settledAs = (as: string): number => stored.settled.filter((one) => one.as === as).length;
    const [proposed, abandoned] = [settledAs('proposed'), settledAs('abandoned')];
    const { orphans, lastKillMs: _, ...counts } = faults;
    const figures = { seed, requests, settled: stored.settled.length, proposed, abandoned, calls: field.provider.total() };
    const more = {
      orphans: orphans.length,
      settledAfterMs,
      claimedLongestMs,
      endedByThemselves: field.herd.endedByThemselves,
      ...(await saidIn(join(field.dataDir, 'logs', 'repair-agent.log'))),
    };
    console.info(JSON.stringify({ ...figures, ...counts, ...wire, ...more }));

    // No failed repair is asked for again, and nothing else brings a request either.
    expect(stored.requests.size).toBe(requests);
    expect(stored.settled.map(({ key }) => key).sort()).toEqual([...stored.requests].sort());
    expect(Math.max(...field.provider.calls.values())).toBe(1);
    expect(field.provider.total()).toBeLessThanOrEqual(requests);
    // Nothing else than a fault ends a request without a proposal, and no fault costs more than its replica had in hand.
    expect(proposed + abandoned).toBe(requests);
    expect(abandoned).toBeLessThanOrEqual(mayBeAbandoned(faults, wire));
    expect(Math.min(wire.acksLost, wire.answersLost, wire.claimsHeld, faults.stalls, faults.brokerRestarts)).toBeGreaterThan(0);
    // A replica whose broker goes away while it starts gives up, and is started again.
    expect(field.herd.endedByThemselves).toBeLessThanOrEqual(faults.brokerRestarts * field.wires.size);
    expect(faults.openAtLastKill).toBeGreaterThan(0);
    expect(settledAfterMs).toBeLessThan(settledWithinMs);
    // Neither a worker nor its sandbox outlives the replica that started it.
    expect(orphans.length).toBeGreaterThan(0);
    expect(orphans.filter(isAlive)).toEqual([]);
  } finally {
    await field.close();
  }
}, 840_000);

interface Run {
  readonly faults: FaultReport;
  readonly stored: RequestFold;
  /** From the last kill to the last settlement. */
  readonly settledAfterMs: number;
  /** The longest that a claim stood without a settlement, faults and all. */
  readonly claimedLongestMs: number;
}

async function runThrough(field: RepairField, random: () => number): Promise<Run> {
  const { herd, watch, wires, broker } = field;
  await herd.start(...wires.keys());
  const faults = await disturb({ ...field, wanted: requests, openAtLast: inHandMax * 2, brokerDiesAt: [0.2, 0.4, 0.6, 0.8], random });
  await watch.until((fold) => fold.settled.length >= requests);
  const { settled, claimedMs } = watch.fold;
  const lastMs = Math.max(...settled.map(({ seenMs }) => seenMs));
  const claimedLongestMs = Math.round(Math.max(...settled.map(({ key, seenMs }) => seenMs - (claimedMs.get(key) ?? seenMs))));
  // A replica that was late may still have a call to make: it is counted too.
  await herd.ready();
  await herd.stop();
  return {
    faults,
    stored: await foldAgain(broker.log, new RequestFold()),
    settledAfterMs: Math.round(lastMs - faults.lastKillMs),
    claimedLongestMs,
  };
}

function mayBeAbandoned({ kills, stalls, brokerRestarts }: FaultReport, { claimsHeld }: WireCounts): number {
  return slots * (kills + stalls + claimsHeld) + inHandMax * brokerRestarts;
}

/** How often the replicas said what they met. */
async function saidIn(logFile: string) {
  const said = (event: string, lines: readonly string[]): number => lines.filter((line) => line.includes(`"${event}"`)).length;
  const lines = (await readFile(logFile, 'utf8')).split('\n');
  return {
    claimsLost: said('repair.claim_lost', lines),
    lateSettlements: said('repair.settlement_lost', lines),
    setAside: said('message.set_aside', lines),
  };
}
