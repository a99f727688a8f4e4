/** What lists and the detail page say about agents: counts, trends, pages and filters. */
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  insertAgentCredential,
  touchCredential,
} from '../../../src/data/agents/agent-credentials.ts';
import { addToRequestCounts } from '../../../src/data/agents/request-counts.ts';
import type { Pool } from '../../../src/platform/postgres.ts';
import { appForFile } from '../../support/scene.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { ask, decide, postRequest } from '../../support/scene/approval-requests.ts';
import {
  createAgent,
  createInstance,
  createOrganization,
  createOrganizationKey,
  grant,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { statementsDuring } from '../../support/sql/statements.ts';
import { until, untilBlocked } from '../../support/waiting.ts';

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
let organization: TestOrganization;
let owner: TestMember;
let agent: TestAgent;

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
  agent = await createAgent(app, organization);
});

type Body = Record<string, unknown>;

const detail = async (query = ''): Promise<Body> => {
  const answer = await owner.http.get(`/api/v1/agents/${agent.slug}${query}`);
  expect(answer.status).toBe(200);
  return answer.body;
};
const listed = async (): Promise<Body | undefined> => {
  const { body } = await owner.http.get('/api/v1/agents?status=all');
  return (body['agents'] as unknown as Body[]).find(({ slug }) => slug === agent.slug);
};
const namesIn = (body: Body, list: string, member: string) =>
  (body[list] as Body[]).map((each) => each[member]);
const instance = (id: string) => app.db('agent_instances').where({ id });
const credential = (id: string) => app.db('agent_credentials').where({ id });

const MINUTE = 60_000;
const ago = (ms: number) => new Date(Date.now() - ms);

/** Moves a request to an earlier UTC day, and has everything counted again. */
async function moveBack(ids: readonly string[], days: number): Promise<void> {
  await app.db.transaction(async (trx) => {
    await trx('approval_requests')
      .whereIn('id', [...ids])
      .update({ created_at: trx.raw(`created_at - ? * interval '1 day'`, [days]) });
    await trx('agent_request_days').delete();
    await trx('agent_instance_request_days').delete();
    await trx('request_count_mark').update({ counted_until: trx.raw(`'-infinity'`) });
  });
}

const recount = () => addToRequestCounts(app.db as Pool, { everyMs: 0 });

describe('counts of requests', () => {
  test('are by UTC day, of the agent and of each instance, counted or not', async () => {
    const second = await createInstance(app, organization, agent.slug);
    const make = async (of: Pick<TestAgent, 'credential'>, times: number) =>
      await Promise.all(Array.from({ length: times }, () => ask(app, of)));
    await make(agent, 2);
    await make(second, 1);
    await moveBack(await make(agent, 3), 1);
    await moveBack(await make(second, 1), 6);
    await moveBack(await make(agent, 4), 7);

    const expectCounts = async () => {
      const trend = [1, 0, 0, 0, 0, 3, 3];
      expect(await listed()).toMatchObject({ recent_request_count: 7, request_trend: trend });
      const body = await detail();
      expect(body).toMatchObject({
        request_count: 11,
        recent_request_count: 7,
        request_trend: trend,
        pending_request_count: 11,
      });
      const instances = new Map((body['instances'] as Body[]).map((each) => [each['id'], each]));
      expect(instances.get(agent.instanceId)).toMatchObject({
        recent_request_count: 5,
        request_trend: [0, 0, 0, 0, 0, 3, 2],
      });
      expect(instances.get(second.instanceId)).toMatchObject({
        recent_request_count: 2,
        request_trend: [1, 0, 0, 0, 0, 0, 1],
      });
    };
    await expectCounts();
    await recount();
    await expectCounts();
    // A week later, its days are no longer kept for instances.
    expect(await app.db('agent_instance_request_days').where('requests', 4)).toEqual([]);
  });

  test('of those that wait are without decided ones, evaluated or not', async () => {
    const waiting = await ask(app, agent);
    await postRequest(app, agent);
    expect(await listed()).toMatchObject({ pending_request_count: 2, recent_request_count: 2 });
    await decide(owner.browser, waiting);
    expect(await listed()).toMatchObject({ pending_request_count: 1 });
    expect(await detail()).toMatchObject({ pending_request_count: 1, request_count: 2 });
    const other = await createAgent(app, organization);
    const { body } = await owner.http.get(`/api/v1/agents/${other.slug}`);
    expect(body).toMatchObject({ request_count: 0, request_trend: [0, 0, 0, 0, 0, 0, 0] });
  });
});

