/** How revisions came about: who created and activated them, when and why. All four kinds alike. */
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { scene } from '../support/scene.ts';
import { type TestMember } from '../support/scene/factories.ts';
import { issuesOf } from '../support/refusals.ts';

const nodes = [
  { id: randomUUID(), type: 'level', targets: [{ type: 'broadcast' }], escalate_after: '5m' },
];
const escalation = { nodes };

const { app, organization, people, teams } = await scene({
  app: {
    environment: {
      COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
      COUNTERSIGN_EGRESS_ALLOW: '127.0.0.1',
    },
  },
  people: {
    grace: [
      'pipeline.activate',
      'escalation_path.activate',
      'team.escalation.activate',
      'webhook.write',
      'request.decide',
    ],
  },
  teams: { night: ['grace'] },
});
const other = people.grace;
const teamId = teams.night;
await organization.owner.http.post('/api/v1/escalation-paths', {
  path_key: 'on-call',
  ...escalation,
  name: 'On call',
});

const kinds = [
  ['pipeline', () => '/api/v1/request-approval-pipelines/organization', { blocks: [] }],
  ['escalation path', () => '/api/v1/escalation-paths/on-call', { name: 'On call', ...escalation }],
  ['team policy', () => `/api/v1/teams/${teamId}/escalation-policy`, escalation],
  [
    'webhook endpoint',
    () => '/api/v1/webhook_endpoints/rules',
    { name: 'Rules', url: 'http://127.0.0.1:9/rules' },
  ],
] as const;

const actorOf = ({ membershipId, displayName }: TestMember) => ({
  id: membershipId,
  kind: 'member',
  display_name: displayName,
});

describe.each(kinds)('a revision of a %s', (_kind, pathOf, document) => {
  const create = async (more: object = {}) =>
    await organization.owner.http.post(`${pathOf()}/revisions`, { ...document, ...more });
  const activate = async (member: TestMember, revision: unknown, active: string) =>
    await member.http.post(`${pathOf()}/revisions/${String(revision)}/activate`, undefined, {
      headers: { 'if-match': active },
    });
  const read = async (revision: unknown) =>
    (await organization.owner.http.get(`${pathOf()}/revisions/${String(revision)}`)).body;

  test('keeps its comment as sent, apart from its document', async () => {
    const comment = '  why\n\u202eyhw \u200b ';
    const created = await create({ comment });
    expect([created.status, created.body['comment']]).toEqual([201, comment]);
    const { revision } = created.body;
    expect((await read(revision))['comment']).toBe(comment);
    const { body } = await organization.owner.http.get(`${pathOf()}/revisions?limit=1`);
    expect(body['revisions']?.[0]?.['comment']).toBe(comment);
    expect(await read((await create()).body['revision'])).not.toHaveProperty('comment');
  });

  test('takes a comment of 500 characters, and no longer one', async () => {
    expect((await create({ comment: '😀'.repeat(500) })).status).toBe(201);
    for (const comment of ['x'.repeat(501), 7, null, 'a\0b']) {
      const { status, body } = await create({ comment });
      expect([status, body['error']?.['details']?.['issues']]).toMatchObject([
        400,
        [{ pointer: '/comment' }],
      ]);
    }
  });

  test('says who created it, and who last activated it and when', async () => {
    const { owner } = organization;
    const [first, second] = [(await create()).body, (await create()).body];
    expect(first['created_by']).toEqual(actorOf(owner));
    expect(first).not.toHaveProperty('activated_by');
    expect(first).not.toHaveProperty('activated_at');
    const active = (await organization.owner.http.get(pathOf())).headers['etag'] ?? '"0"';
    const once = (await activate(owner, first['revision'], active)).body;
    expect(once['activated_by']).toEqual(actorOf(owner));
    await activate(owner, second['revision'], `"${String(first['revision'])}"`);
    expect(await read(first['revision'])).toEqual({ ...once, is_active: false });
    const twice = await activate(other, first['revision'], `"${String(second['revision'])}"`);
    expect([twice.status, twice.body['activated_by']]).toEqual([200, actorOf(other)]);
    expect(Date.parse(String(twice.body['activated_at']))).toBeGreaterThan(
      Date.parse(String(once['activated_at'])),
    );
    const again = await activate(owner, first['revision'], `"${String(first['revision'])}"`);
    expect(again.body).toEqual(twice.body);
  });
});

