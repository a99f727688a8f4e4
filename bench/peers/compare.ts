/**
 * Whole approvals of Countersign and of its peers on one machine and one Postgres, in interleaved
 * rounds, so that a slow minute of the machine affects all.
 */
import { loadavg } from 'node:os';
import pg from 'pg';
import { cpuSeconds, familySeconds } from '../cpu.ts';
import { round } from '../load.ts';
import { startServers, type Servers } from '../servers.ts';
import { say } from '../say.ts';
import { MODES, startOurs } from './ours.ts';
import { installPeers } from './packages.ts';
import { PEERS, startPeer } from './peers.ts';
import { printComparison } from './print.ts';
import type { Extent, Sample, System } from './system.ts';

const CALLERS = [1, 16];
/** Compiled code is several times as fast. */
const WARM_UP = { approvals: 300, load: { callers: 16, seconds: 2 } };

export async function comparePeers(directory: string, extent: Extent): Promise<void> {
  const packages = await installPeers();
  const servers = await startServers(directory);
  const systems: System[] = [];
  try {
    for (const mode of MODES) systems.push(await startOurs(mode, servers, directory));
    for (const peer of PEERS) systems.push(await startPeer(peer, servers, { packages, directory }));
    for (const system of systems) await warmUp(system);
    const before = loadavg();
    const samples = await interleave(systems, servers, extent);
    printComparison(samples, extent);
    const loads = [before, loadavg()].map(([minute = 0]) => round(minute));
    console.log(`Load of the machine: ${loads.join(' before, ')} after.`);
  } finally {
    for (const system of systems) await system.stop();
    await servers.stop();
  }
}

async function warmUp({ name, databaseUrl, run }: System): Promise<void> {
  say(`${name}: warm-up`);
  for (let done = 0; done < WARM_UP.approvals;) done += (await run(WARM_UP.load)).calls;
  if (databaseUrl === undefined) return;
  // As Postgres does by itself within a minute: without, its plans are those of empty tables.
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  await db.query('analyze');
  await db.end();
}

async function interleave(
  systems: readonly System[],
  servers: Servers,
  { rounds, seconds }: Extent,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (let count = 0; count < rounds; count++) {
    // Each round begins with another system.
    const first = count % systems.length;
    const order = [...systems.slice(first), ...systems.slice(0, first)];
    for (const callers of CALLERS) {
      say(`round ${count + 1} of ${rounds}, callers: ${callers}`);
      for (const system of order) {
        const sample = await take(system, servers, { callers, seconds });
        console.log(JSON.stringify(sample));
        samples.push(sample);
      }
    }
  }
  return samples;
}

async function take(
  system: System,
  servers: Servers,
  load: { readonly callers: number; readonly seconds: number },
): Promise<Sample> {
  const before = usage(system, servers);
  const { calls, p50, perSecond } = await system.run(load);
  const after = usage(system, servers);
  const cpu = Object.entries(after).map(([name, seconds]) => [
    name,
    round(((seconds - (before[name] ?? 0)) * 1_000) / calls),
  ]);
  return {
    system: system.name,
    callers: load.callers,
    p50,
    perSecond,
    cpu: Object.fromEntries(cpu) as Record<string, number>,
  };
}

/** Seconds of processor time so far, by process. */
function usage({ processes, databaseUrl }: System, { postgres }: Servers): Record<string, number> {
  const own = Object.entries(processes).map(([name, pid]) => [name, cpuSeconds(pid)]);
  return {
    ...(Object.fromEntries(own) as Record<string, number>),
    ...(databaseUrl !== undefined && { Postgres: familySeconds(postgres.pid() ?? 0) }),
  };
}
