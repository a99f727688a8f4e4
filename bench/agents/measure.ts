/**
 * Lists and details of agents over a full table, alone and while requests are created. Also what
 * the counts cost, and what the table costs a create.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { addToRequestCounts } from '../../src/data/agents/request-counts.ts';
import { openPool } from '../../src/platform/postgres.ts';
import type { Bench } from '../bench.ts';
import { measure, round, type Measured } from '../frame/load.ts';
import { say } from '../frame/say.ts';
import { ask, expectStatus, type Parties } from '../frame/service.ts';
import { FLEET, slugOf, tables } from './fleet.ts';

type Times = Pick<Measured, 'p50' | 'p95' | 'max'>;

/** The first one shows what any call takes on the machine at that moment. */
const PAGES: Readonly<Record<string, string>> = {
  'who I am': '/api/v1/me',
  'a list of 50': '/api/v1/agents',
  'a list of 500': '/api/v1/agents?limit=500',
  'an agent': `/api/v1/agents/${slugOf(500)}`,
  'the large agent': `/api/v1/agents/${slugOf(0)}`,
  'the large agent, 200 instances': `/api/v1/agents/${slugOf(0)}?instance_limit=200`,
  'the large agent, a search': `/api/v1/agents/${slugOf(0)}?instance_q=r-99`,
};

const CREATES = { callers: 1, calls: 300 } as const;

export async function measureAgents({ parties, db, databaseUrl }: Bench) {
  const create = () => ask(parties.adapter, 'fast');
  const before = await measure(create, CREATES);
  await fill(db, parties);
  const pool = openPool({ connectionString: databaseUrl, max: 1, applicationName: 'bench' });
  const count = () => addToRequestCounts(pool, { everyMs: 0 });
  await db.query('vacuum analyze');
  const firstCount = await countEverything(db, count);
  const { p50: laterCount } = await measure(count, { callers: 1, calls: 10 });
  await pool.destroy();
  const after = await measure(create, CREATES);
  const alone = await measurePages(parties);
  say('agents while requests are created');
  const { during, calls } = await whileRepeating(create, () => measurePages(parties));
  return {
    ...FLEET,
    create: { emptyP50: before.p50, fullP50: after.p50, ratio: round(after.p50 / before.p50) },
    count: { first: firstCount, later: laterCount },
    alone,
    whileCreating: { creates: calls, ...during },
  };
}

/** Milliseconds until all requests are counted, by this process or the service. */
async function countEverything(db: pg.Client, count: () => Promise<void>): Promise<number> {
  await db.query('truncate agent_request_days, agent_instance_request_days');
  await db.query(`update request_count_mark set counted_until = '-infinity'`);
  const began = performance.now();
  for (;;) {
    await count();
    const { rows } = await db.query('select from request_count_mark where isfinite(counted_until)');
    if (rows.length > 0) return round(performance.now() - began);
    await delay(100);
  }
}

async function measurePages({ owner }: Parties): Promise<Record<string, Times>> {
  const pages: Record<string, Times> = {};
  for (const [name, path] of Object.entries(PAGES)) {
    const call = () => expectStatus(200, owner(`GET ${path}`));
    await measure(call, { callers: 1, calls: 5 });
    const { p50, p95, max } = await measure(call, { callers: 1, calls: 100 });
    pages[name] = { p50, p95, max };
  }
  return pages;
}

/** Repeats `call` one at a time until `work` is done. */
async function whileRepeating<T>(
  call: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<{ readonly during: T; readonly calls: number }> {
  const state = { done: false, calls: 0 };
  const repeating = (async () => {
    for (; !state.done; state.calls++) await call();
  })();
  const during = await work().finally(() => (state.done = true));
  await repeating;
  return { during, calls: state.calls };
}

/** Fills the organization with the fleet. */
async function fill(db: pg.Client, { organizationId, membershipId }: Parties): Promise<void> {
  const printer = fileURLToPath(new URL('./print-rows.js', import.meta.url));
  // Without checks of references, which would take most of the time.
  await db.query('set session_replication_role = replica');
  for (const [table, { columns }] of Object.entries(tables)) {
    say(`copying ${table}`);
    const program = [process.execPath, printer, table, organizationId, membershipId].join(' ');
    await db.query(`copy ${table} (${columns}) from program '${program}'`);
  }
  await db.query('reset session_replication_role');
}
