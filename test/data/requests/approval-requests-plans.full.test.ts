/** Frequent queries must not read the whole table, however many requests there are. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { findCallMarks } from '../../../src/data/requests/queue/call-marks.ts';
import { findReachedCap } from '../../../src/data/requests/pending-caps.ts';
import { countConcludingBlocks } from '../../../src/data/pipelines/concluding-blocks.ts';
import {
  listConcluded,
  type ConcludedFilter,
} from '../../../src/data/pipelines/concluded-requests.ts';
import {
  changesQuery,
  countsQuery,
  readSnapshot,
} from '../../../src/data/requests/queue/changes.ts';
import { queueQuery, type QueueFilter } from '../../../src/data/requests/queue/list.ts';
import { commit } from '../../../src/data/requests/engine/commit.ts';
import { readViews, type Need } from '../../../src/data/requests/engine/view.ts';
import {
  clearTries,
  clearWakes,
  findFinalStates,
  findPastDeadline,
  leaseDueWakes,
} from '../../../src/data/requests/wake.ts';
import {
  decidedByService,
  unchanged,
  type Effects,
} from '../../../src/domain/requests/engine/effects.ts';
import { notified } from '../../../src/domain/requests/engine/notify.ts';
import { readActivity, readHistory } from '../../../src/data/agents/agent-activity.ts';
import { listInstances } from '../../../src/data/agents/agent-instance-lists.ts';
import { addToRequestCounts, readCountedUntil } from '../../../src/data/agents/request-counts.ts';
import { readWaiting } from '../../../src/data/requests/overview.ts';
import { openPool, type Db, type Pool } from '../../../src/platform/postgres.ts';
import { queryRows } from '../../../src/platform/rows.ts';
import { type TestApp } from '../../support/app.ts';
import { scene } from '../../support/scene.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { explain, explainGeneric, statementOf, type PlanNode } from '../../support/sql/plans.ts';

const ROWS = 10_000;

const LEASE = { limit: 200, leaseMs: 5_000, longestLeaseMs: 60_000, longDueMs: 5_000 };

/**
 * 10,000 requests of 20 agents. Rules decided most, one in fifty waits, and one in three reached
 * people.
 */
async function fillTable(app: TestApp, organization: TestOrganization): Promise<void> {
  const agents = await Promise.all(
    Array.from({ length: 20 }, () => createAgent(app, organization)),
  );
  await app.db.raw(
    `insert into approval_requests (
       id, organization_id, agent_slug, agent_name, agent_instance_id, agent_instance_name, agent_credential_id, tool, arguments, timeout,
       idempotency_key, state, created_at, deadline_at, updated_at, last_at, wake_at, routed_at, route_source, route_scope)
     select gen_random_uuid(), cast(:organization as uuid), a.slug, a.slug, a.instance, 'instance', a.credential, 'tool', '{}', '1h',
            n, s.state, at, at + interval '30 days', at, at,
            case when s.state in ('pending', 'evaluating') then at + interval '30 days' end,
            case when s.state = 'pending' or n % 3 = 0 then at end,
            case when s.state = 'pending' or n % 3 = 0 then 'no_escalation' end,
            case when s.state = 'pending' or n % 3 = 0 then 'agent' end
       from generate_series(1, cast(:rows as integer)) as n,
            lateral (select (array['approved', 'approved', 'denied', 'expired', 'cancelled'])[1 + n % 5] as word) as w,
            lateral (select case when n % 1000 = 7 then 'evaluating' when n % 50 = 0 then 'pending' else word end as state) as s,
            lateral (select clock_timestamp() - (cast(:rows as integer) - n) * interval '1 minute' as at) as t,
            lateral (select slug, instance, credential
                       from unnest(cast(:slugs as text[]), cast(:instances as uuid[]), cast(:credentials as uuid[]))
                            with ordinality as u (slug, instance, credential, place) where place = 1 + n % 20) as a`,
    {
      organization: organization.id,
      rows: ROWS,
      slugs: agents.map((agent) => agent.slug),
      instances: agents.map((agent) => agent.instanceId),
      credentials: agents.map((agent) => agent.credentialId),
    },
  );
  await app.db.raw('analyze');
}

