/** A fleet reads, renames and deletes instances of its agent, on both mounts. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { HttpClient, type ApiResponse } from '../../support/http.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { scene } from '../../support/scene.ts';
import { createAgent, createInstance, createProvisioner } from '../../support/scene/factories.ts';
import { untilBlocked } from '../../support/waiting.ts';

const { app, organization, owner, agents } = await scene({ pipelines: { bot: {} } });
const { slug } = agents.bot;
const as = (token: string) => new HttpClient(app.url, { authorization: `Bearer ${token}` });
const provisioner = await createProvisioner(app, organization, slug);
const fleet = as(provisioner.token);

const key = (value: string = randomUUID()) => ({ headers: { 'idempotency-key': value } });
const codeOf = ({ body }: ApiResponse): unknown => body?.['error']?.['code'];
const outcome = (answer: ApiResponse) => [answer.status, codeOf(answer)];
const CALL = { tool: 'issue_refund', arguments: {}, timeout: '1h' };

interface Made {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  /** Under which it was made, without a name. */
  readonly key: string;
}

async function make(name?: string): Promise<Made> {
  const used = randomUUID();
  const { body } = await fleet.post('/aap/v1/instances', { instance_name: name }, key(used));
  return {
    id: String(body['instance']?.['id']),
    name: String(body['instance']?.['name']),
    token: String(body['credential']?.['token']),
    key: used,
  };
}

const ask = async ({ token }: Made, mount = '/aap') =>
  await as(token).post(`${mount}/v1/requests`, CALL, key());

describe.each(['/aap', '/api/aap'])('at %s', (mount) => {
  const at = (id: string) => `${mount}/v1/instances/${id}`;
  const nameOf = ({ body }: ApiResponse): unknown => body?.['name'];

  test('an instance is read and renamed, no matter who made it', async () => {
    const { instanceId } = await createInstance(app, organization, slug);
    for (const id of [(await make()).id, instanceId]) {
      const name = `renamed ${id}`;
      const renamed = await fleet.call('PATCH', at(id), {
        body: { instance_name: name },
        ...key(),
      });
      expect([renamed.status, nameOf(renamed)]).toEqual([200, name]);
      expect((await fleet.get(at(id))).body).toEqual(renamed.body);
    }
  });

  test('an instance of another agent, or that never was, is a 404', async () => {
    const other = await createAgent(app, organization);
    for (const id of [other.instanceId, randomUUID(), 'no-id']) {
      expect(outcome(await fleet.get(at(id)))).toEqual([404, 'not_found']);
      const change = { body: { instance_name: 'mine' }, ...key() };
      expect(outcome(await fleet.call('PATCH', at(id), change))).toEqual([404, 'not_found']);
      expect(outcome(await fleet.delete(at(id)))).toEqual([404, 'not_found']);
    }
    expect((await as(other.credential).get(`/aap/v1/requests/${randomUUID()}`)).status).toBe(404);
  });

  test('a name that another instance has is refused, and a key is not used up by that', async () => {
    const [one, two] = [await make(), await make()];
    const headers = key();
    const rename = async (name: string) =>
      await fleet.call('PATCH', at(two.id), { body: { instance_name: name }, ...headers });
    expect(outcome(await rename(one.name))).toEqual([409, 'instance_name_taken']);
    expect((await rename(`free ${two.id}`)).status).toBe(200);
  });

  test('a repeated change gets the first response, and does not undo a later one', async () => {
    const { id } = await make();
    const [first, later] = [key(), key()];
    const rename = async (name: string, headers: ReturnType<typeof key>) =>
      await fleet.call('PATCH', at(id), { body: { instance_name: name }, ...headers });
    const one = await rename(`one ${id}`, first);
    await rename(`two ${id}`, later);
    const again = await rename(`one ${id}`, first);
    expect([again.status, again.body]).toEqual([200, one.body]);
    expect(nameOf(await fleet.get(at(id)))).toBe(`two ${id}`);
    expect(outcome(await rename(`three ${id}`, first))).toEqual([409, 'idempotency_conflict']);
    const elsewhere = await make();
    const path = `${mount}/v1/instances/${elsewhere.id}`;
    const body = { instance_name: `else ${id}` };
    expect((await fleet.call('PATCH', path, { body, ...first })).status).toBe(200);
  });

  test('deleting ends its credentials and requests, and frees its name', async () => {
    const made = await make(`gone ${mount}`);
    const open = await ask(made);
    const decided = await ask(made);
    await as(made.token).delete(`/aap/v1/requests/${String(decided.body['id'])}`);
    const deleted = await fleet.delete(at(made.id));
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect(outcome(await as(made.token).get(`/aap/v1/requests/${randomUUID()}`))).toEqual([
      401,
      'authentication_required',
    ]);
    const seen = async ({ body }: ApiResponse) =>
      (await owner.http.get(`/api/v1/requests/${String(body['id'])}`)).body['decision'];
    expect(await seen(open)).toMatchObject({ status: 'cancelled', channel: 'system' });
    expect(await seen(decided)).toMatchObject({ status: 'cancelled', channel: 'aap' });
    expect((await make(made.name)).name).toBe(made.name);
    for (let repeat = 0; repeat < 2; repeat += 1)
      expect((await fleet.delete(at(made.id))).status).toBe(204);
  });

  test('a deleted instance is found nowhere, and no repeated call brings it back', async () => {
    const made = await make();
    const headers = key();
    const change = { body: { instance_name: `x ${made.id}` }, ...headers };
    expect((await fleet.call('PATCH', at(made.id), change)).status).toBe(200);
    await fleet.delete(at(made.id));
    expect(outcome(await fleet.get(at(made.id)))).toEqual([404, 'not_found']);
    expect(outcome(await fleet.call('PATCH', at(made.id), change))).toEqual([404, 'not_found']);
    const replay = await fleet.post('/aap/v1/instances', {}, key(made.key));
    expect(outcome(replay)).toEqual([409, 'instance_deleted']);
    const path = `/api/v1/agent_instances/${made.id}`;
    const enabled = await owner.http.call('PATCH', path, { body: { name: 'back' } });
    expect(outcome(enabled)).toEqual([404, 'not_found']);
  });
});

