/**
 * `npm run bench -- compare`: this build beside others, on one machine and one Postgres, in rounds
 * in which all take turns.
 */
import { mkdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { OperatorError } from '../../src/platform/operator-error.ts';
import { round } from '../frame/load.ts';
import { startServers, type Servers } from '../frame/servers.ts';
import { installPeers, peerVersions } from '../peers/packages.ts';
import { PEERS, startPeer } from '../peers/peers.ts';
import { startCountersign } from './countersign.ts';
import { printComparison, summarize, type Comparison } from './print.ts';
import { JOBS, type System } from './system.ts';
import { takeTurns, warmUp, type Extent } from './turns.ts';
import { variantOf, type Variant } from './variants.ts';

interface Options extends Extent {
  readonly variants: readonly Variant[];
  readonly peers: readonly string[];
}

export async function compare(
  directory: string,
  args: readonly string[],
): Promise<readonly Comparison[]> {
  const options = optionsOf(args);
  const { variants, peers, rounds } = options;
  const packages = peers.some((name) => name !== 'floor') ? await installPeers() : '';
  mkdirSync(directory);
  const servers = await startServers(directory);
  const systems: System[] = [];
  try {
    for (const [index, variant] of variants.entries())
      systems.push(
        await startCountersign({ ...variant, key: `countersign-${index}` }, servers, directory),
      );
    for (const name of peers) systems.push(await startPeer(name, servers, { packages, directory }));
    const before = loadavg();
    const results = await measure(systems, servers, options);
    printComparison(results, rounds);
    const loads = [before, loadavg()].map(([minute = 0]) => round(minute));
    console.log(
      `\nNode ${process.version}. Load of the machine: ${loads.join(' before, ')} after.`,
    );
    if (packages !== '') console.log(JSON.stringify(peerVersions()));
    return results;
  } finally {
    for (const system of systems) await system.stop();
    await servers.stop();
  }
}

async function measure(
  systems: readonly System[],
  { postgres }: Servers,
  extent: Extent,
): Promise<Comparison[]> {
  for (const system of systems) await warmUp(system, extent.jobs);
  return summarize(await takeTurns(systems, postgres.pid() ?? 0, extent));
}

function optionsOf(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      with: { type: 'string', multiple: true, default: [] },
      env: { type: 'string', multiple: true, default: [] },
      jobs: { type: 'string', default: JOBS.join() },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '5' },
      levels: { type: 'string', default: '1000' },
    },
  });
  const environment = Object.fromEntries(
    values.env.map((each) => [each.replace(/=.*$/s, ''), each.replace(/^[^=]*=/, '')]),
  );
  const isPeer = (name: string) => name === 'peers' || name === 'floor';
  const variants = [
    { name: 'this build' },
    ...values.with.filter((name) => !isPeer(name)).map(variantOf),
  ];
  return {
    variants: variants.map((variant) => ({
      ...variant,
      environment: { ...environment, ...(variant as Variant).environment },
    })),
    peers: values.with.filter(isPeer).flatMap((name) => (name === 'peers' ? PEERS : [name])),
    jobs: values.jobs.split(',').map((name) => {
      const job = JOBS.find((each) => each === name);
      if (job) return job;
      throw new OperatorError(`--jobs ${name} is not known. It takes ${JOBS.join(', ')}.`);
    }),
    rounds: countOf('rounds', values.rounds),
    seconds: countOf('seconds', values.seconds),
    levels: countOf('levels', values.levels),
  };
}

function countOf(option: string, text: string): number {
  if (/^[1-9][0-9]*$/.test(text)) return Number(text);
  throw new OperatorError(`--${option} ${text} is no whole number above zero.`);
}