describe('counts of instances', () => {
  test('call live what is active and has a credential that is neither expired nor revoked', async () => {
    const [expired, revoked, disabled, renewed, replaced] = await Promise.all(
      [1, 2, 3, 4, 5].map(() => createInstance(app, organization, agent.slug)),
    );
    const past = { issuedAt: ago(2 * MINUTE), expiresAt: ago(MINUTE) };
    const issue = async (of: typeof expired, times: { issuedAt: Date; expiresAt: Date }) => {
      const id = randomUUID();
      const agentInstanceId = of?.instanceId ?? '';
      const tokenHash = randomBytes(32);
      await insertAgentCredential(app.db, organization.id, {
        id,
        agentInstanceId,
        tokenHash,
        ...times,
      });
      return id;
    };
    const revoke = async (id = '') => {
      expect((await owner.http.delete(`/api/v1/agent-credentials/${id}`)).status).toBe(204);
    };
    await issue(expired, past);
    await revoke(expired?.credentialId);
    await revoke(revoked?.credentialId);
    await owner.http.call('PATCH', `/api/v1/agent_instances/${disabled?.instanceId ?? ''}`, {
      body: { status: 'disabled' },
    });
    const older = await issue(renewed, past);
    await issue(replaced, { issuedAt: ago(0), expiresAt: ago(-60 * MINUTE) });
    await revoke(replaced?.credentialId);

    const counts = { instance_count: 6, live_instance_count: 3 };
    expect(await listed()).toMatchObject(counts);
    // They are of all instances, whatever the page shows.
    const page = await detail('?instance_limit=1&instance_status=disabled');
    expect(page).toMatchObject({ ...counts, matching_instance_count: 1 });
    expect(page['instances']).toMatchObject([{ id: disabled?.instanceId, status: 'disabled' }]);
    const whole = await detail();
    const found = (whole['instances'] as Body[]).find(({ id }) => id === renewed?.instanceId);
    expect(found?.['credentials']).toEqual([
      {
        id: renewed?.credentialId,
        issued_at: expect.any(String),
        expires_at: expect.any(String),
      },
      {
        id: older,
        issued_at: past.issuedAt.toISOString(),
        expires_at: past.expiresAt.toISOString(),
      },
    ]);
    await owner.http.delete(`/api/v1/agents/${agent.slug}`);
    expect(await listed()).toMatchObject({ instance_count: 6, live_instance_count: 0 });
    await owner.http.post(`/api/v1/agents/${agent.slug}/restore`);
    expect(await listed()).toMatchObject({ instance_count: 6, live_instance_count: 0 });
  });

  test('are exact when a credential is issued while another one is revoked', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const one = await createInstance(app, organization, agent.slug);
      const trx = await app.db.transaction();
      await insertAgentCredential(trx, organization.id, {
        id: randomUUID(),
        agentInstanceId: one.instanceId,
        tokenHash: randomBytes(32),
        issuedAt: ago(0),
        expiresAt: ago(-60 * MINUTE),
      });
      const revoking = owner.http.delete(`/api/v1/agent-credentials/${one.credentialId}`);
      await untilBlocked(trx);
      await trx.commit();
      expect((await revoking).status).toBe(204);
    }
    expect(await listed()).toMatchObject({ live_instance_count: ROUNDS + 1 });
  });
});

