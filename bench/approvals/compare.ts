/**
 * Whole approvals of Countersign in several variants, and of its peers, on one machine and one
 * Postgres, in interleaved rounds, so that a slow minute of the machine affects all.
 */
import { loadavg } from 'node:os';
import pg from 'pg';
import { cpuSeconds, familySeconds } from '../frame/cpu.ts';
import { round } from '../frame/load.ts';
import { startServers, type Servers } from '../frame/servers.ts';
import { say } from '../frame/say.ts';
import { installPeers, peerVersions } from '../peers/packages.ts';
import { PEERS, startPeer } from '../peers/peers.ts';
import { startCountersign } from './countersign.ts';
import { printComparison } from './print.ts';
import type { Extent, Sample, System, Work } from './system.ts';
import { variantsOf } from './variants.ts';

const CALLERS = [1, 16];
/** Compiled code is several times as fast. */
const WARM_UP = { approvals: 300, load: { callers: 16, seconds: 2 } };

export interface Comparison extends Extent {
  /** See `variantsOf`. */
  readonly beside: readonly string[];
  readonly work: Work;
  readonly peers: boolean;
}

export async function compareApprovals(directory: string, comparison: Comparison): Promise<void> {
  const { peers, work } = comparison;
  const packages = peers ? await installPeers() : '';
  const servers = await startServers(directory);
  const systems: System[] = [];
  try {
    for (const variant of variantsOf(comparison.beside))
      systems.push(await startCountersign(variant, servers, { directory, work }));
    for (const peer of peers ? PEERS : [])
      systems.push(await startPeer(peer, servers, { packages, directory }));
    for (const system of systems) await warmUp(system);
    const before = loadavg();
    const samples = await interleave(systems, servers, comparison);
    printComparison(samples, comparison);
    console.log(
      `\nNode ${process.version}${peers ? `, ${JSON.stringify(peerVersions(), null, 1)}` : ''}`,
    );
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
