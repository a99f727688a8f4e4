/**
 * `npm run bench`: starts servers of its own, measures the main job beside Temporal's own floor in the same run, prints
 * ratios and writes bench/results.json. `npm run bench -- create parked` measures some sections only and writes nothing. Figures of one run compare; figures of two runs on a noisy machine do not.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir, cpus } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Connection } from '@temporalio/client';
import pg from 'pg';
import { migrateToLatest } from '../src/data/migrate.ts';
import { ensureDatabase, startEmbeddedPostgres } from '../src/local/embedded-postgres.ts';
import { packageRoot } from '../src/platform/package-root.ts';
import { freePort } from '../src/local/processes.ts';
import { startEmbeddedTemporal } from '../src/local/embedded-temporal.ts';
import { setupTemporal } from '../temporal/setup.ts';
import { measureAccess } from './access.ts';
import { measureBurst } from './burst.ts';
import { countEvents } from './histories.ts';
import { measure, median, round, type Load, type Measured } from './load.ts';
import { measureParked } from './parked.ts';
import { fillWithPending } from './pending.ts';
import {
  ask,
  decide,
  introduce,
  startService,
  type BenchService,
  type Parties,
} from './service.ts';
import { measureQueue } from './queue.ts';
import { measureWalk } from './walk.ts';

const NAMESPACE = 'countersign';
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

/** Floor and create in turn, so that a slow minute of the machine hits both. */
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

function say(text: string): void {
  console.log(`· ${text}`);
}

/** Workflows of requests that have just been settled still end: what is measured next must not pay for them. */
async function settle(connection: Connection, db: pg.Client): Promise<void> {
  const query = 'ExecutionStatus = "Running"';
  for (let tries = 0; tries < 600; tries++) {
    const { rows } = await db.query<{ open: string }>(
      `select count(*) as open from approval_requests where state in ('evaluating', 'pending')`,
    );
    const running = await connection.workflowService.countWorkflowExecutions({
      namespace: NAMESPACE,
      query,
    });
    if (Number(running.count) <= Number(rows[0]?.open)) return;
    await delay(200);
  }
  throw new Error('workflows of settled requests did not end within two minutes');
}

interface Bench {
  readonly parties: Parties;
  readonly service: BenchService;
  readonly db: pg.Client;
  readonly connection: Connection;
  readonly temporalAddress: string;
}

const sections = {
  access: ({ service, parties, db }: Bench) => measureAccess(service, parties, db),
  create: ({ temporalAddress, parties }: Bench) => compareCreate(temporalAddress, parties),
  decision: ({ parties }: Bench) => measureDecisions(parties),
  events: ({ connection, db }: Bench) => countEvents(connection, { namespace: NAMESPACE, db }),
  parked: ({ service, parties, db }: Bench) =>
    measureParked(service, parties, { db, waits: 2_000, decisions: 500 }),
  walk: () => Promise.resolve(measureWalk()),
  fullTable: ({ parties, db }: Bench) => compareFullTable(parties, db),
  burst: ({ service, parties, db }: Bench) =>
    measureBurst(service, parties, { db, requests: 10_000 }),
  // Last: two million requests stay behind.
  queue: ({ service, parties, db }: Bench) =>
    measureQueue(service, parties, { db, pending: 100_000, past: 2_000_000 }),
} satisfies Record<string, (bench: Bench) => Promise<unknown>>;

type Results = {
  [Section in keyof typeof sections]?: Awaited<ReturnType<(typeof sections)[Section]>>;
};

async function run(directory: string, wanted: readonly string[]): Promise<Results> {
  say('starting Postgres and Temporal');
  const [postgres, temporal] = await Promise.all([
    startEmbeddedPostgres({ directory: join(directory, 'postgres') }),
    startEmbeddedTemporal({
      directory: join(directory, 'temporal'),
      cacheDirectory: cacheDirectory(),
      namespace: NAMESPACE,
      ui: false,
      onProgress: say,
    }),
  ]);
  await ensureDatabase(postgres, 'bench');
  const databaseUrl = postgres.url('bench');
  await migrateToLatest(databaseUrl);
  const connection = await Connection.connect({ address: temporal.address });
  await setupTemporal(connection, NAMESPACE);
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  const service = await startService({
    directory,
    databaseUrl,
    temporalAddress: temporal.address,
    port: await freePort(),
  });
  try {
    const bench = {
      parties: await introduce(service),
      service,
      db,
      connection,
      temporalAddress: temporal.address,
    };
    const results: Record<string, unknown> = {};
    for (const [name, section] of Object.entries(sections)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      say(name);
      await settle(connection, db);
      results[name] = await section(bench);
      console.log(JSON.stringify(results[name]));
    }
    return results;
  } finally {
    await service.stop();
    await db.end();
    await connection.close();
    await Promise.all([temporal.stop(), postgres.stop()]);
  }
}