test('the database changes nothing of a revision but its last activation', async () => {
  const tables = [
    'request_approval_pipeline_revisions',
    'escalation_path_revisions',
    'team_escalation_policy_revisions',
    'webhook_endpoint_revisions',
  ];
  for (const table of tables) {
    for (const change of [
      { comment: 'another' },
      { document: '{}' },
      { revision: 99 },
      { created_at: new Date() },
      { created_by_actor_id: randomUUID() },
    ])
      await expect(app.db(table).update(change)).rejects.toThrow();
    await expect(app.db(table).delete()).rejects.toThrow();
  }
});

describe.each(kinds)('a revision of a %s as it was read', (_name, pathOf, document) => {
  const post = (body: unknown) => organization.owner.http.post(`${pathOf()}/revisions`, body);
  const read = async () => {
    await post({ ...document, comment: 'First.' });
    const { body } = await organization.owner.http.get(`${pathOf()}/revisions`);
    return (body['revisions'] as unknown as Record<string, unknown>[])[0] ?? {};
  };

  test('can be posted back, and is the same document again', async () => {
    const first = await read();
    const again = await post(first);
    expect(again.status).toBe(201);
    const { id: _id, revision, created_at: _at, ...same } = first;
    expect(again.body).toMatchObject(
      JSON.parse(
        JSON.stringify({ ...same, warnings: undefined, activated_at: undefined }),
      ) as object,
    );
    expect(again.body['revision']).toBe(Number(revision) + 1);
  });

  test('is refused where it contradicts the call, and the member is named', async () => {
    const first = await read();
    const wrong = Object.entries({
      path_key: 'elsewhere',
      team_id: randomUUID(),
      endpoint_key: 'elsewhere',
      scope: 'agent',
      block_count: 7,
      document_version: 2,
    }).filter(([name]) => name in first);
    expect(wrong.length).toBeGreaterThan(0);
    for (const [name, value] of wrong) {
      const refused = await post({ ...first, [name]: value });
      expect(refused.status).toBe(400);
      expect(issuesOf(refused)).toMatchObject([{ pointer: `/${name}`, code: 'invalid_value' }]);
    }
    const unknown = await post({ ...first, signing_secret: 'x' });
    expect(issuesOf(unknown)).toMatchObject([
      { pointer: '/signing_secret', code: 'unknown_field' },
    ]);
  });
});

describe('blocks as they were read', () => {
  const PIPELINE = '/api/v1/request-approval-pipelines/organization';
  const rule = (id: string, outcome = 'human') => ({
    ...{ id, name: id, type: 'always', config: { outcome, reason: 'r' } },
  });
  const branch = (blocks: object[]) => ({
    ...{ id: 'branch', name: 'Branch', type: 'branch' },
    config: {
      when: { id: 'w', field: '/request/arguments/amount', operator: 'equals', value: 1 },
      reason: 'r',
      blocks,
    },
  });

  test('keep their identity and their hash, in branches, too', async () => {
    const { http } = organization.owner;
    const first = await http.post(`${PIPELINE}/revisions`, {
      blocks: [branch([rule('a')]), rule('b')],
    });
    const again = await http.post(`${PIPELINE}/revisions`, first.body);
    expect(again.status).toBe(201);
    expect(again.body['blocks']).toEqual(first.body['blocks']);
    const sample = {
      request: { tool: 't', arguments: {} },
      agent: { slug: 'bot', name: 'Bot' },
    };
    const blocks = first.body['blocks'];
    expect((await http.post(`${PIPELINE}/preview`, { blocks, sample })).status).toBe(200);
  });

  test('are refused with the hash of something else', async () => {
    const { http } = organization.owner;
    const first = await http.post(`${PIPELINE}/revisions`, { blocks: [branch([rule('a')])] });
    const text = first.text.replace('"outcome":"human"', '"outcome":"approve"');
    const changed = await http.post(`${PIPELINE}/revisions`, JSON.parse(text));
    expect(issuesOf(changed).map(({ pointer }) => pointer)).toEqual([
      '/blocks/0/content_hash',
      '/blocks/0/config/blocks/0/content_hash',
    ]);
    const version = JSON.parse(
      first.text.replace('"config_version":1', '"config_version":2'),
    ) as object;
    expect(issuesOf(await http.post(`${PIPELINE}/revisions`, version))).toMatchObject([
      { pointer: '/blocks/0/config/blocks/0/config_version' },
    ]);
  });
});
