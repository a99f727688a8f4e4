/** GET /system: what waits for the service, for those who run it, and only about their own organization. */
import { expect, test } from '@jest/globals';
import { v7 } from 'uuid';
import { stepRequest } from '../../../src/services/engine/step.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { until } from '../../support/waiting.ts';

const began = Date.now();
const UI = 'http://127.0.0.1:8233';
const { app, ask, claimed, owner, organization, people } = await scene({
  app: { environment: { COUNTERSIGN_TEMPORAL_UI_URL: `${UI}/` } },
  people: { ada: REVIEWER, eve: ['organization.read'] },
  paths: { desk: [['ada'], ['owner']] },
});
const running = await scene({ app: { temporal: true } });
const other = await scene({ on: app, people: { bea: REVIEWER }, paths: { desk: [['bea']] } });

interface System {
  readonly at: string;
  readonly checks: readonly object[];
  readonly versions: { readonly postgres: string; readonly temporal?: string };
  readonly clock_ahead_ms: number;
  readonly levels: {
    readonly late_count: number;
    readonly late_since?: string;
    readonly worst_seconds: number;
  };
  readonly worker_seen_at?: string;
  readonly workflows_url?: string;
}

async function systemOf({ http }: Pick<typeof owner, 'http'>): Promise<System> {
  const { status, body } = await http.get('/api/v1/system');
  expect(status).toBe(200);
  return body as unknown as System;
}

/** A level that no one takes: the reconciler looks later. */
const late = async (id: string) => {
  await app
    .db('approval_requests')
    .where({ id })
    .update({
      next_at: app.db.raw(`clock_timestamp() - interval '60 seconds'`),
      wake_at: app.db.raw(`clock_timestamp() + interval '1 hour'`),
      wake_attempts: 3,
    });
};

test('a quiet service is well, but for a Temporal server that is away', async () => {
  let body = await systemOf(other.owner);
  // Each part has two seconds, which a busy machine may need for itself.
  await until('the database answers in time', async () => {
    body = await systemOf(other.owner);
    return JSON.stringify(body.checks).split('"is_ok":true').length === 4;
  });
  expect(body).toMatchObject({
    edition: 'open',
    levels: { late_count: 0 },
    workflows: { silent_count: 0 },
    messages: { due_count: 0, dead_count: 0 },
    temporal_calls: { waiting: 0, oldest_seconds: 0 },
    versions: { node: process.versions.node },
  });
  expect(body.checks).toEqual([
    { name: 'database', is_ok: true },
    { name: 'migrations', is_ok: true },
    { name: 'temporal', is_ok: false, problem: expect.stringContaining('not connected') },
    { name: 'audit', is_ok: true },
  ]);
  expect(body.versions.postgres).toMatch(/^\d+/);
  expect(body.versions.temporal).toBeUndefined();
  expect(Math.abs(body.clock_ahead_ms)).toBeLessThan(1_000);
  expect(body.workflows_url).toBe(
    `${UI}/namespaces/${process.env['TEST_TEMPORAL_NAMESPACE'] ?? 'countersign-test'}/workflows/approval-request:`,
  );
});

test('with a Temporal server, says its version and when a worker last asked it for something to do', async () => {
  let body = await systemOf(running.owner);
  // A worker asks again after a minute at most. The server tells of its first question after a moment.
  await until('a worker was seen, and all answer in time', async () => {
    body = await systemOf(running.owner);
    return body.worker_seen_at !== undefined && !JSON.stringify(body.checks).includes('false');
  });
  expect(body.checks).toContainEqual({ name: 'temporal', is_ok: true });
  expect(body.versions.temporal).toMatch(/^\d+\.\d+\.\d+/);
  // The server tells whole seconds.
  expect(Date.parse(body.worker_seen_at ?? '')).toBeGreaterThan(began - 1_000);
  // Of one that no worker serves, nothing is known.
  expect((await systemOf(owner)).worker_seen_at).toBeUndefined();
});

test('counts late levels, silent workflows and dead messages of this organization alone', async () => {
  const [one, two] = [await ask(), await ask()];
  await late(one);
  await late(two);
  const channel = v7();
  await app.db('notification_channels').insert({
    id: channel,
    organization_id: organization.id,
    kind: 'webhook',
    name: 'pager',
    enabled: true,
    created_at: new Date(),
    updated_at: new Date(),
  });
  const message = { organization_id: organization.id, channel_id: channel, created_at: new Date() };
  await app
    .db('notification_deliveries')
    .insert([{ ...message, id: v7(), request_id: one, event: 'decided', dead_at: new Date() }]);
  const body = await systemOf(owner);
  expect(body).toMatchObject({
    levels: { late_count: 2 },
    workflows: { silent_count: 2 },
    messages: { dead_count: 1 },
  });
  const lateFor = Date.parse(body.at) - Date.parse(body.levels.late_since ?? '');
  expect(lateFor).toBeGreaterThanOrEqual(60_000);
  const others = await systemOf(other.owner);
  expect(others).toMatchObject({
    levels: { late_count: 0 },
    workflows: { silent_count: 0 },
    messages: { dead_count: 0 },
  });
});

test('a claim holds a level up, which is then not late', async () => {
  const id = await ask();
  await claimed(people.ada, id);
  const before = await systemOf(owner);
  await late(id);
  const body = await systemOf(owner);
  expect(body.levels.late_count).toBe(before.levels.late_count);
});

test('others may not see it, nor where the workflow of a request is shown', async () => {
  expect((await people.eve.http.get('/api/v1/system')).status).toBe(403);
  const id = await ask();
  const read = async ({ http }: typeof owner) => (await http.get(`/api/v1/requests/${id}`)).body;
  const { workflows_url: base = '' } = await systemOf(owner);
  expect((await read(owner))['workflow_url']).toBe(`${base}${id}`);
  const others = await read(people.ada);
  expect(others['id']).toBe(id);
  expect(others).not.toHaveProperty('workflow_url');
});

test('the worst lateness of a level is a figure of the process, on /metrics too', async () => {
  const id = await ask();
  // The level lasts 10 minutes, and is taken after 20.
  const floor = new Date(Date.now() + 20 * 60_000);
  await stepRequest(app.context, id, { floor, by: 'workflow' });
  const body = await systemOf(owner);
  const worst = body.levels.worst_seconds;
  expect(worst).toBeGreaterThanOrEqual(9 * 60);
  const { text } = await app.http.get('/metrics');
  expect(text).toContain(`\ncountersign_levels_late_worst_seconds ${worst}\n`);
});