test('a repeated creation gets the first response, also after a change of the name', async () => {
  const made = await make();
  const path = `/aap/v1/instances/${made.id}`;
  await fleet.call('PATCH', path, { body: { instance_name: `new ${made.id}` }, ...key() });
  const { status, body } = await fleet.post('/aap/v1/instances', {}, key(made.key));
  expect([status, body['instance']]).toEqual([200, { id: made.id, name: made.name }]);
  expect(body['credential']?.['token']).toBe(made.token);
});

test('a deleted instance is neither listed nor counted, and its tools are not', async () => {
  const { slug: other } = await createAgent(app, organization);
  const token = await createProvisioner(app, organization, other);
  const { body } = await as(token.token).post('/aap/v1/instances', {}, key());
  const id = String(body['instance']?.['id']);
  await as(String(body['credential']?.['token'])).call('PUT', '/api/aap/v1/tool_catalog', {
    body: {
      runtime: 'tests',
      discovery_context: 'here',
      sources: [{ source: 'builtin', tools: [{ name: `tool ${id}` }] }],
    },
  });
  const seen = async () => {
    const agent = await owner.http.get(`/api/v1/agents/${other}`);
    const tools = await owner.http.get(`/api/v1/tool_catalog?agent_slug=${other}`);
    const { instance_count: count, live_instance_count: live } = agent.body['agent'] ?? agent.body;
    return [count, live, agent.text.includes(id), tools.text.includes(`tool ${id}`)];
  };
  expect(await seen()).toEqual([2, 2, true, true]);
  await as(token.token).delete(`/aap/v1/instances/${id}`);
  expect(await seen()).toEqual([1, 1, false, false]);
});

