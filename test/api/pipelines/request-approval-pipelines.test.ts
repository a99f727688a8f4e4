/** Revisions of pipelines: creating, activating and listing them, and the permissions for that. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { ROUNDS } from '../../support/rounds.ts';
import { appForFile } from '../../support/scene.ts';
import { createAgent, createMember, createOrganization } from '../../support/scene/factories.ts';
import type { TestMember, TestOrganization } from '../../support/scene/factories.ts';
import { always, BASE, ORGANIZATION } from '../../support/scene/request-approval-pipelines.ts';
import { issuesOf } from '../../support/refusals.ts';

const app = await appForFile();
let organization: TestOrganization;
let owner: TestMember;

async function freshOrganization() {
  organization = await createOrganization(app);
  owner = organization.owner;
}

const create = (document: unknown, base = ORGANIZATION) =>
  owner.http.post(`${base}/revisions`, document);

const activate = (
  revision: number | string,
  ifMatch: string | undefined,
  { base = ORGANIZATION, member = owner } = {},
) =>
  member.http.post(`${base}/revisions/${revision}/activate`, undefined, {
    headers: { ...(ifMatch && { 'if-match': ifMatch }) },
  });

describe('revisions of a pipeline', () => {
  beforeAll(freshOrganization);

  test('a new pipeline has an active, empty revision 1', async () => {
    const born = await owner.http.get(ORGANIZATION);
    const creator = { id: owner.membershipId, kind: 'member', display_name: owner.displayName };
    expect(born.headers['etag']).toBe('"1"');
    expect(born.body).toEqual({
      id: expect.any(String),
      scope: 'organization',
      revision: 1,
      is_active: true,
      block_count: 0,
      created_by_actor_id: owner.membershipId,
      created_by: creator,
      created_at: expect.any(String),
      activated_by: creator,
      activated_at: born.body['created_at'],
      blocks: [],
      warnings: [],
    });
  });

  test('a new revision gets the next number, is inactive, and changes nothing about which is active', async () => {
    const created = await create({ blocks: [always()] });
    expect(created.status).toBe(201);
    expect(created.headers['etag']).toBe('"1"');
    expect(created.body).toMatchObject({ revision: 2, is_active: false, block_count: 1 });
    expect(created.body['blocks']).toEqual([
      {
        ...always(),
        enabled: true,
        timeout: '5s',
        max_attempts: 1,
        snapshot_id: expect.any(String),
        config_version: 1,
        content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    expect((await owner.http.get(ORGANIZATION)).body).toMatchObject({ revision: 1 });
  });

  test('activation needs If-Match with the active number, and makes exactly that revision active', async () => {
    const missing = await activate(2, undefined);
    expect(missing.status).toBe(428);
    expect(missing.body).toMatchObject({
      error: { type: 'invalid_request', code: 'if_match_required' },
    });
    for (const garbage of ['*', 'W/"1"', 'x', '"1", "2"'])
      expect((await activate(2, garbage)).status).toBe(400);
    const stale = await activate(2, '"2"');
    expect(stale.status).toBe(412);
    expect(stale.body).toMatchObject({
      error: { type: 'conflict', code: 'revision_conflict', details: { active_revision: 1 } },
    });
    for (const none of ['"0"', '9007199254740993', `"${'9'.repeat(400)}"`])
      expect((await activate(2, none)).status).toBe(412);
    const activated = await activate(2, '"1"');
    expect(activated.status).toBe(200);
    expect(activated.headers['etag']).toBe('"2"');
    expect(activated.body).toMatchObject({ revision: 2, is_active: true });
    expect((await owner.http.get(`${ORGANIZATION}/revisions/1`)).body).toMatchObject({
      revision: 1,
      is_active: false,
    });
    expect((await activate(1, '2')).status).toBe(200);
  });

  test('activating the active revision again changes nothing and writes no audit event', async () => {
    const before = await app
      .db('audit_events')
      .where({ organization_id: organization.id })
      .count<{ count: number }[]>('* as count');
    const again = await activate(1, '"1"');
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ is_active: true });
    const after = await app
      .db('audit_events')
      .where({ organization_id: organization.id })
      .count<{ count: number }[]>('* as count');
    expect(after).toEqual(before);
  });

  test('a revision is read by a positive number: 400 for anything else, 404 for an unknown number', async () => {
    for (const bad of ['0', '-1', '1.5', 'x', '01', '%20']) {
      expect((await owner.http.get(`${ORGANIZATION}/revisions/${bad}`)).status).toBe(400);
      expect((await activate(bad, '"1"')).status).toBe(400);
    }
    for (const absent of ['99', '9007199254740993', '99999999999999999999']) {
      expect((await owner.http.get(`${ORGANIZATION}/revisions/${absent}`)).status).toBe(404);
      expect((await activate(absent, '"1"')).status).toBe(404);
    }
  });

  test('every change has an audit event with the pipeline and the revision', async () => {
    const events = await app
      .db('audit_events')
      .where({ organization_id: organization.id, subject_type: 'request_approval_pipeline' })
      .orderBy('sequence');
    expect(
      events.map((event) => [event.event_type, event.subject_id, JSON.parse(event.data).revision]),
    ).toEqual([
      ['request_approval_pipeline.revision_created', 'organization', 2],
      ['request_approval_pipeline.revision_activated', 'organization', 2],
      ['request_approval_pipeline.revision_activated', 'organization', 1],
    ]);
  });
});

describe('races', () => {
  beforeAll(freshOrganization);

  test('20 revisions created at once get 20 numbers without a gap', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => create({ blocks: [always()] })),
    );
    const numbers = answers.map((answer) => Number(answer.body['revision'])).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, n) => n + 2));
    const snapshots = new Set(answers.map((answer) => answer.body['blocks']?.[0]?.['snapshot_id']));
    expect(snapshots.size).toBe(1);
  });

  test('one of two activations that expect the same revision succeeds, in each round', async () => {
    let active = 1;
    for (let round = 0; round < ROUNDS; round += 1) {
      const candidates = [2, 3, 4].filter((revision) => revision !== active).slice(0, 2);
      const answers = await Promise.all(
        candidates.map((revision) => activate(revision, `"${active}"`)),
      );
      expect(answers.map((answer) => answer.status).sort()).toEqual([200, 412]);
      const winner = Number(answers.find((answer) => answer.status === 200)?.body['revision']);
      expect((await owner.http.get(ORGANIZATION)).body['revision']).toBe(winner);
      active = winner;
    }
  });
});

describe('listing revisions', () => {
  beforeAll(async () => {
    await freshOrganization();
    for (let n = 0; n < 4; n += 1) await create({ blocks: [] });
  });

  test('is newest first, page by page, with the total', async () => {
    const first = await owner.http.get(`${ORGANIZATION}/revisions?limit=2`);
    expect(first.body).toMatchObject({
      revisions: [{ revision: 5 }, { revision: 4 }],
      total_count: 5,
    });
    const second = await owner.http.get(
      `${ORGANIZATION}/revisions?limit=3&cursor=${String(first.body['next_cursor'])}`,
    );
    expect(second.body).toMatchObject({
      revisions: [{ revision: 3 }, { revision: 2 }, { revision: 1, is_active: true }],
      total_count: 5,
    });
    expect(second.body).not.toHaveProperty('next_cursor');
  });

  test('a cursor of another document, of another list or of nothing is a 400', async () => {
    const { slug } = await createAgent(app, organization);
    await create({ blocks: [] }, `${BASE}/agents/${slug}`);
    const agents = await owner.http.get(`${BASE}/agents/${slug}/revisions?limit=1`);
    const pipelines = await owner.http.get(`${BASE}?limit=1`);
    const nul = Buffer.from(JSON.stringify(['pipelines', 'live', 'a\0b'])).toString('base64url');
    expect((await owner.http.get(`${BASE}?cursor=${nul}`)).status).toBe(400);
    for (const foreign of [
      agents.body['next_cursor'],
      pipelines.body['next_cursor'],
      'garbage',
      'WzFd',
    ]) {
      expect(foreign).toBeDefined();
      const answer = await owner.http.get(
        `${ORGANIZATION}/revisions?limit=1&cursor=${String(foreign)}`,
      );
      expect(answer.status).toBe(400);
      expect(issuesOf(answer)).toMatchObject([{ pointer: '/query/cursor' }]);
    }
  });
});

describe('who may', () => {
  let slug: string;
  let agentPath: string;

  beforeAll(async () => {
    await freshOrganization();
    ({ slug } = await createAgent(app, organization, 'deploy-bot'));
    await createAgent(app, organization, 'other-bot');
    agentPath = `${BASE}/agents/${slug}`;
  });

  const scoped = (permissions: string[]) =>
    createMember(app, organization.id, {
      policies: [{ scope_kind: 'agent', resource_ids: [slug], permissions }],
    });

  test('a grant for one agent covers that pipeline and no other', async () => {
    const member = await scoped(['pipeline.read', 'pipeline.write', 'pipeline.activate']);
    expect((await member.http.get(agentPath)).status).toBe(200);
    const created = await member.http.post(`${agentPath}/revisions`, { blocks: [always()] });
    expect(created.body).toMatchObject({ scope: 'agent', agent_slug: slug, revision: 2 });
    expect((await activate(2, '"1"', { base: agentPath, member })).status).toBe(200);
    for (const other of [ORGANIZATION, `${BASE}/agents/other-bot`]) {
      expect((await member.http.get(other)).status).toBe(403);
      expect((await member.http.get(`${other}/revisions`)).status).toBe(403);
      expect((await member.http.post(`${other}/revisions`, { blocks: [] })).status).toBe(403);
      expect((await activate(1, '"1"', { base: other, member })).status).toBe(403);
      expect((await member.http.post(`${other}/preview`, {})).status).toBe(403);
    }
    const listed = await member.http.get(BASE);
    expect(listed.body).toMatchObject({
      request_approval_pipelines: [{ scope: 'agent', agent_slug: slug, active_revision: 2 }],
    });
  });

  test('reading, writing and activating are different permissions', async () => {
    const reader = await scoped(['pipeline.read']);
    expect((await reader.http.post(`${agentPath}/revisions`, { blocks: [] })).status).toBe(403);
    const writer = await scoped(['pipeline.write']);
    expect((await writer.http.get(agentPath)).status).toBe(403);
    expect((await activate(2, '"2"', { base: agentPath, member: writer })).status).toBe(403);
    expect((await writer.http.get(BASE)).status).toBe(403);
  });

  test("another organization's agent has no pipeline here", async () => {
    const { owner: stranger } = await createOrganization(app);
    expect((await stranger.http.get(agentPath)).status).toBe(404);
    expect((await stranger.http.get(`${agentPath}/revisions`)).status).toBe(404);
    expect((await stranger.http.post(`${agentPath}/revisions`, { blocks: [] })).status).toBe(404);
    expect((await activate(1, '"1"', { base: agentPath, member: stranger })).status).toBe(404);
    expect((await stranger.http.get(ORGANIZATION)).body).toMatchObject({ revision: 1 });
  });

  test('an archived pipeline accepts no revision and activates none', async () => {
    await createAgent(app, organization, 'gone-bot');
    await app
      .db('request_approval_pipelines')
      .where({ organization_id: organization.id, document_key: 'agent:gone-bot' })
      .update({ active_revision: null, archived_at: new Date() });
    const base = `${BASE}/agents/gone-bot`;
    expect((await owner.http.get(base)).status).toBe(404);
    expect((await create({ blocks: [] }, base)).body).toMatchObject({
      error: { code: 'agent_archived' },
    });
    expect((await activate(1, '"0"', { base })).body).toMatchObject({
      error: { code: 'agent_archived' },
    });
  });

  test("the list has the organization's pipeline first, then agents by slug; archived ones on demand", async () => {
    const keys = (answer: { body: unknown }) =>
      (
        answer.body as { request_approval_pipelines: { agent_slug?: string }[] }
      ).request_approval_pipelines.map((one) => one.agent_slug);
    const listed = await owner.http.get(BASE);
    expect(keys(listed)).toEqual([undefined, 'deploy-bot', 'other-bot']);
    expect(listed.body['request_approval_pipelines']?.[1]).toEqual({
      scope: 'agent',
      agent_slug: 'deploy-bot',
      active_revision: 2,
      latest_revision: 2,
      revision_count: 2,
      latest_created_at: expect.any(String),
    });
    const archived = await owner.http.get(`${BASE}?status=archived`);
    expect(keys(archived)).toEqual(['gone-bot']);
    expect(archived.body['request_approval_pipelines']?.[0]).not.toHaveProperty('active_revision');
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const page = await owner.http.get(
        `${BASE}?status=all&limit=1${cursor && `&cursor=${cursor}`}`,
      );
      seen.push(...keys(page));
      cursor = page.body['next_cursor'] === undefined ? '' : String(page.body['next_cursor']);
    } while (cursor);
    expect(seen).toEqual([undefined, 'deploy-bot', 'gone-bot', 'other-bot']);
  });
});
