/** The list of agents: order, pages, search, and who sees which. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createMember, createOrganization } from '../../support/scene/factories.ts';
import { agentsScene } from './agents-scene.ts';

const { app, organization, owner, create, archive } = await agentsScene();

describe('listing agents', () => {
  beforeAll(async () => {
    for (const name of ['delta', 'Alpha', 'charlie', 'bravo', 'echo'])
      await create(name.toLowerCase(), name);
    await app
      .db('agents')
      .where({ organization_id: organization.id, slug: 'alpha' })
      .update({ status: 'disabled' });
    await archive('bravo');
  });

  const slugs = (answer: { body: unknown }) =>
    (answer.body as { agents: { slug: string }[] }).agents.map((agent) => agent.slug);

  test('lists active agents, then disabled ones, each by name ignoring case, and archived ones on demand', async () => {
    expect(slugs(await owner.http.get('/api/v1/agents'))).toEqual([
      'charlie',
      'delta',
      'echo',
      'alpha',
    ]);
    expect(slugs(await owner.http.get('/api/v1/agents?status=archived'))).toEqual(['bravo']);
    const all = await owner.http.get('/api/v1/agents?status=all');
    expect(slugs(all)).toEqual(['charlie', 'delta', 'echo', 'alpha', 'bravo']);
    expect(all.body['agents']?.[4]).toHaveProperty('archived_at');
    expect(all.body).not.toHaveProperty('next_cursor');
  });

  test('returns every agent once across pages, in the same order', async () => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await owner.http.get(
        `/api/v1/agents?status=all&limit=2${cursor && `&cursor=${cursor}`}`,
      );
      expect(slugs(page).length).toBeLessThanOrEqual(2);
      seen.push(...slugs(page));
      cursor = page.body['next_cursor'] === undefined ? '' : String(page.body['next_cursor']);
    } while (cursor);
    expect(seen).toEqual(['charlie', 'delta', 'echo', 'alpha', 'bravo']);
  });

  test('finds a text in slugs and names, ignoring case, page by page', async () => {
    const found = async (query: string) => slugs(await owner.http.get(`/api/v1/agents?${query}`));
    expect(await found('q=A')).toEqual(['charlie', 'delta', 'alpha']);
    expect(await found('q=ALP&status=all')).toEqual(['alpha']);
    expect(await found('q=%25')).toEqual([]);
    const first = await owner.http.get('/api/v1/agents?q=l&limit=2');
    const rest = `limit=2&cursor=${String(first.body['next_cursor'])}`;
    expect([slugs(first), await found(`q=l&${rest}`)]).toEqual([['charlie', 'delta'], ['alpha']]);
    expect((await owner.http.get(`/api/v1/agents?q=a&${rest}`)).status).toBe(400);
  });

  test('refuses a bad status or limit and a cursor of other filters', async () => {
    for (const query of ['status=gone', 'limit=0', 'limit=501', 'limit=x', 'cursor=x', 'page=2']) {
      expect((await owner.http.get(`/api/v1/agents?${query}`)).status).toBe(400);
    }
    const page = await owner.http.get('/api/v1/agents?status=all&limit=1');
    const answer = await owner.http.get(
      `/api/v1/agents?limit=1&cursor=${String(page.body['next_cursor'])}`,
    );
    expect(answer.body).toMatchObject({
      error: { code: 'validation_failed', details: { issues: [{ pointer: '/query/cursor' }] } },
    });
  });

  test('answers a forged cursor with 400 or a page, never with a server error', async () => {
    const forge = (keys: unknown) => Buffer.from(JSON.stringify(keys)).toString('base64url');
    for (const [keys, status] of [
      [['agents', 'live', '', 0, 'no-such-agent'], 200],
      [['agents', 'live', '', 0, 'a\0b'], 400],
      [['agents', 'live', '', 0, '\ud800'], 200],
      [['agents', 'live', '', 3, 'delta'], 400],
      [['agents', 'live', '', 0.5, 'delta'], 400],
      [['agents', 'live', '', 0, {}], 400],
      [{}, 400],
      [null, 400],
    ] as const) {
      expect([keys, (await owner.http.get(`/api/v1/agents?cursor=${forge(keys)}`)).status]).toEqual(
        [keys, status],
      );
    }
  });

  test('shows a member only the agents that their grants name', async () => {
    const policies = [
      {
        scope_kind: 'agent' as const,
        resource_ids: ['delta', 'bravo'],
        permissions: ['agent.read'],
      },
    ];
    const member = await createMember(app, organization.id, { policies });
    expect(slugs(await member.http.get('/api/v1/agents?status=all'))).toEqual(['delta', 'bravo']);
    expect((await member.http.get('/api/v1/agents/delta')).status).toBe(200);
    expect((await member.http.get('/api/v1/agents/echo')).status).toBe(403);
    expect((await member.http.post('/api/v1/agents', { slug: 'x', name: 'x' })).status).toBe(403);
  });

  test('refuses a member without grants and says why', async () => {
    const member = await createMember(app, organization.id);
    const answer = await member.http.get('/api/v1/agents');
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({
      error: { details: { permission: 'agent.read', reason: 'missing_permission' } },
    });
  });

  test('answers 404 for an agent of another organization', async () => {
    const { owner: stranger } = await createOrganization(app);
    expect((await stranger.http.get('/api/v1/agents/delta')).status).toBe(404);
    expect((await owner.http.get('/api/v1/agents/unknown')).status).toBe(404);
    expect((await owner.http.get('/api/v1/agents/NO%20SLUG')).status).toBe(404);
    expect(slugs(await stranger.http.get('/api/v1/agents?status=all'))).toEqual([]);
  });
});