test('changes are in the audit log, with who made them', async () => {
  const made = await make();
  await fleet.call('PATCH', `/aap/v1/instances/${made.id}`, {
    body: { instance_name: `to ${made.id}` },
    ...key(),
  });
  await ask(made);
  await fleet.delete(`/aap/v1/instances/${made.id}`);
  await fleet.delete(`/aap/v1/instances/${made.id}`);
  const events = await app
    .db('audit_events')
    .where({ subject_id: made.id })
    .orderBy('sequence')
    .select('event_type', 'actor_type', 'data');
  const about = { agent_slug: slug, agent_instance_name: `to ${made.id}` };
  const shown = (events as { event_type: string; actor_type: string; data: string }[]).map(
    ({ data, ...event }) => ({ ...event, data: JSON.parse(data) as unknown }),
  );
  expect(shown.slice(1)).toEqual([
    {
      event_type: 'agent_instance.renamed',
      actor_type: shown[0]?.actor_type,
      data: { ...about, from: made.name, to: `to ${made.id}` },
    },
    {
      event_type: 'agent_instance.deleted',
      actor_type: shown[0]?.actor_type,
      data: { ...about, revoked_credentials: 1, cancelled_requests: 1 },
    },
  ]);
});

describe('races', () => {
  const openOf = async (id: string) =>
    await app
      .db('approval_requests')
      .where({ agent_instance_id: id })
      .whereIn('state', ['evaluating', 'pending']);
  const liveOf = async (id: string) =>
    await app.db('agent_credentials').where({ agent_instance_id: id }).whereNull('revoked_at');

  test('a request that is made while its instance is deleted is never left open', async () => {
    for (let round = 0; round < Math.max(ROUNDS, 20); round += 1) {
      const made = await make();
      const [asked, deleted] = await Promise.all([
        ask(made),
        fleet.delete(`/aap/v1/instances/${made.id}`),
        ask(made),
      ]);
      expect(deleted.status).toBe(204);
      expect([201, 401]).toContain(asked.status);
      expect([await openOf(made.id), await liveOf(made.id)]).toEqual([[], []]);
    }
  });

  test('a request that waits for the deletion is refused as one with a revoked credential', async () => {
    const made = await make();
    const { asked, deleted } = await app.db.transaction(async (gate) => {
      await gate('agent_provisioners').where({ id: provisioner.id }).forUpdate();
      const deleted = fleet.delete(`/aap/v1/instances/${made.id}`);
      await untilBlocked(gate);
      const asked = ask(made);
      await untilBlocked(gate, 2);
      return { asked, deleted };
    });
    expect([(await deleted).status, (await asked).status]).toEqual([204, 401]);
    expect(await openOf(made.id)).toEqual([]);
  });

  test('a change that waits for the deletion finds nothing, and one before it stays without effect', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const made = await make();
      const path = `/aap/v1/instances/${made.id}`;
      const change = { body: { instance_name: `n ${made.id}` }, ...key() };
      const [changed, deleted] = await Promise.all([
        fleet.call('PATCH', path, change),
        fleet.delete(path),
        fleet.delete(path),
      ]);
      expect(deleted.status).toBe(204);
      expect([200, 404]).toContain(changed.status);
      expect((await fleet.get(path)).status).toBe(404);
    }
  });

  test('equal changes at once are one change', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const made = await make();
      const change = { body: { instance_name: `n ${made.id}` }, ...key() };
      const path = `/aap/v1/instances/${made.id}`;
      const all = await Promise.all(
        Array.from({ length: 5 }, () => fleet.call('PATCH', path, change)),
      );
      expect(new Set(all.map(({ text }) => text)).size).toBe(1);
      const renamed = { subject_id: made.id, event_type: 'agent_instance.renamed' };
      expect(await app.db('audit_events').where(renamed)).toHaveLength(1);
    }
  });

  test('a token that is revoked meanwhile deletes nothing', async () => {
    const made = await make();
    const token = await createProvisioner(app, organization, slug);
    const late = await app.db.transaction(async (gate) => {
      await gate('agents').where({ organization_id: organization.id, slug }).forUpdate();
      const call = as(token.token).delete(`/aap/v1/instances/${made.id}`);
      await untilBlocked(gate);
      await gate('agent_provisioners').where({ id: token.id }).update({ revoked_at: new Date() });
      return { call };
    });
    expect((await late.call).status).toBe(401);
    expect((await fleet.get(`/aap/v1/instances/${made.id}`)).status).toBe(200);
  });
});
