/** The cost of idle waits, and how fast a decision reaches one of many. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { cpuSeconds } from './frame/cpu.ts';
import { percentiles, round, type Measured } from './frame/load.ts';
import { ask, decide, expectStatus, type BenchService, type Parties } from './frame/service.ts';

export interface ParkedResult {
  readonly waits: number;
  readonly kilobytesPerWait: number;
  /** Share of one core, with all waits parked and renewed every 30 s. */
  readonly idleCpu: number;
  readonly connectionsBefore: number;
  readonly connectionsParked: number;
  readonly decisionToWait: Pick<Measured, 'p50' | 'p95' | 'p99' | 'max'>;
}

function residentKilobytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

async function connections(db: pg.Client): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from pg_stat_activity where application_name like 'countersign-%'`,
  );
  return rows[0]?.count ?? NaN;
}

export async function measureParked(
  service: BenchService,
  parties: Parties,
  options: { db: pg.Client; waits: number; decisions: number },
): Promise<ParkedResult> {
  const pid = service.process.pid ?? 0;
  const ids: string[] = [];
  const create = async () => {
    while (ids.length < options.waits) ids.push(String((await ask(parties.adapter, 'slow'))['id']));
  };
  await Promise.all(Array.from({ length: 8 }, create));
  await delay(5_000);
  const before = { memory: residentKilobytes(pid), connections: await connections(options.db) };

  const returned = new Map<string, (at: number) => void>();
  const state = { stopped: false };
  const park = async (id: string) => {
    while (!state.stopped) {
      const answer = await expectStatus(
        200,
        parties.adapter(`GET /api/aap/v1/requests/${id}?wait=30s`),
      );
      if (answer.body['status'] === 'pending') continue;
      returned.get(id)?.(performance.now());
      return;
    }
  };
  const parked = ids.map(park);
  await delay(6_000);
  const memory = residentKilobytes(pid);
  const cpu = cpuSeconds(pid);
  await delay(10_000);
  const idleCpu = (cpuSeconds(pid) - cpu) / 10;
  const connectionsParked = await connections(options.db);

  const times: number[] = [];
  for (const id of ids.slice(0, options.decisions)) {
    const arrived = new Promise<number>((resolve) => returned.set(id, resolve));
    const sent = performance.now();
    await decide(parties.owner, id);
    times.push((await arrived) - sent);
  }
  state.stopped = true;
  await Promise.all(
    ids
      .slice(options.decisions)
      .map((id) => expectStatus(200, parties.adapter(`DELETE /api/aap/v1/requests/${id}`))),
  );
  await Promise.all(parked);
  return {
    waits: options.waits,
    kilobytesPerWait: round((memory - before.memory) / options.waits),
    idleCpu: round(idleCpu),
    connectionsBefore: before.connections,
    connectionsParked,
    decisionToWait: percentiles(times),
  };
}
