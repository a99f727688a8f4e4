/** How long the outbox keeps messages, and that its cost does not grow with its size. */
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  deleteFinished,
  leaseDue,
} from '../../../src/data/notifications/notification-deliveries.ts';
import { purgeBatch } from '../../../src/services/retention.ts';
import { appForFile } from '../../support/scene.ts';
import {
  createAgent,
  createOrganization,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { explain, statementOf } from '../../support/sql/plans.ts';

const app = await appForFile({
  environment: { COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64') },
});

async function addChannel(organization: TestOrganization): Promise<string> {
  const id = randomUUID();
  const now = new Date();
  await app.db('notification_channels').insert({
    id,
    organization_id: organization.id,
    kind: 'webhook',
    name: 'Bot',
    created_at: now,
    updated_at: now,
  });
  return id;
}

/** Messages about as many requests that wait for the owner, due a second ago. */
async function fill(
  organization: TestOrganization,
  channelId: string,
  count: number,
): Promise<string[]> {
  const agent = await createAgent(app, organization);
  const { rows } = await app.db.raw<{ rows: { id: string }[] }>(
    `with asked as (
       insert into approval_requests (
         id, organization_id, agent_slug, agent_name, agent_instance_id, agent_instance_name, agent_credential_id, tool, arguments, timeout,
         idempotency_key, state, created_at, deadline_at, updated_at, last_at, routed_at, route_source, route_scope)
       select gen_random_uuid(), :organization, :slug, :slug, :instance, 'instance', :credential, 'tool', '{}', '1h',
              n, 'pending', now(), now() + interval '1 hour', now(), now(), now(), 'no_escalation', 'agent'
         from generate_series(1, cast(:count as integer)) as n returning id
     ),
     step as (
       insert into escalation_steps (request_id, step_key, run, kind, at) select id, 'step', 1, 'notified', now() from asked returning request_id
     ),
     notified as (
       insert into notifications (id, organization_id, request_id, step_key, membership_id, created_at)
       select gen_random_uuid(), :organization, request_id, 'step', :member, now() from step returning id, request_id
     )
     insert into notification_deliveries (id, organization_id, channel_id, request_id, event, notification_id, next_attempt_at, created_at)
     select gen_random_uuid(), :organization, :channelId, request_id, 'notified', id, now() - interval '1 second', now() from notified returning id`,
    {
      organization: organization.id,
      channelId,
      slug: agent.slug,
      instance: agent.instanceId,
      credential: agent.credentialId,
      member: organization.owner.membershipId,
      count,
    },
  );
  return rows.map(({ id }) => id);
}

async function age(
  ids: readonly string[],
  column: 'delivered_at' | 'dropped_at' | 'dead_at',
  days: number,
): Promise<void> {
  await app
    .db('notification_deliveries')
    .whereIn('id', [...ids])
    .update({
      next_attempt_at: null,
      [column]: new Date(Date.now() - days * 86_400_000),
      ...(column === 'dropped_at' && { dropped_reason: 'request_closed' }),
    });
}

const left = async (ids: readonly string[]): Promise<string[]> =>
  (await app
    .db('notification_deliveries')
    .whereIn('id', [...ids])
    .pluck('id')) as string[];

describe('the outbox', () => {
  test('purges messages 30 days after delivery or drop and 90 days after giving up, and nothing else', async () => {
    const organization = await createOrganization(app);
    const ids = await fill(organization, await addChannel(organization), 8);
    const [waiting = '', ...over] = ids;
    const ages = [
      ['delivered_at', 29.9],
      ['dropped_at', 29.9],
      ['dead_at', 89.9],
      ['delivered_at', 30.1],
      ['dropped_at', 30.1],
      ['dead_at', 90.1],
      ['dead_at', 30.1],
    ] as const;
    for (const [index, [column, days]] of ages.entries())
      await age([over[index] ?? ''], column, days);
    await app
      .db('notification_deliveries')
      .where({ id: waiting })
      .update({ created_at: new Date(0) });
    await purgeBatch(app.context, new AbortController().signal);
    expect((await left(ids)).sort()).toEqual([waiting, over[0], over[1], over[2], over[6]].sort());
  });

  test('purges a few at a time, the oldest first, and not what is locked', async () => {
    const organization = await createOrganization(app);
    const ids = await fill(organization, await addChannel(organization), 5);
    for (const [index, id] of ids.entries()) await age([id], 'delivered_at', 40 - index);
    await app.db.transaction(async (trx) => {
      await trx('notification_deliveries').where({ id: ids[0] }).forUpdate().first('id');
      expect(await deleteFinished(app.db, 2)).toBe(2);
    });
    expect((await left(ids)).sort()).toEqual([ids[0], ids[3], ids[4]].sort());
    await purgeBatch(app.context, new AbortController().signal);
    expect(await left(ids)).toEqual([]);
  });
});

const lease = async (options: {
  limit: number;
  perChannel?: number;
  inFlight?: ReadonlyMap<string, number>;
}) => {
  const ids = await leaseDue(app.db, {
    lease: randomUUID(),
    leaseMs: 60_000,
    kinds: ['webhook'],
    perChannel: 8,
    inFlight: new Map(),
    ...options,
  });
  const rows = (await app
    .db('notification_deliveries')
    .whereIn('id', ids)
    .select('channel_id')) as { channel_id: string }[];
  return rows.map((row) => row.channel_id);
};

describe('the outbox with 10,000 messages due over one channel, and a few over others', () => {
  let channels: string[];
  let busy = '';

  beforeAll(async () => {
    await app
      .db('notification_deliveries')
      .whereNotNull('next_attempt_at')
      .update({ next_attempt_at: null, delivered_at: new Date() });
    const organization = await createOrganization(app);
    busy = await addChannel(organization);
    await fill(organization, busy, 10_000);
    channels = [];
    for (let index = 0; index < 4; index++) {
      const channel = await addChannel(organization);
      channels.push(channel);
      await fill(organization, channel, 2);
    }
    // Delivered messages and idle channels of many organizations.
    await app.db.raw(
      `insert into notification_channels (id, organization_id, kind, name, created_at, updated_at)
       select gen_random_uuid(), :organization, 'webhook', 'idle', now(), now() from generate_series(1, 5000)`,
      { organization: organization.id },
    );
    await app.db.raw('analyze');
  });

  test('serves other channels in the same turn', async () => {
    const served = await lease({ limit: 10 });
    expect(new Set(served)).toEqual(new Set([busy, ...channels]));
    expect(served).toHaveLength(10);
  });

  test('serves a channel with many messages under way last, and one at its limit not at all', async () => {
    const [first = ''] = channels;
    await app
      .db('notification_deliveries')
      .whereNotNull('next_attempt_at')
      .update({ next_attempt_at: new Date(Date.now() - 1_000), lease: null });
    expect(await lease({ limit: 3, inFlight: new Map([[busy, 1]]) })).not.toContain(busy);
    expect(await lease({ limit: 20, inFlight: new Map([[busy, 8]]) })).not.toContain(busy);
    expect(await lease({ limit: 20, inFlight: new Map([[first, 8]]) })).toContain(busy);
  });

  test('leasing reads what is due first by index, and no idle channel', async () => {
    const nodes = await explain(
      app,
      await statementOf(app, (db) =>
        leaseDue(db, {
          lease: randomUUID(),
          leaseMs: 60_000,
          kinds: ['webhook'],
          limit: 64,
          perChannel: 8,
          inFlight: new Map(),
        }),
      ),
    );
    // Live claims are few, so how they are read does not matter.
    const whole = nodes
      .filter((node) => node['Node Type'] === 'Seq Scan')
      .map((node) => node['Relation Name']);
    expect(whole.filter((name) => name !== 'claims')).toEqual([]);
    const sorted = nodes
      .filter((node) => node['Node Type'] === 'Sort')
      .map((node) => node['Plan Rows']);
    expect(Math.max(0, ...sorted)).toBeLessThanOrEqual(1_000);
  });

  test('purging reads old messages by index', async () => {
    const nodes = await explain(app, await statementOf(app, (db) => deleteFinished(db, 500)));
    const scans = nodes
      .filter(({ 'Relation Name': name }) => name === 'notification_deliveries')
      .map((node) => node['Node Type']);
    expect(scans).not.toContain('Seq Scan');
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Sort');
  });
});