const WITH_PEOPLE: Need = { texts: false, people: { pathKeys: ['on-call'], cap: 1_000 } };

const answered = (before: Effects) =>
  decidedByService(before, { id: randomUUID(), status: 'expired', wakes: true });
const asked = (before: Effects) =>
  notified(before, { stepKey: 'a:1', run: 1, kind: 'notified', membershipIds: [randomUUID()] })
    .effects;

/** As the service leaves it: all but the requests of the last minutes are counted. */
async function countMost({ db }: TestApp): Promise<string> {
  await addToRequestCounts(db as Pool, { everyMs: 0 });
  await db.raw('analyze');
  return await readCountedUntil(db);
}

const { app, organization } = await scene({ pipelines: {} });
const position = { at: new Date(), id: randomUUID(), isUrgent: true };

describe('with 10,000 requests in the table', () => {
  let agentSlug: string;
  let access: QueueFilter['access'];

  beforeAll(async () => {
    const other = await createOrganization(app);
    await fillTable(app, organization);
    await fillTable(app, other);
    const { slug } = await app
      .db('agents')
      .where({ organization_id: organization.id })
      .first<{ slug: string }>('slug');
    agentSlug = slug;
    const member = await createMember(app, organization.id);
    const all = { all: true } as const;
    access = {
      teamIds: [],
      membershipId: member.membershipId,
      read: all,
      readRoutedToOthers: undefined,
      decide: all,
      decideRoutedToOthers: undefined,
    };
  });
  const expectIndexed = (nodes: readonly PlanNode[]) => {
    const scans = nodes
      .filter((node) => node['Relation Name'] === 'approval_requests')
      .map((node) => node['Node Type']);
    expect(scans.filter((type) => type.includes('Scan')).length).toBeGreaterThan(0);
    expect(scans).not.toContain('Seq Scan');
  };

  test.each<[string, Partial<QueueFilter> & { ofAgent?: boolean }]>([
    ['the default list', {}],
    ['a later page', { offset: 500 }],
    ['requests with a notification', { scope: 'notified' }],
    ['requests the caller may decide', { scope: 'decidable' }],
    ['the list of an agent', { ofAgent: true }],
    ['the list of an agent by status', { ofAgent: true, status: 'approved' }],
    ['the list by status pending', { status: 'pending' }],
    ['the list by status approved', { status: 'approved' }],
    ['the list of what is decided', { status: 'decided' }],
    ['a search', { q: 'tool' }],
    ['a page after a cursor', { paged: true, after: position }],
    ['the first deadlines', { status: 'pending', sort: 'deadline', paged: true }],
    ['urgent ones first', { status: 'pending', sort: 'urgency', paged: true, after: position }],
    ['what the caller claims', { status: 'pending', claimed: 'me' }],
  ])('%s uses an index', async (_name, { ofAgent, ...more }) => {
    const filter: QueueFilter = {
      access,
      scope: 'visible',
      limit: 50,
      offset: 0,
      ...(ofAgent && { agentSlug }),
      ...more,
    };
    const nodes = await explain(app, queueQuery(organization.id, filter));
    expectIndexed(nodes);
    // A page comes in the order of its index, or from the few that wait. It never sorts everything
    // the organization asked.
    const sorted = nodes
      .filter((node) => node['Node Type'] === 'Sort')
      .map((node) => node['Plan Rows']);
    expect(Math.max(...sorted)).toBeLessThanOrEqual(1_000);
  });

  test('changes of the queue are read by the transactions of a few of its requests', async () => {
    const snapshot = await readSnapshot(app.db);
    // A transaction of another test, which is still open, would let it begin before the table was filled.
    const after = snapshot.replace(/^\d+:(?<next>\d+):.*$/, '$<next>:$<next>:');
    const reader = { access, scope: 'visible' } as const;
    const nodes = await explain(app, changesQuery(organization.id, { reader, after, limit: 200 }));
    expectIndexed(nodes);
    expect(nodes.map((node) => node['Index Name'])).toContain('approval_requests_changed_idx');
    expectIndexed(await explain(app, countsQuery(organization.id, { access, atMost: 1_000 })));
  });

  type Range = Partial<ConcludedFilter> & { readonly ofAgent?: true };
  test.each<[string, Range]>([
    ['of all agents', {}],
    ['of an agent', { ofAgent: true }],
    ['of a later page', { after: { createdAt: new Date(), id: randomUUID() } }],
    ['of some days', { from: new Date(0), to: new Date() }],
  ])('a batch to simulate %s reads only its own requests', async (_name, { ofAgent, ...more }) => {
    const filter = { access, limit: 100, ...(ofAgent && { agentSlug }), ...more };
    const nodes = await explain(
      app,
      await statementOf(app, (db) => listConcluded(db, organization.id, filter)),
    );
    expectIndexed(nodes);
    const sorted = nodes.filter((node) => node['Node Type'] === 'Sort');
    expect(sorted.every((node) => node['Plan Rows'] <= 200)).toBe(true);
  });

  /** Commits to a request that has changed meanwhile. */
  const commitOf = async (db: Db, plan: (before: Effects) => Effects, size = 1) => {
    const views = await readViews(app.db, await pendingIds(size), WITH_PEOPLE);
    const guard = { depends: 'access', byEmail: true } as const;
    await commit(
      db,
      views.map((view) => plan(unchanged({ ...view, version: '1' }))),
      guard,
    );
  };
  const pendingIds = async (size: number): Promise<string[]> =>
    await app.db('approval_requests').where({ state: 'pending' }).limit(size).pluck('id');

  test.each<[string, (db: Db) => Promise<unknown>]>([
    [
      'the search for requests past their deadline',
      (db) => findPastDeadline(db, { atMost: 200, withinMs: 1_000 }),
    ],
    ['the read of some requests', (db) => readViews(db, [randomUUID()], { texts: true })],
    ['the read of some requests with people', (db) => readViews(db, [randomUUID()], WITH_PEOPLE)],
    ['the commit of a final answer', (db) => commitOf(db, answered)],
    ['the commit of a level', (db) => commitOf(db, asked)],
    ['the lease of overdue wake-ups', (db) => leaseDueWakes(db, { ...LEASE, onlyLate: false })],
    ['the lease of late levels', (db) => leaseDueWakes(db, { ...LEASE, onlyLate: true })],
    ['clearing tries', (db) => clearTries(db, [{ id: randomUUID(), from: new Date() }])],
    ['clearing wake-ups', (db) => clearWakes(db, [randomUUID()])],
    ['the final states of some requests', (db) => findFinalStates(db, [randomUUID()])],
    ['the marks of calls', (db) => findCallMarks(db, [randomUUID()])],
    ['what waits, by team', (db) => readWaiting(db, organization.id, access)],
    [
      'the count of pending requests',
      (db) => findReachedCap(db, { organizationId: organization.id, agentSlug }, 1_000),
    ],
    [
      'the count of an agent without requests',
      (db) => findReachedCap(db, { organizationId: organization.id, agentSlug: 'nobody' }, 1_000),
    ],
  ])('%s uses an index', async (_name, run) => {
    expectIndexed(await explain(app, await statementOf(app, run)));
  });

  test('sets of any length are planned five times, and then no more', async () => {
    const pool = openPool({ connectionString: app.databaseUrl, max: 1, applicationName: 'plans' });
    try {
      for (const size of [2, 2, 2, 2, 2, 2, 200, 2]) {
        await readViews(pool, await pendingIds(size), WITH_PEOPLE);
        await commitOf(pool, asked, size);
      }
      const plans = await queryRows<{ customPlans: number; genericPlans: number }>(
        pool,
        `select custom_plans, generic_plans from pg_prepared_statements where name ~ '^(commit|read-set)-'`,
      );
      const times = { customPlans: 5, genericPlans: 3 };
      expect(plans).toEqual([times, times]);
    } finally {
      await pool.destroy();
    }
  });

  test.each<[string, (db: Db) => Promise<unknown>]>([
    ['of a read of a set', async (db) => readViews(db, await pendingIds(200), WITH_PEOPLE)],
    ['of the final answers of a set', (db) => commitOf(db, answered, 200)],
    ['of the levels of a set', (db) => commitOf(db, asked, 200)],
  ])('the plan %s that is kept uses an index, however small the table was', async (_name, run) => {
    const nodes = await explainGeneric(app, await statementOf(app, run));
    expectIndexed(nodes);
    // For more than one row, the planner reads a table of some hundred requests whole.
    const planned = nodes.filter((node) => node['CTE Name'] === 'planned');
    expect(planned.every((node) => node['Plan Rows'] === 1)).toBe(true);
  });

  test('a plan of the marks of calls from when few requests waited counts equal calls alone', async () => {
    const statement = await statementOf(app, (db) => findCallMarks(db, [randomUUID()]));
    await app.db
      .transaction(async (trx) => {
        await trx.raw(
          `update approval_requests
              set call_digest = sha256(cast(cast(id as text) as bytea)), state = case state when 'pending' then 'expired' else state end`,
        );
        await trx.raw('analyze approval_requests');
        const nodes = await explain({ ...app, db: trx as never }, statement);
        const indexes = nodes.flatMap(({ 'Index Name': name }) => name ?? []);
        expect(indexes.filter((name) => name === 'approval_requests_call_idx')).toHaveLength(2);
        expect(indexes).not.toContain('approval_requests_pending_deadline_idx');
        throw new Error('rolled back');
      })
      .catch((error: unknown) => {
        if ((error as Error).message !== 'rolled back') throw error;
      });
  });

  test.each<[string, (db: Db, since: string) => Promise<unknown>]>([
    [
      'a list of agents',
      async (db, since) => {
        const agents = await app.db('agents').where({ organization_id: organization.id });
        const slugs = (agents as { slug: string }[]).map(({ slug }) => slug);
        await readActivity(db, organization.id, { slugs, since });
      },
    ],
    [
      'the detail of an agent',
      (db, since) => readActivity(db, organization.id, { slugs: [agentSlug], since }),
    ],
    [
      'the count of all requests of an agent',
      (db, since) => readHistory(db, organization.id, { slug: agentSlug, since }),
    ],
    [
      'the instances of an agent',
      (db, since) =>
        listInstances(db, organization.id, {
          slug: agentSlug,
          filter: {},
          limit: 25,
          offset: 0,
          since,
        }),
    ],
  ])('%s reads only the requests that wait or are not counted yet', async (_name, run) => {
    const since = await countMost(app);
    const nodes = await explain(app, await statementOf(app, (db) => run(db, since)));
    expectIndexed(nodes);
    const scans = nodes.filter(
      (node) => node['Relation Name'] === 'approval_requests' && node['Index Cond'] !== undefined,
    );
    for (const scan of scans) {
      const waiting = scan['Index Name'] === 'approval_requests_open_agent_idx';
      expect(scan['Index Cond']).toContain('agent_slug');
      if (!waiting) expect(scan['Index Cond']).toContain('created_at >=');
      // An agent has 500 requests, of which 10 wait.
      expect(scan['Plan Rows']).toBeLessThan(50);
    }
  });

  test('counting where the newest ended looks up their decisions and events', async () => {
    await app.db.raw(
      `with decided as (
         insert into decisions (id, request_id, organization_id, status, channel, authentication, idempotency_key, decided_at)
         select gen_random_uuid(), id, organization_id, 'denied', 'pipeline', '{}', id, created_at from approval_requests
          where organization_id = :organization and state = 'denied' and routed_at is null
         returning request_id, organization_id, decided_at
       )
       insert into audit_events (id, organization_id, event_type, actor_type, subject_type, subject_id, data, occurred_at)
       select gen_random_uuid(), organization_id, 'approval_request.denied', 'system', 'approval_request', request_id,
              '{"scope": "agent", "block_id": "no"}', decided_at
         from decided, generate_series(1, 3)`,
      { organization: organization.id },
    );
    await app.db.raw('analyze decisions, audit_events');
    for (const slug of [agentSlug, undefined]) {
      const wanted = {
        access,
        days: 7,
        most: 2_000,
        ...(slug !== undefined && { agentSlug: slug }),
      };
      const statement = await statementOf(app, (db) =>
        countConcludingBlocks(db, organization.id, wanted),
      );
      const nodes = await explain(app, statement);
      expectIndexed(nodes);
      const scanned = nodes.flatMap((node) => node['Index Name'] ?? []);
      expect(scanned).toContain('decisions_request_id_key');
      expect(scanned).toContain('audit_events_subject_idx');
    }
  });
});
