/** Creates by a rule in both modes beside the floor, in turn, so that a slow minute affects all. */
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { freePort } from '../../src/local/processes.ts';
import type { Bench } from '../bench.ts';
import { cpuSeconds, postgresSeconds } from '../frame/cpu.ts';
import { measure, median, round, type Load, type Measured } from '../frame/load.ts';
import { ask, bearer, sender, startService, type BenchService, type Send } from '../frame/service.ts';
import { NAMESPACE, say } from '../frame/say.ts';

export const LATENCY: Load = { callers: 1, calls: 300 };
const THROUGHPUT: Load = { callers: 16, calls: 1_200 };
const ROUNDS = 3;

/** At 1 caller, and at 16 callers. */
interface Pair {
  readonly one: Measured;
  readonly many: Measured;
  /** Milliseconds of processor time per call at 16 callers, by process. */
  readonly cpu?: Readonly<Record<string, number>>;
}

export async function measureFloor(address: string): Promise<Pair> {
  const script = fileURLToPath(new URL('../peers/floor.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    script,
    address,
    NAMESPACE,
    JSON.stringify([LATENCY, THROUGHPUT]),
  ]);
  const [one, many] = JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]') as Measured[];
  if (!one || !many) throw new Error('a measurement of the floor is missing');
  return { one, many };
}

type Processes = Readonly<Record<string, () => number | Promise<number>>>;

async function measureMode(adapter: Send, processes: Processes): Promise<Pair> {
  const seconds = async () => await Promise.all(Object.values(processes).map((each) => each()));
  const one = await measure(() => ask(adapter, 'fast'), LATENCY);
  const before = await seconds();
  const many = await measure(() => ask(adapter, 'fast'), THROUGHPUT);
  const after = await seconds();
  const cpu = Object.keys(processes).map((name, index) => {
    const spent = (after[index] ?? 0) - (before[index] ?? 0);
    return [name, round((spent * 1_000) / many.calls)] as const;
  });
  return { one, many, cpu: Object.fromEntries(cpu) };
}

export async function compareCreate(bench: Bench) {
  const { service, parties, db, temporalPid } = bench;
  const door = await startDoor(bench);
  try {
    const atDoor = sender(door.url, bearer(parties.tokens.adapter));
    const processesOf = ({ process: { pid = 0 } }: BenchService) =>
      processes(db, { service: pid, Temporal: temporalPid });
    for (const adapter of [parties.adapter, atDoor])
      await measure(() => ask(adapter, 'fast'), { callers: 4, calls: 200 });
    const rounds: Record<'floor' | 'workflow' | 'door', Pair>[] = [];
    for (let count = 0; count < ROUNDS; count++) {
      say(`create beside the floor, round ${count + 1} of ${ROUNDS}`);
      rounds.push({
        floor: await measureFloor(bench.temporalAddress),
        workflow: await measureMode(parties.adapter, processesOf(service)),
        door: await measureMode(atDoor, processesOf(door)),
      });
    }
    const of = (mode: 'floor' | 'workflow' | 'door') => ({
      p50: median(rounds.map((each) => each[mode].one.p50)),
      perSecond: median(rounds.map((each) => each[mode].many.perSecond)),
      p50Ratio: round(median(rounds.map((each) => each[mode].one.p50 / each.floor.one.p50))),
      throughputRatio: round(
        median(rounds.map((each) => each[mode].many.perSecond / each.floor.many.perSecond)),
      ),
    });
    return { floor: of('floor'), workflow: of('workflow'), door: of('door'), rounds };
  } finally {
    await door.stop();
  }
}

function processes(db: pg.Client, pids: Readonly<Record<string, number>>): Processes {
  const others = Object.entries(pids).map(([name, pid]) => [name, () => cpuSeconds(pid)] as const);
  return { ...Object.fromEntries(others), Postgres: () => postgresSeconds(db) };
}

/** Another process of the same deployment. */
async function startDoor({
  directory,
  databaseUrl,
  temporalAddress,
  receivers,
}: Bench): Promise<BenchService> {
  const own = join(directory, 'door');
  mkdirSync(own);
  return await startService({
    environment: { ...receivers.environment, COUNTERSIGN_RULES: 'door' },
    directory: own,
    databaseUrl,
    temporalAddress,
    port: await freePort(),
  });
}