describe('the newest call', () => {
  test('is that of any instance, and absent before the first', async () => {
    const second = await createInstance(app, organization, agent.slug);
    expect(await listed()).not.toHaveProperty('last_seen_at');
    await instance(agent.instanceId).update({
      created_at: ago(60 * MINUTE),
      last_seen_at: ago(5 * MINUTE),
    });
    const { last_seen_at: seen } = (await listed()) ?? {};
    expect(Date.parse(String(seen))).toBeLessThan(Date.now() - 4 * MINUTE);
    expect((await detail())['last_seen_at']).toBe(seen);
    // Never called, but younger: it comes first in the page, and has not been seen.
    expect(namesIn(await detail(), 'instances', 'id')).toEqual([
      second.instanceId,
      agent.instanceId,
    ]);
  });
});

describe('the use of a credential', () => {
  const usedAt = async () =>
    (await credential(agent.credentialId).first<{ last_used_at: Date | null }>('last_used_at'))
      .last_used_at;
  const calls = () => Promise.all(Array.from({ length: 5 }, () => postRequest(app, agent)));

  test('is written at most once a minute, however many calls come', async () => {
    await calls();
    await until('the first use is written', async () => (await usedAt()) !== null);
    const first = await usedAt();
    const statements = await statementsDuring(app, calls);
    expect(statements.filter((sql) => sql.includes('update agent_'))).toEqual([]);
    // Calls that came together all find the old use. The first one writes.
    await touchCredential(app.db, organization.id, agent.credentialId);
    expect(await usedAt()).toEqual(first);
    await credential(agent.credentialId).update({ last_used_at: ago(2 * MINUTE) });
    await touchCredential(app.db, organization.id, agent.credentialId);
    expect(Number(await usedAt())).toBeGreaterThanOrEqual(Number(first));
  });
});

describe('a page of instances', () => {
  test('has those last seen first, and pages and searches by name', async () => {
    const names = ['Runner-A', 'runner_b', 'worker%c', 'runner-d'];
    for (const [index, name] of names.entries()) {
      const { instanceId } = await createInstance(app, organization, agent.slug);
      await instance(instanceId).update({ name, last_seen_at: ago(index * MINUTE) });
    }
    await instance(agent.instanceId).update({ name: 'oldest', last_seen_at: ago(60 * MINUTE) });
    const order = [...names, 'oldest'];
    expect(namesIn(await detail(), 'instances', 'name')).toEqual(order);
    const pages = await Promise.all(
      [0, 2, 4, 6].map((offset) => detail(`?instance_limit=2&instance_offset=${offset}`)),
    );
    expect(pages.map((page) => namesIn(page, 'instances', 'name'))).toEqual([
      order.slice(0, 2),
      order.slice(2, 4),
      order.slice(4),
      [],
    ]);
    const found = await detail('?instance_q=RUNNER-');
    expect(namesIn(found, 'instances', 'name')).toEqual(['Runner-A', 'runner-d']);
    expect(found).toMatchObject({ instance_count: 5, matching_instance_count: 2 });
    for (const [q, name] of [
      ['_', 'runner_b'],
      ['%25', 'worker%c'],
    ])
      expect(namesIn(await detail(`?instance_q=${q}`), 'instances', 'name')).toEqual([name]);
  });

  test('of large metadata is read in parts, digit for digit', async () => {
    const text = (n: number) => `{"n":${n}.0,"text":"${'x'.repeat(60_000)}"}`;
    for (let n = 0; n < 30; n++) {
      const { instanceId } = await createInstance(app, organization, agent.slug);
      await instance(instanceId).update({ metadata: text(n), last_seen_at: ago(n * MINUTE) });
    }
    await instance(agent.instanceId).update({ last_seen_at: ago(60 * MINUTE) });
    const { text: answer } = await owner.http.get(`/api/v1/agents/${agent.slug}?instance_limit=30`);
    const places = Array.from({ length: 30 }, (_, n) => answer.indexOf(`"metadata":${text(n)}`));
    expect(Math.min(...places)).toBeGreaterThan(0);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });
});

