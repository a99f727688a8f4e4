/**
 * Revisions of pipelines: creating, activating and listing them, the permissions for that, and trying
 * out a pipeline on a sample.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ROUNDS } from '../../support/rounds.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { createAgent, createMember, createOrganization } from '../../support/scene/factories.ts';
import type { TestMember, TestOrganization } from '../../support/scene/factories.ts';
import {
  always,
  BASE,
  cel,
  issuesOf,
  ORGANIZATION,
} from '../../support/scene/request-approval-pipelines.ts';

let app: TestApp;
let organization: TestOrganization;
let owner: TestMember;

beforeAll(async () => {
  app = await startApp();
});

afterAll(async () => {
  await app.close();
});

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

describe('preview', () => {
  beforeAll(async () => {
    await freshOrganization();
    await createAgent(app, organization, 'deploy-bot');
  });

  const sample = (args: object = {}, slug = 'deploy-bot') => ({
    request: { tool: 'refund', arguments: args },
    agent: { slug, name: 'Deploy bot' },
  });
  const preview = (body: unknown, base = ORGANIZATION) => owner.http.post(`${base}/preview`, body);
  const small = cel('small', {
    id: 'c',
    field: '/request/arguments/amount',
    operator: 'less_than',
    value: 50,
  });

  test('reports each block reached and the outcome, and saves nothing', async () => {
    const rule = cel('never', { id: 'n', field: '/request/server', operator: 'exists' });
    const answer = await preview({
      blocks: [rule, small, always()],
      sample: sample({ amount: 20 }),
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      outcome: 'approve',
      reason_code: 'block_outcome',
      terminal_block_id: 'small',
      escalation_path_source: 'no_escalation',
      blocks: [
        { block_id: 'never', position: 0, outcome: 'next' },
        { block_id: 'small', position: 1, outcome: 'approve', reason: 'Fine.' },
      ],
    });
    expect((await owner.http.get(`${ORGANIZATION}/revisions`)).body).toMatchObject({
      total_count: 1,
    });
  });

  test('a call that passes every block goes to a person, by the default path', async () => {
    const answer = await preview({
      blocks: [small],
      default_escalation_path: 'on-call',
      sample: sample({ amount: 50 }),
    });
    expect(answer.body).toMatchObject({
      outcome: 'human',
      reason_code: 'end_of_pipeline',
      escalation_path: 'on-call',
      escalation_path_source: 'pipeline_default',
    });
    expect(answer.body).not.toHaveProperty('terminal_block_id');
  });

  test('compares the numbers of the sample exactly', async () => {
    const equal = cel('equal', {
      id: 'c',
      field: '/request/arguments/n',
      operator: 'equals',
      value: '@',
    });
    const body = (n: string) =>
      `{"blocks":${JSON.stringify([equal]).replace('"@"', '9007199254740993')},"sample":${JSON.stringify(sample({ n: '@' })).replace('"@"', n)}}`;
    expect((await preview(body('9007199254740993.0'))).body).toMatchObject({ outcome: 'approve' });
    expect((await preview(body('9007199254740992'))).body).toMatchObject({
      outcome: 'human',
      reason_code: 'end_of_pipeline',
    });
  });

  test('gives the metadata of the sample to the blocks', async () => {
    const seen = cel('seen', {
      id: 'c',
      field: '/previous_metadata/organization/risk/score',
      operator: 'greater_than',
      value: 1,
    });
    const previous_metadata = { organization: { risk: { score: 2 } } };
    expect(
      (await preview({ blocks: [seen], sample: { ...sample(), previous_metadata } })).body,
    ).toMatchObject({ outcome: 'approve' });
    expect((await preview({ blocks: [seen], sample: sample() })).body).toMatchObject({
      outcome: 'human',
    });
  });

  test("an agent's pipeline accepts only samples of that agent; the organization's accepts any", async () => {
    const base = `${BASE}/agents/deploy-bot`;
    expect((await preview({ blocks: [], sample: sample() }, base)).status).toBe(200);
    const foreign = await preview({ blocks: [], sample: sample({}, 'other-bot') }, base);
    expect(issuesOf(foreign)).toMatchObject([{ pointer: '/sample/agent/slug' }]);
    expect((await preview({ blocks: [], sample: sample({}, 'other-bot') })).status).toBe(200);
    expect(
      (await preview({ blocks: [], sample: sample({}, 'unknown') }, `${BASE}/agents/unknown`))
        .status,
    ).toBe(404);
  });

  test.each([
    [{ sample: sample() }, '/blocks'],
    [{ blocks: [] }, '/sample'],
    [{ blocks: [], sample: { ...sample(), extra: 1 } }, '/sample/extra'],
    [
      { blocks: [], sample: { agent: sample().agent, request: { arguments: {} } } },
      '/sample/request/tool',
    ],
    [
      { blocks: [], sample: { agent: sample().agent, request: { tool: 'x', arguments: [] } } },
      '/sample/request/arguments',
    ],
    [
      { blocks: [], sample: { ...sample(), agent: { slug: 'NO', name: 'x' } } },
      '/sample/agent/slug',
    ],
    [
      { blocks: [], sample: { ...sample(), previous_metadata: { organization: 1 } } },
      '/sample/previous_metadata/organization',
    ],
    [{ blocks: [{ ...always(), type: 'x' }], sample: sample() }, '/blocks/0/type'],
    [{ blocks: [], default_escalation_path: null, sample: sample() }, '/default_escalation_path'],
    [{ blocks: [], other: 1, sample: sample() }, '/other'],
  ])('refuses %j with a pointer', async (body, pointer) => {
    const answer = await preview(body);
    expect(answer.status).toBe(400);
    expect(issuesOf(answer)).toEqual([expect.objectContaining({ pointer })]);
  });
});
