/** The sections of the benchmark. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import type { Connection } from '@temporalio/client';
import type pg from 'pg';
import { measureAccess } from './access.ts';
import { measureBurst } from './burst.ts';
import { measureCancels } from './cancels.ts';
import { countEvents } from './histories.ts';
import { measure, median, round, type Load, type Measured } from './load.ts';
import { measureParked } from './parked.ts';
import { fillWithPending } from './pending.ts';
import { measureQueue } from './queue.ts';
import type { Receivers } from './senders/receivers.ts';
import { measureSenders } from './senders/measure.ts';
import { ask, decide, type BenchService, type Parties } from './service.ts';
import { measureStall } from './stall.ts';
import { measureWalk } from './walk.ts';

export const NAMESPACE = 'countersign';
const LATENCY: Load = { callers: 1, calls: 300 };
const THROUGHPUT: Load = { callers: 16, calls: 1_200 };
const ROUNDS = 3;

async function measureFloor(address: string): Promise<Measured[]> {
  const script = fileURLToPath(new URL('./floor.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    script,
    address,
    NAMESPACE,
    JSON.stringify([LATENCY, THROUGHPUT]),
  ]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]') as Measured[];
}

async function measureCreate(parties: Parties): Promise<Measured[]> {
  return [
    await measure(() => ask(parties.adapter, 'fast'), LATENCY),
    await measure(() => ask(parties.adapter, 'fast'), THROUGHPUT),
  ];
}

/** Floor and create in turn, so that a slow minute of the machine affects both. */
async function compareCreate(address: string, parties: Parties) {
  const rounds: Record<'floorOne' | 'floorMany' | 'createOne' | 'createMany', Measured>[] = [];
  await measure(() => ask(parties.adapter, 'fast'), { callers: 4, calls: 200 });
  for (let count = 0; count < ROUNDS; count++) {
    say(`create beside the floor, round ${count + 1} of ${ROUNDS}`);
    const [floorOne, floorMany] = await measureFloor(address);
    const [createOne, createMany] = await measureCreate(parties);
    if (!floorOne || !floorMany || !createOne || !createMany)
      throw new Error('a measurement is missing');
    rounds.push({ floorOne, floorMany, createOne, createMany });
  }
  const of = (pick: (measured: (typeof rounds)[number]) => number) => median(rounds.map(pick));
  return {
    floor: { p50: of((r) => r.floorOne.p50), perSecond: of((r) => r.floorMany.perSecond) },
    create: { p50: of((r) => r.createOne.p50), perSecond: of((r) => r.createMany.perSecond) },
    p50Ratio: of((r) => r.createOne.p50 / r.floorOne.p50),
    throughputRatio: of((r) => r.createMany.perSecond / r.floorMany.perSecond),
    rounds,
  };
}

async function measureDecisions(parties: Parties): Promise<Measured> {
  const ids: string[] = [];
  for (let count = 0; count < 220; count++)
    ids.push(String((await ask(parties.adapter, 'slow'))['id']));
  const decideNext = async () => {
    await decide(parties.owner, ids.pop() ?? '');
  };
  await measure(decideNext, { callers: 1, calls: 20 });
  return await measure(decideNext, { callers: 1, calls: 200 });
}

async function compareFullTable(parties: Parties, db: pg.Client) {
  const before = await measure(() => ask(parties.adapter, 'fast'), LATENCY);
  await fillWithPending(db, parties, 10_000);
  const after = await measure(() => ask(parties.adapter, 'fast'), LATENCY);
  return {
    pending: 10_000,
    emptyP50: before.p50,
    fullP50: after.p50,
    ratio: round(after.p50 / before.p50),
  };
}

export function say(text: string): void {
  console.log(`· ${text}`);
}

export interface Bench {
  readonly parties: Parties;
  readonly service: BenchService;
  readonly receivers: Receivers;
  readonly db: pg.Client;
  readonly connection: Connection;
  readonly temporalAddress: string;
}

export const sections = {
  access: ({ service, parties, db }: Bench) => measureAccess(service, parties, db),
  create: ({ temporalAddress, parties }: Bench) => compareCreate(temporalAddress, parties),
  decision: ({ parties }: Bench) => measureDecisions(parties),
  events: ({ connection, db }: Bench) => countEvents(connection, { namespace: NAMESPACE, db }),
  parked: ({ service, parties, db }: Bench) =>
    measureParked(service, parties, { db, waits: 2_000, decisions: 500 }),
  cancels: ({ service, parties, connection }: Bench) =>
    measureCancels(service, parties, {
      connection,
      namespace: NAMESPACE,
      cancels: 1_200,
      withinMs: 5_000,
    }),
  stall: ({ service, parties }: Bench) => measureStall(service, parties),
  walk: () => Promise.resolve(measureWalk()),
  senders: ({ service, parties, db, receivers }: Bench) =>
    measureSenders(service, parties, { db, receivers, messages: 3_000 }),
  fullTable: ({ parties, db }: Bench) => compareFullTable(parties, db),
  burst: ({ service, parties, db }: Bench) =>
    measureBurst(service, parties, { db, requests: 10_000 }),
  // Comes last, because two million requests stay in the table.
  queue: ({ service, parties, db }: Bench) =>
    measureQueue(service, parties, { db, pending: 100_000, past: 2_000_000 }),
} satisfies Record<string, (bench: Bench) => Promise<unknown>>;

export type Results = {
  [Section in keyof typeof sections]?: Awaited<ReturnType<(typeof sections)[Section]>>;
};