describe('a page of provisioner tokens', () => {
  const DAY = 86_400_000;
  async function addToken(suffix: string, row: Record<string, unknown> = {}): Promise<string> {
    const id = randomUUID();
    await app.db('agent_provisioners').insert({
      id,
      organization_id: organization.id,
      agent_slug: agent.slug,
      created_by_actor_id: owner.membershipId,
      token_hash: randomBytes(32),
      suffix,
      issued_at: ago(DAY),
      expires_at: ago(-DAY),
      ...row,
    });
    return id;
  }

  test('has the last issued first, without secrets, and pages and filters', async () => {
    const live = await addToken('aaa111', { issued_at: ago(1 * MINUTE), last_used_at: ago(0) });
    const over = await addToken('bbb222', { issued_at: ago(2 * MINUTE), expires_at: ago(MINUTE) });
    await addToken('ccc333', { issued_at: ago(3 * MINUTE), revoked_at: ago(MINUTE) });
    const both = { expires_at: ago(MINUTE), revoked_at: ago(MINUTE) };
    await addToken('Zzz444', { issued_at: ago(4 * MINUTE), ...both });

    const whole = await detail();
    expect(whole).toMatchObject({ provisioner_count: 4, matching_provisioner_count: 4 });
    expect(whole['provisioners']).toHaveLength(4);
    expect((whole['provisioners'] as Body[])[0]).toEqual({
      id: live,
      organization_id: organization.id,
      agent_slug: agent.slug,
      created_by_actor_id: owner.membershipId,
      suffix: 'aaa111',
      issued_at: expect.any(String),
      expires_at: expect.any(String),
      last_used_at: expect.any(String),
    });
    for (const [query, suffixes] of [
      ['provisioner_status=active', ['aaa111']],
      ['provisioner_status=expired', ['bbb222']],
      ['provisioner_status=revoked', ['ccc333', 'Zzz444']],
      ['provisioner_q=ZZ4', ['Zzz444']],
      [`provisioner_q=${over.slice(0, 13)}`, ['bbb222']],
      ['provisioner_q=zz4&provisioner_status=active', []],
    ] as const) {
      const page = await detail(`?${query}`);
      expect([query, namesIn(page, 'provisioners', 'suffix')]).toEqual([query, suffixes]);
      expect(page).toMatchObject({
        provisioner_count: 4,
        matching_provisioner_count: suffixes.length,
      });
    }
    const page = await detail('?provisioner_limit=2&provisioner_offset=1');
    expect(namesIn(page, 'provisioners', 'suffix')).toEqual(['bbb222', 'ccc333']);
  });
});

describe('who created an agent', () => {
  test('is a person or an organization key, by name', async () => {
    expect(await detail()).toMatchObject({
      created_by_actor_type: 'human',
      created_by_display_name: owner.displayName,
    });
    const key = await createOrganizationKey(app, organization);
    await grant(app.db, organization.id, {
      apiKeyId: key.id,
      policy: { scope_kind: 'organization', permissions: ['agent.write'] },
    });
    const created = await key.http.post('/api/v1/agents', { slug: 'by-key', name: 'By key' });
    expect(created.status).toBe(201);
    const { body } = await owner.http.get('/api/v1/agents/by-key');
    expect(body).toMatchObject({
      created_by_actor_id: key.id,
      created_by_actor_type: 'api_key',
      created_by_display_name: expect.stringMatching(/./),
    });
  });
});

test.each([
  'instance_limit=0',
  'instance_limit=201',
  'instance_offset=-1',
  'instance_status=gone',
  'provisioner_limit=x',
  'provisioner_status=live',
  'limit=1',
])('the detail page refuses %s', async (query) => {
  const answer = await owner.http.get(`/api/v1/agents/${agent.slug}?${query}`);
  expect(answer.status).toBe(400);
});
