/** The cost of idle waits, and how fast a decision reaches one of many. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { cpuSeconds } from './frame/cpu.ts';
import { percentiles, round } from './frame/load.ts';
import type { Bench } from './frame/section.ts';
import { ask, decide, expectStatus, type Parties } from './frame/service.ts';

const WAITS = 2_000;
const DECISIONS = 500;

function residentKilobytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

async function connections(db: pg.Client): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from pg_stat_activity where application_name like 'countersign-%'`,
  );
  return rows[0]?.count ?? NaN;
}

export async function measureParked({ service, parties, db, countOf }: Bench) {
  const waits = countOf(WAITS);
  const pid = service.process.pid ?? 0;
  const ids: string[] = [];
  const create = async () => {
    while (ids.length < waits) ids.push(String((await ask(parties.adapter, 'slow'))['id']));
  };
  await Promise.all(Array.from({ length: 8 }, create));
  await delay(5_000);
  const before = { memory: residentKilobytes(pid), connections: await connections(db) };
  const parking = park(parties, ids);
  await delay(6_000);
  const memory = residentKilobytes(pid);
  const cpu = cpuSeconds(pid);
  await delay(10_000);
  const idleCpu = (cpuSeconds(pid) - cpu) / 10;
  const connectionsParked = await connections(db);
  const times = await parking.decide(countOf(DECISIONS));
  await parking.end();
  const { p50, p95, p99 } = percentiles(times);
  return [
    {
      what: `decision sent → parked wait returned, ${waits} parked, p50 · p95 · p99 (ms)`,
      measured: `${p50} · ${p95} · ${p99}`,
      target: 'p50 ≤ 8, p99 ≤ 50',
    },
    {
      what: 'one parked wait (KB)',
      measured: round((memory - before.memory) / waits),
      target: '< 30',
    },
    { what: 'idle CPU while parked (share of a core)', measured: round(idleCpu), target: '< 0.25' },
    {
      what: 'database connections before · while parked',
      measured: `${before.connections} · ${connectionsParked}`,
      target: 'no more',
    },
  ];
}

/** A wait for each request, renewed every 30 s. */
function park({ adapter, owner }: Parties, ids: readonly string[]) {
  const pathOf = (id: string) => `/api/aap/v1/requests/${id}`;
  const left = new Set(ids);
  const returned = new Map<string, (at: number) => void>();
  const wait = async (id: string) => {
    while (left.size > 0) {
      const { body } = await expectStatus(200, adapter(`GET ${pathOf(id)}?wait=30s`));
      if (body['status'] !== 'pending') break;
    }
    returned.get(id)?.(performance.now());
  };
  const waiting = Promise.all(ids.map(wait));
  return {
    /** Milliseconds from each decision until the wait returned. */
    decide: async (count: number) => {
      const times: number[] = [];
      for (const id of ids.slice(0, count)) {
        const arrived = new Promise<number>((resolve) => returned.set(id, resolve));
        const sent = performance.now();
        left.delete(id);
        await decide(owner, id);
        times.push((await arrived) - sent);
      }
      return times;
    },
    end: async () => {
      const others = [...left];
      left.clear();
      await Promise.all(others.map((id) => expectStatus(200, adapter(`DELETE ${pathOf(id)}`))));
      await waiting;
    },
  };
}
