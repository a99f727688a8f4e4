/** Systems take turns at each job, so that a slow minute of the machine affects all. */
import pg from 'pg';
import { cpuSeconds, familySeconds } from '../frame/cpu.ts';
import { round } from '../frame/load.ts';
import { say } from '../frame/say.ts';
import type { JobLoad, JobName, Sample, System } from './system.ts';

/** Compiled code is several times as fast. */
const WARM_UP = { calls: 300, load: { callers: 16, seconds: 2, count: 0 } };

export async function warmUp(
  { name, databaseUrl, jobs }: System,
  wanted: readonly JobName[],
): Promise<void> {
  for (const job of wanted) {
    const prepare = job === 'levels' ? undefined : jobs[job];
    if (!prepare) continue;
    say(`${name}: warm-up of ${job}`);
    for (let done = 0; done < WARM_UP.calls;)
      done += (await (await prepare(WARM_UP.load)).run()).calls;
  }
  if (databaseUrl === undefined) return;
  // As Postgres does by itself within a minute: without, its plans are those of empty tables.
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  await db.query('analyze');
  await db.end();
}

export interface Extent {
  readonly jobs: readonly JobName[];
  readonly rounds: number;
  /** How long the callers of one system work in one turn. */
  readonly seconds: number;
  /** How many levels are due at one instant. */
  readonly levels: number;
}

export async function takeTurns(
  systems: readonly System[],
  postgresPid: number,
  { jobs, rounds, seconds, levels: count }: Extent,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (let index = 0; index < rounds; index++) {
    // Each round begins with another system.
    const first = index % systems.length;
    const order = [...systems.slice(first), ...systems.slice(0, first)];
    for (const { job, label, callers } of jobs.flatMap((each) => turnsOf(each, count))) {
      say(`round ${index + 1} of ${rounds}: ${label}`);
      for (const system of order) {
        const load = { callers, seconds, count };
        const sample = await takeTurn(system, postgresPid, { job, load });
        if (!sample) continue;
        samples.push({ job: label, ...sample });
        console.log(JSON.stringify(samples.at(-1)));
      }
    }
  }
  return samples;
}

function turnsOf(job: JobName, count: number): Kind[] {
  if (job === 'levels') return [{ job, label: `${count} levels due at once`, callers: 16 }];
  return [1, 16].map((callers) => ({
    ...{ job, callers },
    label: `${job}, ${callers === 1 ? '1 caller' : `${callers} callers`}`,
  }));
}

async function takeTurn(
  system: System,
  postgresPid: number,
  { job, load }: { readonly job: JobName; readonly load: JobLoad },
): Promise<Omit<Sample, 'job'> | undefined> {
  const turn = await system.jobs[job]?.(load);
  if (!turn) return undefined;
  const before = usage(system, postgresPid);
  const { calls, p50, perSecond } = await turn.run();
  const after = usage(system, postgresPid);
  await turn.clear?.();
  const cpu = Object.entries(after).map(([name, spent]) => [
    name,
    round(((spent - (before[name] ?? 0)) * 1_000) / calls),
  ]);
  return {
    system: system.name,
    p50,
    perSecond,
    cpu: Object.fromEntries(cpu) as Record<string, number>,
  };
}

interface Kind {
  readonly job: JobName;
  readonly label: string;
  readonly callers: number;
}

/** Seconds of processor time so far, by process. */
function usage({ processes, databaseUrl }: System, postgresPid: number): Record<string, number> {
  const own = Object.entries(processes).map(([name, pid]) => [name, cpuSeconds(pid)]);
  return {
    ...(Object.fromEntries(own) as Record<string, number>),
    ...(databaseUrl !== undefined && { Postgres: familySeconds(postgresPid) }),
  };
}
