/** The tool catalog over HTTP: reports of instances, and what people see of them. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { purgeBatch } from '../../../src/services/retention.ts';
import { heldBy } from '../../support/held-by.ts';
import { HttpClient, type ApiResponse } from '../../support/http.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { untilBlocked } from '../../support/waiting.ts';
import { appForFile } from '../../support/scene.ts';
import {
  createAgent,
  createInstance,
  createMember,
  createOrganization,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';

const REPORT = '/api/aap/v1/tool_catalog';
const LIST = '/api/v1/tool_catalog';

let organization: TestOrganization;
let owner: TestMember;
let agent: TestAgent;

const app = await appForFile();

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
  agent = await createAgent(app, organization);
});

interface Tool {
  readonly name: string;
  readonly [more: string]: unknown;
}

interface Reporting {
  readonly by?: Pick<TestAgent, 'credential'>;
  readonly discovery_context?: string;
  readonly complete?: boolean;
}

const report = (sources: unknown, { by = agent, ...more }: Reporting = {}) =>
  new HttpClient(app.url, { authorization: `Bearer ${by.credential}` }).call('PUT', REPORT, {
    body: { runtime: 'tests', discovery_context: 'here', sources, ...more },
  });
const mcp = (tools: readonly Tool[], more: object = {}) => ({
  source: 'mcp',
  server: 'billing',
  tools,
  ...more,
});
const builtin = (...names: string[]) => ({
  source: 'builtin',
  tools: names.map((name) => ({ name })),
});
const get = (query = '', by = owner): Promise<ApiResponse> => by.http.get(`${LIST}${query}`);

interface Entry {
  readonly id: string;
  readonly name: string;
  readonly [member: string]: unknown;
}
const listed = async (query = '', by = owner): Promise<Entry[]> =>
  (await get(query, by)).body['tools'] as unknown as Entry[];
const namesOf = async (query = '', by = owner): Promise<string[]> =>
  (await listed(query, by)).map(({ name }) => name);
const schemaEvents = async (): Promise<Record<string, unknown>[]> =>
  (
    await app
      .db('audit_events')
      .where({ organization_id: organization.id, event_type: 'agent_tool.schema_changed' })
      .orderBy('sequence')
  ).map((row: { data: string; subject_id: string }) => ({
    subject_id: row.subject_id,
    ...(JSON.parse(row.data) as object),
  }));

describe('a report', () => {
  const refund = { name: 'refund_payment', input_schema: { type: 'object' } };

  test('counts a tool as unchanged while the fingerprint of its schema stays', async () => {
    const schema = { type: 'object', required: ['id'] };
    const tool = { name: 'same_schema', description: 'Old.', input_schema: schema };
    const first = await report([{ ...builtin(), tools: [tool] }]);
    expect(first.body).toMatchObject({ accepted: 1, unchanged: 0 });
    const reordered = { required: ['id'], type: 'object' };
    const again = await report([
      { ...builtin(), tools: [{ ...tool, description: 'New.', input_schema: reordered }] },
    ]);
    expect(again.body).toEqual({ accepted: 0, unchanged: 1, removed: 0 });
    expect(await listed('?q=same_schema')).toMatchObject([{ description: 'New.' }]);
    const other = { ...schema, required: [] };
    const changed = await report([{ ...builtin(), tools: [{ ...tool, input_schema: other }] }]);
    expect(changed.body).toEqual({ accepted: 1, unchanged: 0, removed: 0 });
  });

  test('answers what it changed, and the catalog shows it', async () => {
    const first = await report([mcp([refund], { complete: true }), builtin('Bash')]);
    expect([first.status, first.body]).toEqual([200, { accepted: 2, unchanged: 0, removed: 0 }]);
    const again = await report([mcp([refund]), builtin('Bash')]);
    expect(again.body).toEqual({ accepted: 0, unchanged: 2, removed: 0 });
    const less = await report([mcp([refund])]);
    expect(less.body).toEqual({ accepted: 0, unchanged: 1, removed: 1 });
    const { body } = await get();
    expect(body).toEqual({
      tools: [
        {
          id: expect.any(String),
          agent_slug: agent.slug,
          agent_instance_id: agent.instanceId,
          instance_name: expect.any(String),
          discovery_context: 'here',
          runtime: 'tests',
          source: 'mcp',
          server: 'billing',
          name: 'refund_payment',
          input_schema: { type: 'object' },
          available: true,
          stale: false,
          schema_fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
          last_seen_at: expect.any(String),
          last_attempt_at: expect.any(String),
        },
      ],
      sources: [
        {
          id: expect.any(String),
          agent_slug: agent.slug,
          agent_instance_id: agent.instanceId,
          runtime: 'tests',
          discovery_context: 'here',
          source: 'mcp',
          server: 'billing',
          last_attempt_at: expect.any(String),
          last_success_at: expect.any(String),
        },
      ],
      total: 1,
    });
  });

  test('keeps a schema as it was written, whatever is in it', async () => {
    const schema =
      '{ "maximum":1.00000000000000000000001, "x":"\\u0000\\ud800", "__proto__": {"a": 1e400} }';
    const body = `{"runtime":"r","discovery_context":"c","sources":[{"source":"builtin","tools":[{"name":"t","input_schema": ${schema} ,"description":"d"}]}]}`;
    const client = new HttpClient(app.url, { authorization: `Bearer ${agent.credential}` });
    expect((await client.call('PUT', REPORT, { body })).status).toBe(200);
    const { text } = await get();
    expect(text).toContain(`"input_schema":${schema}`);
    const [{ id } = { id: '' }] = await listed();
    expect((await owner.http.get(`${LIST}/${id}`)).text).toContain(`"input_schema":${schema}`);
  });

  test('replaces only what its instance reported in its context', async () => {
    const second = { ...agent, ...(await createInstance(app, organization, agent.slug)) };
    await report([builtin('a')]);
    await report([builtin('b')], { by: second });
    await report([builtin('c')], { discovery_context: 'there' });
    expect((await report([builtin('d')])).body).toEqual({ accepted: 1, unchanged: 0, removed: 1 });
    expect((await namesOf()).sort()).toEqual(['b', 'c', 'd']);
  });

  test('with an incomplete or failed source removes nothing, and the error is shown', async () => {
    await report([mcp([refund, { name: 'charge' }])]);
    await report([mcp([refund], { complete: false })]);
    expect(await namesOf()).toEqual(['charge', 'refund_payment']);
    const failed = await report([mcp([refund], { error: 'timeout' })]);
    expect(failed.body).toEqual({ accepted: 0, unchanged: 1, removed: 0 });
    const [charge, kept] = await listed();
    expect(charge).toMatchObject({ name: 'charge', available: false, error: 'timeout' });
    expect(kept).toMatchObject({ name: 'refund_payment', available: true, error: 'timeout' });
    const [source] = (await get()).body['sources'] as unknown as Record<string, string>[];
    expect(source?.['error']).toBe('timeout');
    expect(source?.['last_success_at']).not.toBe(source?.['last_attempt_at']);
    await report([mcp([refund, { name: 'charge' }])]);
    const available = (await listed()).map((tool) => [tool['available'], tool['error']]);
    expect(available).toEqual([
      [true, undefined],
      [true, undefined],
    ]);
  });

  test('that is not complete leaves other sources alone', async () => {
    await report([mcp([refund]), builtin('Bash')]);
    expect((await report([builtin('Bash')], { complete: false })).body).toEqual({
      accepted: 0,
      unchanged: 1,
      removed: 0,
    });
    expect(await namesOf()).toEqual(['Bash', 'refund_payment']);
  });

  test('records a changed schema, also of a tool that was away', async () => {
    await report([mcp([refund])]);
    const [{ id } = { id: '' }] = await listed();
    await report([mcp([])]);
    expect((await owner.http.get(`${LIST}/${id}`)).status).toBe(404);
    await report([mcp([{ ...refund, input_schema: { type: 'object', required: ['to'] } }])]);
    const [entry] = await listed();
    expect(entry?.id).toBe(id);
    expect(await schemaEvents()).toEqual([
      {
        subject_id: id,
        agent_slug: agent.slug,
        agent_instance_id: agent.instanceId,
        discovery_context: 'here',
        source: 'mcp',
        server: 'billing',
        name: 'refund_payment',
        previous_fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        schema_fingerprint: entry?.['schema_fingerprint'],
      },
    ]);
  });

  test('says since when a schema is another one, and what it was', async () => {
    const client = new HttpClient(app.url, { authorization: `Bearer ${agent.credential}` });
    const one = async (name: string, schema = '{}') => {
      const body = `{"runtime":"r","discovery_context":"c","sources":[{"source":"builtin","tools":[{"name":"${name}","input_schema":${schema}}]}]}`;
      expect((await client.call('PUT', REPORT, { body })).status).toBe(200);
    };
    await one('refund', '{"maximum": 100.00}');
    await one('refund', '{ "maximum": 100.00 }');
    expect((await listed())[0]).not.toHaveProperty('schema_changed_at');
    await one('refund', '{"maximum": 1000.00}');
    const [changed] = await listed();
    expect(changed?.['schema_changed_at']).toBe(changed?.['last_seen_at']);
    expect(changed).not.toHaveProperty('previous_input_schema');
    const alone = await owner.http.get(`${LIST}/${changed?.id}`);
    expect(alone.text).toContain('"previous_input_schema":{ "maximum": 100.00 }');
    await one('other');
    await one('refund', '{"maximum": 5}');
    const [back] = await listed();
    expect(back?.['schema_changed_at']).toBe(back?.['last_seen_at']);
    expect((await owner.http.get(`${LIST}/${back?.id}`)).body).not.toHaveProperty(
      'previous_input_schema',
    );
  });

  test('forgets a tool for good 30 days after it was removed', async () => {
    await report([mcp([refund, { name: 'charge' }])]);
    await report([mcp([])]);
    const removed = app.db('tool_catalog_tools').whereNotNull('removed_at');
    await app.db.raw(
      `update tool_catalog_tools set removed_at = removed_at - interval '31 days' where name = 'charge'`,
    );
    await purgeBatch(app.context, new AbortController().signal);
    expect(await removed.clone().whereIn('name', ['charge'])).toEqual([]);
    expect(await removed.clone().where({ name: 'refund_payment' })).not.toEqual([]);
  });

  test('that is refused names each problem and changes nothing', async () => {
    await report([mcp([refund])]);
    const { status, body } = await report([mcp([{ name: '' }, { name: 'a', title: 'b' }])]);
    expect(status).toBe(400);
    expect(body['error']?.['details']?.['issues']).toMatchObject([
      { pointer: '/sources/0/tools/0/name', code: 'invalid_value' },
      { pointer: '/sources/0/tools/1/title', code: 'unknown_field' },
    ]);
    expect(await namesOf()).toEqual(['refund_payment']);
  });

  test('keeps the hundred contexts that were reported last', async () => {
    await report([builtin('first')], { discovery_context: 'first' });
    await app.db.raw(
      `insert into tool_catalog_contexts
       select (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(), 'discovery_context', n))).*
         from tool_catalog_contexts c, generate_series(1, 99) n where c.agent_instance_id = :instanceId`,
      { instanceId: agent.instanceId },
    );
    await report([builtin('second')], { discovery_context: '7' });
    expect(await namesOf()).toEqual(['first', 'second']);
    await app.db.raw(
      `update tool_catalog_contexts set reported_at = reported_at - interval '1 second' where discovery_context = 'first'`,
    );
    await report([builtin('third')], { discovery_context: 'a new one' });
    expect(await namesOf()).toEqual(['second', 'third']);
  });
});

const HEAD = '"runtime":"tests","discovery_context":"here"';

describe('large reports', () => {
  const large = (count: number, schemaBytes: number) =>
    Array.from({ length: count }, (_, index) => ({
      name: `tool-${index}`,
      input_schema: { description: '“x”\n'.repeat(Math.floor(schemaBytes / 10)) },
    }));

  test('are taken and taken again without holding the event loop', async () => {
    const tools = large(2_000, 3_200);
    const body = JSON.stringify({
      runtime: 'tests',
      discovery_context: 'here',
      sources: [mcp(tools)],
    });
    expect(Buffer.byteLength(body)).toBeGreaterThan(5 * 1024 * 1024);
    const client = new HttpClient(app.url, { authorization: `Bearer ${agent.credential}` });
    const answers: ApiResponse[] = [];
    const send = async () => {
      answers.push(await client.call('PUT', REPORT, { body }));
    };
    const held = [await heldBy(send), await heldBy(send)];
    expect(answers.map((answer) => answer.body)).toEqual([
      { accepted: 2_000, unchanged: 0, removed: 0 },
      { accepted: 0, unchanged: 2_000, removed: 0 },
    ]);
    expect(Math.max(...held)).toBeLessThan(150);
    const read = async () => {
      expect((await listed('?limit=200')).length).toBe(200);
    };
    expect(await heldBy(read)).toBeLessThan(150);
  });

  test('over 8 MiB are refused, whatever they are', async () => {
    const client = new HttpClient(app.url, { authorization: `Bearer ${agent.credential}` });
    const { status, body } = await client.call('PUT', REPORT, {
      body: ' '.repeat(8 * 1024 * 1024 + 1),
    });
    expect([status, body['error']?.['code']]).toEqual([413, 'payload_too_large']);
  });

  test.each([
    ['a report', '', (keys: string) => `{${HEAD},"sources":[],${keys}}`],
    [
      'a source',
      '/sources/0',
      (keys: string) => `{${HEAD},"sources":[{"source":"builtin",${keys}}]}`,
    ],
    [
      'a tool',
      '/sources/0/tools/0',
      (keys: string) => `{${HEAD},"sources":[{"source":"builtin","tools":[{"name":"a",${keys}}]}]}`,
    ],
  ])('end at the first unknown member of %s', async (_what, pointer, bodyOf) => {
    const keys = Array.from({ length: 10_000 }, (_, index) => `"key${index}":1`).join(',');
    const client = new HttpClient(app.url, { authorization: `Bearer ${agent.credential}` });
    const { status, body } = await client.call('PUT', REPORT, { body: bodyOf(keys) });
    expect(status).toBe(400);
    const unknown = (
      body['error']?.['details']?.['issues'] as unknown as { pointer: string; code: string }[]
    ).filter(({ code }) => code === 'unknown_field');
    expect(unknown).toMatchObject([{ pointer: `${pointer}/key0` }]);
  });

  test('of more than 250,000 values are refused before a schema is read', async () => {
    const values = Array.from({ length: 10_000 }, () => '{}').join(',');
    const tools = Array.from(
      { length: 26 },
      (_, index) => `{"name":"t${index}","input_schema":{"a":[${values}]}}`,
    ).join(',');
    const client = new HttpClient(app.url, { authorization: `Bearer ${agent.credential}` });
    const { status, body } = await client.call('PUT', REPORT, {
      body: `{${HEAD},"sources":[{"source":"builtin","tools":[${tools}]}]}`,
    });
    expect([status, body['error']?.['details']?.['issues']]).toMatchObject([
      400,
      [{ pointer: '', code: 'too_many' }],
    ]);
  });

  test.each([
    ['a list', (filler: string) => `[${filler}]`],
    ['an unknown member', (filler: string) => `{"x":[${filler}]}`],
  ])('of a million empty objects are refused: %s', async (_what, bodyOf) => {
    const filler = `${'{},'.repeat(1024 * 1024)}{}`;
    const client = new HttpClient(app.url, { authorization: `Bearer ${agent.credential}` });
    const { status } = await client.call('PUT', REPORT, { body: bodyOf(filler) });
    expect(status).toBe(400);
  });
});

describe('the reports of one instance', () => {
  test('are six a minute, and those of another one are counted apart', async () => {
    const other = await createInstance(app, organization, agent.slug);
    const statuses: number[] = [];
    for (let count = 0; count < 7; count += 1) {
      const answer = await report([builtin('Bash')]);
      statuses.push(answer.status);
      if (count === 6) expect(answer.headers['retry-after']).toMatch(/^([1-9]|[1-5][0-9]|60)$/);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429]);
    expect((await report([builtin('Bash')], { by: other })).status).toBe(200);
    const caller = new HttpClient(app.url, { authorization: `Bearer ${agent.credential}` });
    expect((await caller.get('/api/aap/v1/requests/none')).status).toBe(404);
  });

  test('are stored one at a time, while others go on', async () => {
    await report([builtin('Bash')]);
    const other = await createInstance(app, organization, agent.slug);
    const ended: string[] = [];
    const [first, second] = await app.db.transaction(async (trx) => {
      await trx('tool_catalog_contexts').where({ agent_instance_id: agent.instanceId }).forUpdate();
      const held = report([builtin('ls')]).then(({ status }) => ended.push(`first ${status}`));
      await untilBlocked(trx);
      const next = report([builtin('ls')], { discovery_context: 'elsewhere' }).then(({ status }) =>
        ended.push(`second ${status}`),
      );
      for (const name of ['a', 'b', 'c']) {
        const { status } = await report([builtin(name)], { by: other });
        expect(status).toBe(200);
      }
      expect(ended).toEqual([]);
      return [held, next];
    });
    await Promise.all([first, second]);
    expect(ended).toEqual(['first 200', 'second 200']);
  });
});

test('of simultaneous reports, the last one counts as a whole', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const [all, few] = [['a', 'b', 'c', 'd'].map((name) => `${name}-${round}`), [`b-${round}`]];
    const by = await createAgent(app, organization);
    const answers = await Promise.all([
      report([builtin(...all), mcp([{ name: 'x' }])], { by }),
      report([builtin(...few)], { by }),
      report([builtin(...[...all].reverse()), mcp([{ name: 'x' }])], { by }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect([[...all, 'x'], few]).toContainEqual(await namesOf(`?agent_slug=${by.slug}`));
  }
});

describe('the list', () => {
  test('has filters, and pages by offset', async () => {
    const other = await createAgent(app, organization);
    await report([builtin('Bash', 'Edit'), mcp([{ name: 'refund', display_name: 'Über %' }])]);
    await report([builtin('Read')], { by: other });
    const all = [`${agent.slug} Bash`, `${agent.slug} Edit`, `${agent.slug} refund`];
    const shown = (await listed()).map((tool) => `${String(tool['agent_slug'])} ${tool.name}`);
    expect(shown).toEqual([...all, `${other.slug} Read`]);
    expect(await namesOf(`?agent_slug=${other.slug}`)).toEqual(['Read']);
    expect(await namesOf('?source=mcp')).toEqual(['refund']);
    expect(await namesOf('?q=%C3%BCBER%20%25')).toEqual(['refund']);
    expect(await namesOf('?q=BILL')).toEqual(['refund']);
    const first = await get('?limit=3');
    expect([first.body['total'], first.body['next_offset']]).toEqual([4, 3]);
    const last = await get('?limit=3&offset=3');
    expect((last.body['tools'] as unknown as Entry[]).map(({ name }) => name)).toEqual(['Read']);
    expect(last.body['next_offset']).toBeUndefined();
    expect((await get('?offset=9')).body).toMatchObject({ tools: [], total: 4 });
    for (const wrong of ['limit=201', 'limit=0', 'offset=-1', 'status=gone', 'source=gateway'])
      expect((await get(`?${wrong}`)).status).toBe(400);
  });

  test('knows what is available, unavailable and stale', async () => {
    await report([builtin('Bash'), mcp([{ name: 'refund' }])]);
    await report([mcp([], { error: 'away' })], { complete: false });
    await app.db.raw(
      `update tool_catalog_tools set last_seen_at = last_seen_at - interval '8 days' where name = 'Bash'`,
    );
    await report([builtin('Edit')], { discovery_context: 'there' });
    expect(await namesOf('?status=available')).toEqual(['Edit']);
    expect(await namesOf('?status=unavailable')).toEqual(['refund']);
    expect(await namesOf('?status=stale')).toEqual(['Bash']);
    expect((await listed('?status=stale'))[0]).toMatchObject({ available: true, stale: true });
  });

  test('lists each tool of an agent and server once, as it was reported last', async () => {
    const replica = { ...agent, ...(await createInstance(app, organization, agent.slug)) };
    await report([mcp([{ name: 'refund', description: 'Old.' }, { name: 'charge' }])]);
    await report([mcp([{ name: 'refund', description: 'New.' }]), builtin('refund')], {
      by: replica,
    });
    await report([mcp([], { error: 'Timed out.' })]);
    const { body } = await get('?view=tools');
    expect(body['total']).toBe(3);
    expect(body['tools']).toMatchObject([
      { source: 'builtin', name: 'refund' },
      { server: 'billing', name: 'charge', available: false },
      { server: 'billing', name: 'refund', agent_instance_id: replica.instanceId },
    ]);
    // A status selects from what was reported last.
    expect(await namesOf('?view=tools&status=unavailable')).toEqual(['charge']);
    expect(await namesOf('?view=tools&limit=1&offset=2')).toEqual(['refund']);
  });

  test('shows a caller only the agents they may see', async () => {
    const hidden = await createAgent(app, organization);
    await report([builtin('Bash')]);
    await report([builtin('Read')], { by: hidden });
    const policies = [
      { scope_kind: 'agent' as const, resource_ids: [agent.slug], permissions: ['agent.read'] },
    ];
    const member = await createMember(app, organization.id, { policies });
    const { body } = await get('', member);
    expect(body['total']).toBe(1);
    expect((body['sources'] as unknown as unknown[]).length).toBe(1);
    expect(await namesOf('', member)).toEqual(['Bash']);
    expect(await namesOf(`?agent_slug=${hidden.slug}`, member)).toEqual([]);
    const [entry] = await listed(`?agent_slug=${hidden.slug}`);
    expect((await member.http.get(`${LIST}/${entry?.id ?? ''}`)).status).toBe(404);
    expect((await member.http.get(`${LIST}/${randomUUID()}`)).status).toBe(404);
  });
});