function cacheDirectory(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'countersign');
}

function report({
  access,
  create,
  decision,
  parked,
  events,
  walk,
  burst,
  queue,
  fullTable,
}: Results): void {
  const rows = [
    ...Object.entries(access?.kinds ?? {}).map(([kind, { added, ratio }]) => ({
      what: `who is calling, and may he: ${kind}, p50 added (ms) · ÷ a call without`,
      measured: `${added} · ${ratio}`,
      target: '< 1',
    })),
    { what: 'one round trip to Postgres, p50 (ms)', measured: access?.roundTrip, target: '' },
    {
      what: 'create by a rule, p50 at 1 caller ÷ floor',
      measured: create && round(create.p50Ratio),
      target: '≤ 1.6',
    },
    {
      what: 'create by a rule, throughput at 16 ÷ floor',
      measured: create && round(create.throughputRatio),
      target: '≥ 0.75',
    },
    {
      what: 'floor p50 (ms) · per second at 16',
      measured: create && `${create.floor.p50} · ${create.floor.perSecond}`,
      target: '',
    },
    {
      what: 'create p50 (ms) · per second at 16',
      measured: create && `${create.create.p50} · ${create.create.perSecond}`,
      target: '',
    },
    { what: 'decision p50 at 1 caller (ms)', measured: decision?.p50, target: '≤ 6' },
    {
      what: 'decision sent → parked wait returned, p50 (ms)',
      measured: parked?.decisionToWait.p50,
      target: '≤ 8',
    },
    {
      what: 'decision sent → parked wait returned, p99 (ms)',
      measured: parked?.decisionToWait.p99,
      target: '≤ 50',
    },
    {
      what: `one of ${parked?.waits ?? 0} parked waits (KB)`,
      measured: parked?.kilobytesPerWait,
      target: '< 30',
    },
    {
      what: 'idle CPU while parked (share of a core)',
      measured: parked?.idleCpu,
      target: '< 0.25',
    },
    {
      what: 'database connections before · while parked',
      measured: parked && `${parked.connectionsBefore} · ${parked.connectionsParked}`,
      target: 'no more',
    },
    { what: 'history events, automatic', measured: events?.automatic, target: '6' },
    { what: 'history events, one person', measured: events?.person, target: '≤ 15' },
    {
      what: 'steps of escalation walked a second, one core',
      measured: walk?.perSecond,
      target: '≥ 100,000',
    },
    {
      what: 'a level at a quiet time, late by at most (ms)',
      measured: burst?.quiet.max,
      target: '≤ 1,000',
    },
    {
      what: `${burst?.requests ?? 0} levels due at one instant: all notified · messages received within (s)`,
      measured: burst && `${burst.notified.max} · ${burst.received.max}`,
      target: '≤ 120',
    },
    { what: 'of these, notified or received twice', measured: burst?.twice, target: '0' },
    { what: 'decisions meanwhile, p95 (ms)', measured: burst?.decisions.p95, target: '< 100' },
    ...Object.entries(queue?.lists ?? {}).map(([list, { p50, p95 }]) => ({
      what: `queue of ${list}, p50 · p95 (ms)`,
      measured: `${p50} · ${p95}`,
      target: 'p95 < 50',
    })),
    { what: 'create with 10,000 pending ÷ empty', measured: fullTable?.ratio, target: '≤ 1.2' },
  ];
  console.table(rows.filter((row) => row.measured !== undefined));
}

const directory = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
try {
  const wanted = process.argv.slice(2);
  const results = await run(directory, wanted);
  report(results);
  const machine = { cores: cpus().length, node: process.version };
  if (wanted.length === 0)
    writeFileSync(
      join(packageRoot(), 'bench/results.json'),
      `${JSON.stringify({ machine, ...results }, null, 2)}\n`,
    );
} finally {
  rmSync(directory, { recursive: true, force: true });
}
process.exit();
