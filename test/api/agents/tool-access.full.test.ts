/** What an agent may call through an MCP gateway, which reads it with an organization key. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import { HttpClient, type ApiResponse } from '../../support/http.ts';
import { ROUNDS } from '../../support/rounds.ts';
import {
  createAgent,
  createOrganization,
  createOrganizationKey,
  type TestAgent,
  type TestOrganization,
} from '../../support/scene/factories.ts';

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
let organization: TestOrganization;
let agent: TestAgent;
let path: string;

beforeEach(async () => {
  organization = await createOrganization(app);
  agent = await createAgent(app, organization);
  path = `/api/v1/agents/${agent.slug}/tool-access`;
});

const put = async (
  server: string,
  body: unknown,
  { by = organization.owner.http, headers = {} } = {},
): Promise<ApiResponse> => await by.call('PUT', `${path}/${server}`, { body, headers });
const get = async (by = organization.owner.http): Promise<ApiResponse> => await by.get(path);
const codeOf = ({ status, body }: ApiResponse) => [status, body['error']?.['code']];
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

interface Event {
  readonly actor_type: string;
  readonly subject_id: string;
  readonly data: Readonly<Record<string, unknown>>;
}
const events = async (): Promise<Event[]> => {
  const rows = await app
    .db('audit_events')
    .where({ organization_id: organization.id, event_type: 'tool_access.updated' })
    .orderBy('sequence')
    .select<(Omit<Event, 'data'> & { data: string | Event['data'] })[]>(
      'actor_type',
      'subject_id',
      'data',
    );
  return rows.map(({ data, ...row }) => ({
    ...row,
    data: typeof data === 'string' ? (JSON.parse(data) as Event['data']) : data,
  }));
};

describe('the tool access of an agent', () => {
  test('is empty at first, grows server by server, and counts its changes', async () => {
    const empty = await get();
    expect([empty.body, empty.headers['etag']]).toEqual([{ servers: [] }, '"0"']);
    const first = await put('github', { access: 'all' });
    expect([first.status, first.headers['etag']]).toEqual([200, '"1"']);
    expect(first.body).toEqual({
      server_slug: 'github',
      access: 'all',
      tools: [],
      revision: 1,
      updated_at: INSTANT,
    });
    await put('billing', { access: 'selected', tools: ['refund', 'Get Invoice', 'get'] });
    const { body, headers } = await get();
    expect(headers['etag']).toBe('"2"');
    expect(body).toMatchObject({
      servers: [
        { server_slug: 'billing', tools: ['Get Invoice', 'get', 'refund'], revision: 2 },
        { server_slug: 'github', access: 'all', revision: 1 },
      ],
    });
    const closed = await put('github', { access: 'none' });
    expect(closed.body).toMatchObject({ access: 'none', revision: 3 });
    const detail = await organization.owner.http.get(`/api/v1/agents/${agent.slug}`);
    expect(detail.body['tool_access_revision']).toBe(3);
  });

  test('records who changed what, and nothing of a change that changes nothing', async () => {
    await put('billing', { access: 'selected', tools: ['b', 'a'] });
    const again = await put('billing', { access: 'selected', tools: ['a', 'b'] });
    expect([again.status, again.headers['etag']]).toEqual([200, '"1"']);
    await put('billing', { access: 'all' });
    expect(await events()).toEqual([
      {
        actor_type: 'api_key',
        subject_id: agent.slug,
        data: expect.objectContaining({
          server_slug: 'billing',
          from: 'none',
          access: 'selected',
          tools: ['a', 'b'],
          revision: 1,
        }),
      },
      expect.objectContaining({
        data: expect.objectContaining({ from: 'selected', access: 'all', revision: 2 }),
      }),
    ]);
  });

  test('refuses a change of what someone else has changed, when the caller says what it saw', async () => {
    const seen = (revision: string) => ({ headers: { 'if-match': revision } });
    expect((await put('billing', { access: 'all' }, seen('"0"'))).status).toBe(200);
    const stale = await put('billing', { access: 'none' }, seen('"0"'));
    expect(codeOf(stale)).toEqual([412, 'revision_conflict']);
    expect(stale.body['error']?.['details']).toEqual({ active_revision: 1 });
    expect(codeOf(await put('billing', { access: 'none' }, seen('*')))[0]).toBe(400);
    expect((await put('billing', { access: 'none' }, seen('1'))).status).toBe(200);
  });

  test('gives each of the changes at once its own revision', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const servers = [1, 2, 3].map((each) => `server-${round}-${each}`);
      await Promise.all(servers.map(async (server) => await put(server, { access: 'all' })));
    }
    const { body } = await get();
    const { servers } = body as unknown as { servers: { revision: number }[] };
    expect(servers.map(({ revision }) => revision).sort((a, b) => a - b)).toEqual(
      servers.map((_server, index) => index + 1),
    );
  });

  test('is read whole, however many servers there are, up to 200', async () => {
    const rows = Array.from({ length: 200 }, (_, index) => ({
      organization_id: organization.id,
      agent_slug: agent.slug,
      server_slug: `server-${String(index).padStart(3, '0')}`,
      access: 'all',
      tools: [],
      revision: 1,
      updated_at: new Date(),
    }));
    await app.db('tool_access').insert(rows);
    const { body } = await get();
    const { servers } = body as unknown as { servers: { server_slug: string }[] };
    expect(servers.map((each) => each.server_slug)).toEqual(rows.map((row) => row.server_slug));
    expect(codeOf(await put('one-more', { access: 'all' }))).toEqual([429, 'quota_exceeded']);
    expect((await put('server-007', { access: 'none' })).status).toBe(200);
  });

  test.each([
    ['no access', '/access', {}],
    ['another access', '/access', { access: 'some' }],
    ['selected tools that are not named', '/tools', { access: 'selected' }],
    ['tools beside all', '/tools', { access: 'all', tools: ['a'] }],
    ['tools beside none', '/tools', { access: 'none', tools: ['a'] }],
    ['a tool named twice', '/tools', { access: 'selected', tools: ['a', 'a'] }],
    ['a tool without a name', '/tools/0', { access: 'selected', tools: [''] }],
    [
      'more than a thousand tools',
      '/tools',
      { access: 'selected', tools: Array.from({ length: 1_001 }, (_, at) => `t${at}`) },
    ],
    ['another member', '/surprise', { access: 'all', surprise: 1 }],
  ])('refuses %s, at %s', async (_name, pointer, body) => {
    const answer = await put('billing', body);
    expect(codeOf(answer)).toEqual([400, 'validation_failed']);
    expect(answer.body['error']?.['details']?.['issues']?.[0]?.['pointer']).toBe(pointer);
    expect((await get()).headers['etag']).toBe('"0"');
  });

  test('takes a thousand tools', async () => {
    const tools = Array.from({ length: 1_000 }, (_, at) => `tool-${String(at).padStart(4, '0')}`);
    expect((await put('billing', { access: 'selected', tools })).body['tools']).toEqual(tools);
  });

  test('is not there for unknown agents and bad names of servers, and stays as it is for archived ones', async () => {
    const { http } = organization.owner;
    expect((await http.get('/api/v1/agents/no-such/tool-access')).status).toBe(404);
    expect((await put('Billing', { access: 'all' })).status).toBe(404);
    await put('billing', { access: 'all' });
    expect((await http.delete(`/api/v1/agents/${agent.slug}`)).status).toBe(204);
    expect(codeOf(await put('billing', { access: 'none' }))).toEqual([409, 'agent_archived']);
    expect((await get()).body).toMatchObject({ servers: [{ access: 'all' }] });
  });
});

test('a gateway reads it with an organization key, for the agents of its grant, and changes nothing', async () => {
  await put('billing', { access: 'all' });
  const other = await createAgent(app, organization);
  const { token } = await createOrganizationKey(app, organization, [
    { scope_kind: 'agent', resource_ids: [agent.slug], permissions: ['gateway.read'] },
  ]);
  const gateway = new HttpClient(app.url, { authorization: `Bearer ${token}` });
  expect((await get(gateway)).body).toMatchObject({ servers: [{ server_slug: 'billing' }] });
  expect((await gateway.get(`/api/v1/agents/${other.slug}/tool-access`)).status).toBe(403);
  expect(codeOf(await put('billing', { access: 'none' }, { by: gateway }))).toEqual([
    403,
    'permission_denied',
  ]);
});
