/** Requests are counted by day behind the creates, each exactly once. */
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { readActivity, readHistory } from '../../../src/data/agents/agent-activity.ts';
import { addToRequestCounts, readCountedUntil } from '../../../src/data/agents/request-counts.ts';
import type { Db, Pool } from '../../../src/platform/postgres.ts';
import { appForFile } from '../../support/scene.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { until } from '../../support/waiting.ts';
import {
  createAgent,
  createOrganization,
  type TestAgent,
  type TestOrganization,
} from '../../support/scene/factories.ts';

const app = await appForFile();
let organization: TestOrganization;
let agent: TestAgent;

beforeAll(async () => {
  organization = await createOrganization(app);
});
beforeEach(async () => {
  agent = await createAgent(app, organization);
});

/** A request created now, by the clock of the database. */
async function add(db: Db, { state = 'approved', admitted = false } = {}): Promise<string> {
  const id = randomUUID();
  await db.raw(
    `insert into approval_requests (
       id, organization_id, agent_slug, agent_name, agent_instance_id, agent_instance_name, agent_credential_id, tool, arguments, timeout,
       idempotency_key, state, admitted, created_at, deadline_at, updated_at, last_at)
     select :id, :organization, :slug, :slug, :instance, 'instance', :credential, 'tool', '{}', '1h', :id, :state, :admitted,
            now, now + interval '1 hour', now, now from clock_timestamp() as now`,
    {
      id,
      organization: organization.id,
      slug: agent.slug,
      instance: agent.instanceId,
      credential: agent.credentialId,
      state,
      admitted,
    },
  );
  return id;
}

const count = () => addToRequestCounts(app.db as Pool, { everyMs: 0 });

/** A transaction of the service that began before the last request lets a count end before it. */
async function countAll(): Promise<void> {
  await until('all requests are counted', async () => {
    await count();
    const rest = app.db('approval_requests').where({ agent_slug: agent.slug });
    const uncounted = rest.where('created_at', '>=', await readCountedUntil(app.db));
    return (await uncounted).length === 0;
  });
}

/** What is in the counts, and what readers answer. */
async function counts(): Promise<{ counted: number; answered: number[] }> {
  const since = await readCountedUntil(app.db);
  const { slug } = agent;
  const activity = await readActivity(app.db, organization.id, { slugs: [slug], since });
  const { requestCount } = await readHistory(app.db, organization.id, { slug, since });
  const days = await app.db('agent_request_days').where({ agent_slug: slug }).pluck('requests');
  return {
    counted: (days as number[]).reduce((sum, each) => sum + each, 0),
    answered: [requestCount, activity.get(slug)?.recentRequestCount ?? -1],
  };
}

test('a request is counted once, before and after it is in the counts', async () => {
  await add(app.db);
  expect(await counts()).toEqual({ counted: 0, answered: [1, 1] });
  await countAll();
  expect(await counts()).toEqual({ counted: 1, answered: [1, 1] });
  await add(app.db);
  expect(await counts()).toEqual({ counted: 1, answered: [2, 2] });
  await countAll();
  await count();
  expect(await counts()).toEqual({ counted: 2, answered: [2, 2] });
});

test('a request that commits after a later one was counted is not lost', async () => {
  const slow = await app.db.transaction();
  await add(slow);
  await add(app.db);
  await count();
  await slow.commit();
  expect((await counts()).answered).toEqual([2, 2]);
  await countAll();
  expect(await counts()).toEqual({ counted: 2, answered: [2, 2] });
});

test('a request that the pending cap may still remove is not in the counts', async () => {
  const refused = await add(app.db, { state: 'evaluating' });
  await add(app.db, { state: 'evaluating', admitted: true });
  await count();
  expect(await counts()).toEqual({ counted: 0, answered: [2, 2] });
  await app.db('approval_requests').where({ id: refused }).delete();
  await countAll();
  expect(await counts()).toEqual({ counted: 1, answered: [1, 1] });
});

test('while many are created and several processes count, none is missed or counted twice', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    agent = await createAgent(app, organization);
    const seen: number[] = [];
    const look = async () => {
      await count();
      seen.push((await counts()).answered[0] ?? -1);
    };
    await Promise.all([
      ...Array.from({ length: 30 }, () => add(app.db)),
      ...Array.from({ length: 4 }, look),
    ]);
    expect(Math.max(...seen)).toBeLessThanOrEqual(30);
    await countAll();
    expect(await counts()).toEqual({ counted: 30, answered: [30, 30] });
  }
});

test('a process that comes soon after another leaves it at that', async () => {
  await count();
  const before = await readCountedUntil(app.db);
  await addToRequestCounts(app.db as Pool, { everyMs: 600_000 });
  expect(await readCountedUntil(app.db)).toBe(before);
});
