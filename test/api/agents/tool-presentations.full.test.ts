/** Presentations of tools over HTTP, and what requests are shown with. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiResponse, Json } from '../../support/http.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { issuesOf } from '../../support/refusals.ts';
import { appForFile } from '../../support/scene.ts';
import { ask } from '../../support/scene/approval-requests.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';

const LIST = '/api/v1/tool_presentations';

let organization: TestOrganization;
let owner: TestMember;
let agent: TestAgent;

const app = await appForFile();

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
  agent = await createAgent(app, organization);
});

const entry = (more: object = {}) => ({
  tool: 'pay_out',
  title: 'Pay {/amount}',
  fields: [
    { path: '/amount', label: 'Amount', kind: 'money', role: 'primary' },
    { path: '/to/account', label: 'Account', kind: 'text' },
  ],
  ...more,
});
const create = (more: object = {}): Promise<ApiResponse> => owner.http.post(LIST, entry(more));
const idOf = ({ body }: ApiResponse): string => String(body['id']);
const listIn = (body: Json | undefined, name: string): readonly Json[] =>
  (body?.[name] ?? []) as readonly Json[];
const codeOf = ({ status, body }: ApiResponse) => [status, body['error']?.['code']];
const events = async () =>
  await app
    .db('audit_events')
    .where({ organization_id: organization.id, subject_type: 'tool_presentation' })
    .orderBy('sequence')
    .pluck('event_type');

describe('an entry of the organization', () => {
  test('is not replaced over a change that someone else made meanwhile', async () => {
    const created = await create();
    expect(created.headers['etag']).toBe('"1"');
    const one = `${LIST}/${idOf(created)}`;
    const put = (title: string, headers: Record<string, string> = {}) =>
      owner.http.call('PUT', one, { body: entry({ title }), headers });
    const first = await put('First', { 'if-match': '"1"' });
    expect([first.status, first.headers['etag']]).toEqual([200, '"2"']);
    const late = await put('Late', { 'if-match': '"1"' });
    expect(codeOf(late)).toEqual([412, 'revision_conflict']);
    expect(late.body['error']?.['details']).toEqual({ active_revision: 2 });
    expect((await owner.http.get(one)).body['title']).toBe('First');
    expect((await put('Without the header')).status).toBe(200);
    expect((await owner.http.get(one)).headers['etag']).toBe('"3"');
  });

  test('is created, read, replaced and deleted, and each change is recorded', async () => {
    const created = await create({ server: 'bank' });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      source: 'organization',
      id: expect.any(String),
      ...entry({ server: 'bank' }),
      created_at: expect.any(String),
      updated_at: created.body['created_at'],
    });
    const one = `${LIST}/${idOf(created)}`;
    expect((await owner.http.get(one)).body).toEqual(created.body);
    const replaced = await owner.http.call('PUT', one, { body: entry({ fields: [] }) });
    expect(replaced.status).toBe(200);
    expect(replaced.body).toMatchObject({ ...entry({ fields: [] }), id: idOf(created) });
    expect(replaced.body).not.toHaveProperty('server');
    expect((await owner.http.delete(one)).status).toBe(204);
    for (const again of [
      owner.http.delete(one),
      owner.http.get(one),
      owner.http.call('PUT', one, { body: entry() }),
    ])
      expect(codeOf(await again)).toEqual([404, 'not_found']);
    expect(await events()).toEqual(
      ['created', 'updated', 'deleted'].map((verb) => `tool_presentation.${verb}`),
    );
  });

  test('is the only one of its server and tool', async () => {
    await create();
    const other = await create({ server: 'bank' });
    expect(other.status).toBe(201);
    expect(codeOf(await create())).toEqual([409, 'presentation_exists']);
    const moved = await owner.http.call('PUT', `${LIST}/${idOf(other)}`, { body: entry() });
    expect(codeOf(moved)).toEqual([409, 'presentation_exists']);
    for (let round = 0; round < ROUNDS; round += 1) {
      const tool = `tool ${round}`;
      const answers = await Promise.all([1, 2, 3].map(() => create({ tool })));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    }
  });

  test('has names of up to 512 characters, which are compared with their capitals', async () => {
    // What no compression shortens: such names would be too long for an entry of an index.
    const name = (characters: number) =>
      Array.from({ length: characters }, () =>
        String.fromCodePoint(0x20000 + Math.floor(Math.random() * 40_000)),
      ).join('');
    const [tool, server] = [name(512), name(512)];
    expect((await create({ tool, server })).status).toBe(201);
    expect(codeOf(await create({ tool, server }))).toEqual([409, 'presentation_exists']);
    const long = await create({ tool: name(513), server: name(513) });
    expect(issuesOf(long).map(({ pointer }) => pointer)).toEqual(['/tool', '/server']);
    expect((await create({ tool: 'refund' })).status).toBe(201);
    expect((await create({ tool: 'Refund' })).status).toBe(201);
  });

  test('is one of at most 500', async () => {
    const first = await create();
    await app.db.raw(
      `insert into tool_presentations
       select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'tool', n))).*
         from tool_presentations p, generate_series(1, 499) n where p.id = :id`,
      { id: idOf(first) },
    );
    const refused = await create({ tool: 'one more' });
    expect(codeOf(refused)).toEqual([429, 'quota_exceeded']);
    expect(refused.body['error']?.['details']).toEqual({
      dimension: 'tool_presentations',
      limit: 500,
      used: 500,
    });
    expect(codeOf(await create())).toEqual([409, 'presentation_exists']);
  });

  test('needs the right to change settings; reading needs that, or the right to see agents', async () => {
    const created = await create();
    const one = `${LIST}/${idOf(created)}`;
    const holder = async (permission: string) =>
      await createMember(app, organization.id, {
        policies: [{ scope_kind: 'organization', permissions: [permission] }],
      });
    const reader = await holder('agent.read');
    const writer = await holder('organization.settings.write');
    const stranger = await holder('agent.write');
    const body = entry({ tool: 'another' });
    expect((await reader.http.get(one)).status).toBe(200);
    expect((await writer.http.get(LIST)).status).toBe(200);
    expect((await stranger.http.get(LIST)).status).toBe(403);
    expect((await stranger.http.post(LIST, body)).status).toBe(403);
    expect((await reader.http.delete(one)).status).toBe(403);
    expect((await writer.http.post(LIST, body)).status).toBe(201);
  });
});

test('the list has own entries first, then the built-in ones, in pages', async () => {
  for (const tool of ['b', 'a', 'c']) await create({ tool });
  const listed: Json[] = [];
  let cursor = '';
  do {
    const { body } = await owner.http.get(`${LIST}?limit=3${cursor}`);
    listed.push(...listIn(body, 'tool_presentations'));
    cursor = body['next_cursor'] ? `&cursor=${String(body['next_cursor'])}` : '';
  } while (cursor !== '');
  const sources = listed.map(({ source }) => String(source));
  expect(listed.slice(0, 4).map(({ tool }) => String(tool))).toEqual(['b', 'a', 'c', 'Bash']);
  expect(sources.lastIndexOf('organization')).toBe(2);
  expect(new Set(listed.map((each) => JSON.stringify([each['tool'], each['server']]))).size).toBe(
    listed.length,
  );
  const only = async (source: string) =>
    listIn((await owner.http.get(`${LIST}?limit=200&source=${source}`)).body, 'tool_presentations');
  expect((await only('organization')).length).toBe(3);
  expect((await only('built_in'))[0]?.['tool']).toBe('Bash');
  const { body } = await owner.http.get(`${LIST}?limit=1`);
  const foreign = `${LIST}?source=built_in&cursor=${String(body['next_cursor'])}`;
  expect(codeOf(await owner.http.get(foreign))[0]).toBe(400);
});

describe('a request', () => {
  type Call = Parameters<typeof ask>[2];
  const shown = async (call: Call) => {
    const id = await ask(app, agent, call);
    const detail = (await owner.http.get(`/api/v1/requests/${id}`)).body['presentation'];
    const waited = await owner.http.get(`/api/v1/requests/${id}?wait=1s`);
    const { body } = await owner.http.get('/api/v1/requests');
    const row = listIn(body, 'requests').find((each) => String(each['id']) === id);
    expect([row?.['presentation'], waited.body['presentation']]).toEqual([detail, detail]);
    return detail as { title: string; fields: { path: string }[] } | undefined;
  };

  test('is shown with the best entry: own before built in, with its server before without', async () => {
    const args = { payment_id: 'p', amount: 1 };
    const call = { tool: 'refund_payment', server: 'billing', arguments: args };
    expect(await shown({ ...call, tool: 'unheard_of' })).toBeUndefined();
    expect(await shown(call)).toMatchObject({ source: 'built_in' });
    const own = async (more: object) =>
      idOf(await create({ tool: 'refund_payment', fields: [], ...more }));
    const elsewhere = await own({ server: 'elsewhere' });
    expect(await shown(call)).toMatchObject({ source: 'built_in' });
    const anywhere = await own({});
    expect(await shown(call)).toEqual({
      source: 'organization',
      id: anywhere,
      title: 'Pay {/amount}',
      fields: [],
    });
    const here = await own({ server: 'billing' });
    expect(await shown(call)).toMatchObject({ id: here });
    expect(await shown({ ...call, server: 'elsewhere' })).toMatchObject({ id: elsewhere });
    expect(await shown({ tool: call.tool, arguments: args })).toMatchObject({ id: anywhere });
    const neighbor = await createOrganization(app);
    const theirs = await ask(app, await createAgent(app, neighbor), call);
    const { body } = await neighbor.owner.http.get(`/api/v1/requests/${theirs}`);
    expect(body['presentation']?.['source']).toBe('built_in');
  });

  test('leaves out what points to nothing', async () => {
    await create();
    const pathsOf = async (args: object) =>
      (await shown({ tool: 'pay_out', arguments: args }))?.fields.map(({ path }) => path);
    expect(await pathsOf({ amount: null, to: { account: '' } })).toEqual([
      '/amount',
      '/to/account',
    ]);
    expect(await pathsOf({ amount: 1, to: ['account'] })).toEqual(['/amount']);
    expect(await pathsOf({})).toEqual([]);
  });

  test('with hostile arguments is answered all the same', async () => {
    await create({
      fields: ['/__proto__/x', '/constructor', '/d', '/amount'].map((path) => ({
        path,
        label: 'X',
        kind: 'json',
      })),
    });
    const deep = `${'['.repeat(97)}${']'.repeat(97)}`;
    const texts = [
      `{"__proto__":{"x":1},"d":${deep}}`,
      String.raw`{"\u0061mount":1e999999999,"\u0000":"\ud800","d":"</script>{/amount}"}`,
      `{"d":[${'0,'.repeat(500_000)}0]}`,
    ];
    const found = [];
    for (const text of texts) {
      const id = await ask(app, agent, { tool: 'pay_out', arguments: { later: true } });
      await app.db.raw(
        'update approval_requests set arguments = cast(:text as json) where id = :id',
        { text, id },
      );
      const { status, body } = await owner.http.get(`/api/v1/requests/${id}`);
      expect(status).toBe(200);
      found.push(listIn(body['presentation'], 'fields').map(({ path }) => String(path)));
    }
    expect(found).toEqual([['/__proto__/x', '/d'], ['/d', '/amount'], ['/d']]);
    const { status, body } = await owner.http.get('/api/v1/requests');
    expect(status).toBe(200);
    const counts = listIn(body, 'requests').map(
      (each) => listIn(each['presentation'], 'fields').length,
    );
    expect(counts).toEqual([1, 2, 2]);
  });
});
