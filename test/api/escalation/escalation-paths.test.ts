/** Escalation paths: creating them, their revisions, who may read and change them, archiving, and the list. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import {
  createMember,
  createOrganization,
  type TestMember,
  type TestOrganization,
  activatePath,
  activatePipeline,
  createAgent,
} from '../../support/scene/factories.ts';
import { loadEscalationPathRevision } from '../../../src/services/escalation/escalation-paths.ts';
import { issuesOf } from '../../support/refusals.ts';
import { document, level, NODE, PATHS, pathCalls } from './path-scene.ts';
import { ROUNDS } from '../../support/rounds.ts';

const app = await appForFile();
let organization: TestOrganization;
let owner: TestMember;

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
});

const { create, activate, archive } = pathCalls(() => owner);
const user = (id: string) => ({ type: 'user', id });

describe('creating a path', () => {
  test('keeps the numbers of its conditions as they were spelled, in later revisions, too', async () => {
    const value = '[1.0,1e21,-0,2.50]';
    const when = { id: 'c', field: '/request/arguments/x', operator: 'in', value: '@' };
    const node = {
      ...{ id: NODE, type: 'if_else', conditions: [{ type: 'request', when }] },
      ...{ then: [level(undefined, randomUUID())], else: [] },
    };
    const text = (more: object) =>
      JSON.stringify({ ...more, name: 'On call', nodes: [node] }).replace('"@"', value);
    const created = await owner.http.post(PATHS, text({ path_key: 'on-call' }));
    const next = await owner.http.post(`${PATHS}/on-call/revisions`, text({}));
    expect([created.status, next.status]).toEqual([201, 201]);
    for (const answer of [created, next, await owner.http.get(`${PATHS}/on-call/revisions/2`)])
      expect(answer.text).toContain(`"value":${value}`);
  });

  test('creates revision 1, inactive, with its whole document', async () => {
    const created = await create({ repeat: { times: 2, after: '10m' } });
    expect(created.status).toBe(201);
    expect(created.headers['etag']).toBe('"0"');
    expect(created.body).toEqual({
      id: expect.any(String),
      path_key: 'on-call',
      revision: 1,
      is_active: false,
      name: 'On call',
      created_by_actor_id: owner.membershipId,
      created_by: { id: owner.membershipId, kind: 'member', display_name: owner.displayName },
      created_at: expect.any(String),
      working_hours: [],
      nodes: [{ ...level(), raise_urgency: false }],
      repeat: { times: 2, after: '10m' },
      document_version: 1,
      warnings: [],
    });
    expect((await owner.http.get(`${PATHS}/on-call`)).status).toBe(404);
    expect((await owner.http.get(`${PATHS}/on-call/revisions/1`)).body).toEqual(created.body);
    expect((await activate(1, '"1"')).body).toMatchObject({
      error: { code: 'revision_conflict', details: { active_revision: 0 } },
    });
    const activated = await activate(1, '"0"');
    expect(activated.body).toEqual({
      ...created.body,
      is_active: true,
      activated_by: created.body['created_by'],
      activated_at: expect.any(String),
    });
    const active = await owner.http.get(`${PATHS}/on-call`);
    expect(active.headers['etag']).toBe('"1"');
    expect(active.body).toEqual(activated.body);
  });

  test('refuses every key ever used in the organization; of 10 concurrent calls one succeeds', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => create()));
    expect(answers.map((answer) => answer.status).sort()).toEqual([
      201,
      ...Array<number>(9).fill(409),
    ]);
    expect(answers.find((answer) => answer.status === 409)?.body).toMatchObject({
      error: { code: 'escalation_path_exists' },
    });
    expect((await archive()).status).toBe(204);
    expect((await create()).body).toMatchObject({ error: { code: 'escalation_path_exists' } });
    const { owner: stranger } = await createOrganization(app);
    expect((await stranger.http.post(PATHS, { path_key: 'on-call', ...document() })).status).toBe(
      201,
    );
  });

  test.each([
    [{ ...document() }, '/path_key'],
    [{ path_key: 'NO', ...document() }, '/path_key'],
    [{ path_key: '..', ...document() }, '/path_key'],
    [{ path_key: 'x', nodes: [level()] }, '/name'],
    [{ path_key: 'x', ...document(), extra: 1 }, '/extra'],
    [{ path_key: 'x', ...document({ nodes: [{ ...level(), type: 'loop' }] }) }, '/nodes/0/type'],
    [
      { path_key: 'x', ...document({ nodes: [{ ...level(), escalate_after: '59s' }] }) },
      '/nodes/0/escalate_after',
    ],
    [
      { path_key: 'x', ...document({ nodes: [level([{ type: 'team', id: NODE }])] }) },
      '/nodes/0/targets/0/id',
    ],
    [{ path_key: 'x', ...document({ repeat: { times: 10, after: '5m' } }) }, '/repeat/times'],
    [[], ''],
  ])('refuses %j with a pointer', async (body, pointer) => {
    const answer = await owner.http.post(PATHS, body);
    expect(answer.status).toBe(400);
    expect(issuesOf(answer)).toEqual([expect.objectContaining({ pointer })]);
  });

  test('refuses people outside the organization, each with a pointer', async () => {
    const { owner: stranger } = await createOrganization(app);
    const gone = await createMember(app, organization.id, { status: 'deprovisioned' });
    const targets = [
      user(owner.membershipId),
      user(stranger.membershipId),
      user(gone.membershipId),
      user(randomUUID()),
    ];
    const nodes = [level(), level(targets, randomUUID())];
    for (const answer of [await create({ nodes }), await create({ nodes })]) {
      expect(answer.status).toBe(400);
      expect(issuesOf(answer)).toMatchObject([
        { pointer: '/nodes/1/targets/1/id', code: 'unknown_target' },
        { pointer: '/nodes/1/targets/2/id', code: 'unknown_target' },
        { pointer: '/nodes/1/targets/3/id', code: 'unknown_target' },
      ]);
    }
    expect((await owner.http.get(`${PATHS}?status=all`)).body).toEqual({ escalation_paths: [] });
  });

  test('accepts a node id of any UUID version and answers it in lower case', async () => {
    const created = await create({
      nodes: [level([{ type: 'broadcast' }], 'ABCDEF01-0000-0000-0000-000000000000')],
    });
    expect(created.status).toBe(201);
    expect(created.body['nodes']?.[0]?.['id']).toBe('abcdef01-0000-0000-0000-000000000000');
  });

  test('records every target of the document once', async () => {
    const member = await createMember(app, organization.id);
    const nodes = [
      level([user(member.membershipId)]),
      level([user(member.membershipId), { type: 'broadcast' }], randomUUID()),
    ];
    const created = await create({ nodes });
    const rows = await app
      .db('escalation_path_targets')
      .where({ escalation_path_revision_id: String(created.body['id']) });
    expect(rows.map((row) => [row.target_type, row.membership_id]).sort()).toEqual([
      ['broadcast', null],
      ['user', member.membershipId],
    ]);
  });

  test('warns about people who cannot decide or be notified, on create and activate, never on reads', async () => {
    const decider = {
      scope_kind: 'agent' as const,
      resource_ids: ['some-bot'],
      permissions: ['request.decide'],
    };
    const can = await createMember(app, organization.id, { policies: [decider] });
    const cannot = await createMember(app, organization.id, { displayName: 'Zoe' });
    const suspended = await createMember(app, organization.id, {
      displayName: 'Adam',
      status: 'suspended',
      policies: [decider],
    });
    const silent = await createMember(app, organization.id, {
      displayName: 'Mute',
      policies: [decider],
    });
    const off = { email: false, slack: false, push: false };
    await silent.browser.call('PUT', '/api/v1/me/notification_settings', { body: off });
    const nodes = [
      level([owner, can, cannot, suspended, silent].map((member) => user(member.membershipId))),
    ];
    const created = await create({ nodes });
    const warnings = [
      { code: 'user_cannot_decide', membership_id: suspended.membershipId, display_name: 'Adam' },
      { code: 'user_cannot_decide', membership_id: cannot.membershipId, display_name: 'Zoe' },
      { code: 'user_has_no_channel', membership_id: silent.membershipId, display_name: 'Mute' },
    ];
    expect(created.body['warnings']).toEqual(warnings);
    expect((await activate(1, '"0"')).body['warnings']).toEqual(warnings);
    expect((await owner.http.get(`${PATHS}/on-call`)).body['warnings']).toEqual([]);
    expect((await owner.http.get(`${PATHS}/on-call/revisions`)).body).toMatchObject({
      revisions: [{ warnings: [] }],
    });
  });
});

describe('revisions of a path', () => {
  test('are created inactive and activated one at a time, by If-Match', async () => {
    await create();
    await activate(1, '"0"');
    const second = await owner.http.post(
      `${PATHS}/on-call/revisions`,
      document({ name: 'Second' }),
    );
    expect(second.status).toBe(201);
    expect(second.headers['etag']).toBe('"1"');
    expect(second.body).toMatchObject({ revision: 2, is_active: false, name: 'Second' });
    const third = await owner.http.post(`${PATHS}/on-call/revisions`, {
      path_key: 'another',
      ...document(),
    });
    expect(issuesOf(third)).toMatchObject([{ pointer: '/path_key', code: expect.any(String) }]);
    expect((await activate(2, '"0"')).status).toBe(412);
    const answers = await Promise.all([activate(2, '"1"'), activate(2, '"1"')]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 412]);
    expect((await owner.http.get(`${PATHS}/on-call`)).body).toMatchObject({ revision: 2 });
    expect((await owner.http.get(`${PATHS}/on-call/revisions`)).body).toMatchObject({
      revisions: [
        { revision: 2, is_active: true },
        { revision: 1, is_active: false },
      ],
      total_count: 2,
    });
  });

  const activePath = async (): Promise<unknown> => {
    const { rows } = await app.db.raw<{ rows: { id: string }[] }>(
      `select v.id from escalation_paths p
         join escalation_path_revisions v on v.escalation_path_id = p.id and v.revision = p.active_revision
        where p.organization_id = ?`,
      [organization.id],
    );
    return rows[0]?.id;
  };

  test('are pinned: a request keeps the revision that was active at its hand-over', async () => {
    await create({ nodes: [level([user(owner.membershipId)])] });
    expect(await activePath()).toBeUndefined();
    const { body } = await activate(1, '"0"');
    const id = await activePath();
    expect(id).toBe(body['id']);
    await owner.http.post(`${PATHS}/on-call/revisions`, document({ name: 'Second' }));
    await activate(2, '"1"');
    const loaded = await loadEscalationPathRevision(app.db, String(id));
    expect(loaded).toMatchObject({
      pathKey: 'on-call',
      revision: 1,
      name: 'On call',
      targets: [user(owner.membershipId)],
    });
    expect(await loadEscalationPathRevision(app.db, String(id))).toBe(loaded);
    expect(await activePath()).not.toBe(id);
    await archive();
    expect(await activePath()).toBeUndefined();
  });
});

describe('who may', () => {
  test('reading, writing and activating are different permissions of the organization', async () => {
    await create();
    const member = (permission: string) =>
      createMember(app, organization.id, {
        policies: [{ scope_kind: 'organization', permissions: [permission] }],
      });
    const reader = await member('escalation_path.read');
    const writer = await member('escalation_path.write');
    const activator = await member('escalation_path.activate');
    const statuses = async (one: TestMember) => [
      (await one.http.get(PATHS)).status,
      (await one.http.get(`${PATHS}/on-call/revisions`)).status,
      (await one.http.post(`${PATHS}/on-call/revisions`, document())).status,
      (await activate(1, '"9"', one)).status,
      (await archive('unknown', one)).status,
    ];
    expect(await statuses(reader)).toEqual([200, 200, 403, 403, 403]);
    expect(await statuses(writer)).toEqual([403, 403, 201, 403, 403]);
    expect(await statuses(activator)).toEqual([403, 403, 403, 412, 404]);
  });

  test("another organization's path is not found", async () => {
    await create();
    await activate(1, '"0"');
    const { owner: stranger } = await createOrganization(app);
    expect((await stranger.http.get(`${PATHS}/on-call`)).status).toBe(404);
    expect((await stranger.http.get(`${PATHS}/on-call/revisions`)).status).toBe(404);
    expect((await stranger.http.get(`${PATHS}/on-call/revisions/1`)).status).toBe(404);
    expect((await stranger.http.post(`${PATHS}/on-call/revisions`, document())).status).toBe(404);
    expect((await activate(1, '"1"', stranger)).status).toBe(404);
    expect((await archive('on-call', stranger)).status).toBe(404);
    expect((await stranger.http.get(`${PATHS}?status=all`)).body).toEqual({ escalation_paths: [] });
    expect((await owner.http.get(`${PATHS}/on-call`)).status).toBe(200);
  });
});

const human = (escalationPath: string) => ({
  blocks: [
    {
      id: 'ask',
      name: 'Ask',
      type: 'always',
      config: { outcome: 'human', reason: 'Look.', escalation_path: escalationPath },
    },
  ],
});

describe('archiving', () => {
  test('is final: no revision is active, created or activated any more, and a second call answers 204', async () => {
    await create();
    await activate(1, '"0"');
    expect((await archive()).status).toBe(204);
    const read = await owner.http.get(`${PATHS}/on-call/revisions/1`);
    expect(read.body).toMatchObject({ is_active: false, archived_at: expect.any(String) });
    expect((await archive()).status).toBe(204);
    expect((await owner.http.get(`${PATHS}/on-call/revisions/1`)).body).toEqual(read.body);
    expect((await owner.http.get(`${PATHS}/on-call`)).status).toBe(404);
    expect((await owner.http.post(`${PATHS}/on-call/revisions`, document())).body).toMatchObject({
      error: { code: 'escalation_path_archived' },
    });
    expect((await activate(1, '"0"')).body).toMatchObject({
      error: { code: 'escalation_path_archived' },
    });
    const events = await app
      .db('audit_events')
      .where({
        organization_id: organization.id,
        subject_type: 'escalation_path',
        subject_id: 'on-call',
      })
      .orderBy('sequence')
      .pluck('event_type');
    expect(events).toEqual([
      'escalation_path.created',
      'escalation_path.revision_activated',
      'escalation_path.archived',
    ]);
  });

  test('is refused with every use while an active pipeline names the path', async () => {
    await activatePath(owner, { path_key: 'on-call', ...document() });
    const { slug } = await createAgent(app, organization);
    await activatePipeline(owner, `agents/${slug}`, human('on-call'));
    await activatePipeline(owner, 'organization', {
      blocks: [],
      default_escalation_path: 'on-call',
    });
    const refused = await archive();
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({
      error: {
        code: 'escalation_path_in_use',
        details: {
          uses: [
            {
              pipeline_id: expect.any(String),
              scope: 'agent',
              agent_slug: slug,
              revision: 2,
              ...{ block_key: 'ask', block_name: 'Ask' },
            },
            { pipeline_id: expect.any(String), scope: 'organization', revision: 2 },
          ],
        },
      },
    });
    await activatePipeline(owner, 'organization', { blocks: [] });
    await activatePipeline(owner, `agents/${slug}`, { blocks: [] });
    expect((await archive()).status).toBe(204);
  });

  test('never succeeds together with activating a pipeline that names the path, in any round', async () => {
    const pipeline = '/api/v1/request-approval-pipelines/organization';
    let active = 1;
    for (let round = 0; round < ROUNDS; round += 1) {
      const key = `path-${round}`;
      await activatePath(owner, { path_key: key, ...document() });
      const { body } = await owner.http.post(`${pipeline}/revisions`, human(key));
      const headers = { 'if-match': `"${active}"` };
      const [archived, activated] = await Promise.all([
        archive(key),
        owner.http.post(`${pipeline}/revisions/${String(body['revision'])}/activate`, undefined, {
          headers,
        }),
      ]);
      expect([
        [204, 409],
        [409, 200],
      ]).toContainEqual([archived.status, activated.status]);
      if (activated.status === 200) active = Number(body['revision']);
    }
  });
});

describe('the list', () => {
  test('is ordered by key, has the newest names, and includes archived paths on demand', async () => {
    for (const key of ['zebra', 'alpha', 'middle']) await create({ name: key }, key);
    await owner.http.post(`${PATHS}/alpha/revisions`, document({ name: 'Renamed' }));
    await archive('middle');
    const live = await owner.http.get(PATHS);
    expect(live.body).toEqual({
      escalation_paths: [
        {
          path_key: 'alpha',
          name: 'Renamed',
          latest_revision: 2,
          revision_count: 2,
          latest_created_at: expect.any(String),
        },
        {
          path_key: 'zebra',
          name: 'zebra',
          latest_revision: 1,
          revision_count: 1,
          latest_created_at: expect.any(String),
        },
      ],
    });
    const archived = await owner.http.get(`${PATHS}?status=archived`);
    expect(archived.body).toMatchObject({
      escalation_paths: [{ path_key: 'middle', archived_at: expect.any(String) }],
    });
    const first = await owner.http.get(`${PATHS}?status=all&limit=2`);
    expect(first.body).toMatchObject({
      escalation_paths: [{ path_key: 'alpha' }, { path_key: 'middle' }],
    });
    const second = await owner.http.get(
      `${PATHS}?status=all&limit=2&cursor=${String(first.body['next_cursor'])}`,
    );
    expect(second.body).toMatchObject({ escalation_paths: [{ path_key: 'zebra' }] });
    expect(second.body).not.toHaveProperty('next_cursor');
    expect(
      (await owner.http.get(`${PATHS}?cursor=${String(first.body['next_cursor'])}`)).status,
    ).toBe(400);
  });

  test('finds a text in keys and names of newest revisions, ignoring case', async () => {
    await create({ name: 'Night shift Süd' }, 'nights');
    await create({ name: 'Days' }, 'office');
    const found = async (q: string) => {
      const { text } = await owner.http.get(`${PATHS}?q=${encodeURIComponent(q)}`);
      const page = JSON.parse(text) as { escalation_paths: { path_key: string }[] };
      return page.escalation_paths.map(({ path_key }) => path_key);
    };
    expect(await found('T SÜD')).toEqual(['nights']);
    expect(await found('s')).toEqual(['nights', 'office']);
    expect(await found('Fic')).toEqual(['office']);
    expect(await found('_')).toEqual([]);
    const first = await owner.http.get(`${PATHS}?q=s&limit=1`);
    const cursor = String(first.body['next_cursor']);
    const second = await owner.http.get(`${PATHS}?q=s&limit=1&cursor=${cursor}`);
    expect(second.body).toMatchObject({ escalation_paths: [{ path_key: 'office' }] });
    expect((await owner.http.get(`${PATHS}?limit=1&cursor=${cursor}`)).status).toBe(400);
  });
});
