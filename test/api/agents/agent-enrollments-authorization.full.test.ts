/** A person finds an enrollment by its user code, and authorizes it for an agent. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { ROUNDS } from '../../support/rounds.ts';
import { hashUserCode } from '../../../src/domain/agents/agent-enrollments.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  grant,
} from '../../support/scene/factories.ts';
import { deleteAttempts } from '../../support/scene/sign-in.ts';
import { enrollmentScene, NOT_FOUND, outcomeOf } from './enrollment-scene.ts';

const { app, organization, owner, begun, exchange, find, authorize } = await enrollmentScene();

describe('a user code', () => {
  test.each(['AAA-2222', 'AAA-000', 'x', '%00', 'whe_1', '..'])(
    '%j that no enrollment has is not found',
    async (code) => {
      expect(outcomeOf(await find(code))).toEqual(NOT_FOUND);
    },
  );

  test('is guessed five times a minute at most, by one person with all their sessions', async () => {
    const member = await createMember(app, organization.id, {
      policies: [{ scope_kind: 'organization', permissions: ['agent.credential.issue'] }],
    });
    const { user } = await begun();
    for (let right = 0; right < 8; right += 1) expect((await find(user, member)).status).toBe(200);
    const guesses = Array.from({ length: 5 }, (_, index) => `AAA-222${index + 2}`);
    for (const [index, guess] of guesses.entries()) {
      const answer =
        index % 2 ? await find(guess, member) : await authorize(guess, undefined, member);
      expect(outcomeOf(answer)).toEqual(NOT_FOUND);
    }
    const refused = await find(user, member);
    expect(outcomeOf(refused)).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(outcomeOf(await authorize(user, undefined, member))).toEqual([429, 'rate_limited']);
    // Others are not affected.
    expect((await find(user)).status).toBe(200);
  });

  test('belongs to the organization that has authorized it', async () => {
    const { owner: stranger } = await createOrganization(app);
    const { user } = await begun();
    expect((await find(user, stranger)).status).toBe(200);
    await authorize(user);
    expect(outcomeOf(await find(user, stranger))).toEqual(NOT_FOUND);
    expect(outcomeOf(await authorize(user, undefined, stranger))).toEqual(NOT_FOUND);
    expect((await find(user)).body).toMatchObject({ status: 'authorized' });
  });
});

describe('authorizing', () => {
  const of = (permissions: readonly string[], slugs?: readonly string[]) =>
    createMember(app, organization.id, {
      policies: [
        slugs
          ? { scope_kind: 'agent', resource_ids: slugs, permissions }
          : { scope_kind: 'organization', permissions },
      ],
    });
  const create = () => ({
    create_agent: { slug: `made-${randomUUID().slice(0, 8)}`, name: randomUUID() },
  });

  test.each([
    ['neither', {}],
    ['both', { agent_slug: 'deploy-bot', create_agent: { slug: 'x', name: 'X' } }],
    ['a bad slug', { agent_slug: 'No Slug' }],
    ['an agent without a name', { create_agent: { slug: 'x' } }],
    ['null', { agent_slug: null }],
  ])('names one agent: %s is refused', async (_what, body) => {
    const { user } = await begun();
    expect((await authorize(user, body)).status).toBe(400);
    expect((await find(user)).body).toMatchObject({ status: 'awaiting_authorization' });
  });

  test('needs a session', async () => {
    const { user } = await begun();
    const path = `/api/v1/agent_enrollments/${user}`;
    for (const answer of [
      await owner.http.get(path),
      await owner.http.post(`${path}/authorize`, { agent_slug: 'deploy-bot' }),
    ])
      expect(outcomeOf(answer)).toEqual([403, 'session_required']);
  });

  test('needs the permission for the chosen agent', async () => {
    const { user } = await begun();
    const [without, elsewhere, here] = [
      await of(['agent.read']),
      await of(['agent.credential.issue'], ['other-bot']),
      await of(['agent.credential.issue'], ['deploy-bot']),
    ];
    for (const slug of ['deploy-bot', 'unknown'])
      for (const member of [without, elsewhere])
        expect(outcomeOf(await authorize(user, { agent_slug: slug }, member))).toEqual([
          403,
          'permission_denied',
        ]);
    expect((await find(user, elsewhere)).status).toBe(200);
    expect((await authorize(user, { agent_slug: 'deploy-bot' }, here)).status).toBe(200);
  });

  test('needs two permissions for a new agent', async () => {
    const { user } = await begun();
    for (const member of [
      await of(['agent.credential.issue']),
      await createMember(app, organization.id, {
        policies: [
          { scope_kind: 'organization', permissions: ['agent.write'] },
          {
            scope_kind: 'agent',
            resource_ids: ['deploy-bot'],
            permissions: ['agent.credential.issue'],
          },
        ],
      }),
    ])
      expect(outcomeOf(await authorize(user, create(), member))).toEqual([
        403,
        'permission_denied',
      ]);
    const both = await of(['agent.credential.issue', 'agent.write']);
    expect((await authorize(user, create(), both)).status).toBe(200);
  });

  test('is refused for a taken name or slug and an archived agent, and can then be tried again', async () => {
    const { slug } = await createAgent(app, organization);
    await app
      .db('agents')
      .where({ organization_id: organization.id, slug })
      .update({ status: 'archived', archived_at: new Date() });
    const taken = await begun({ instance_name: 'taken' });
    await authorize(taken.user);
    const { user, secret } = await begun({ instance_name: 'taken' });
    for (const [body, code] of [
      [{ agent_slug: 'deploy-bot' }, 'instance_name_taken'],
      [{ agent_slug: slug }, 'agent_archived'],
      [{ create_agent: { slug, name: 'Other' } }, 'agent_slug_taken'],
      [{ create_agent: { slug: 'fine', name: 'Agent deploy-bot' } }, 'agent_name_taken'],
    ] as const)
      expect(outcomeOf(await authorize(user, body))).toEqual([409, code]);
    expect(await app.db('agents').where({ slug: 'fine' })).toEqual([]);
    expect((await authorize(user, { agent_slug: 'other-bot' })).status).toBe(200);
    expect((await exchange(secret)).status).toBe(200);
  });

  test('is done by one of two people who try at once', async () => {
    const other = await of(['agent.credential.issue']);
    for (let round = 0; round < ROUNDS; round += 1) {
      await deleteAttempts(app);
      const { user } = await begun();
      const answers = await Promise.all([
        authorize(user),
        authorize(user, { agent_slug: 'other-bot' }, other),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    }
  });
});

describe('an authorization', () => {
  const ISSUER = { scope_kind: 'organization', permissions: ['agent.credential.issue'] } as const;

  test.each<[string, (id: string) => Promise<unknown>]>([
    [
      'is suspended',
      (id) => owner.http.call('PATCH', `/api/v1/members/${id}`, { body: { status: 'suspended' } }),
    ],
    ['is removed', (id) => owner.browser.delete(`/api/v1/members/${id}`)],
    [
      'loses the right to issue credentials',
      (id) => app.db('permission_policies').where({ membership_id: id }).delete(),
    ],
  ])('ends for good when the member who gave it %s', async (_what, lose) => {
    const member = await createMember(app, organization.id, { policies: [ISSUER] });
    const { user, secret } = await begun();
    expect((await authorize(user, undefined, member)).status).toBe(200);
    await lose(member.membershipId);
    expect(outcomeOf(await exchange(secret))).toEqual(NOT_FOUND);
    // Even when the member comes back.
    await app.db('memberships').where({ id: member.membershipId }).update({ status: 'active' });
    await grant(app.db, organization.id, { membershipId: member.membershipId, policy: ISSUER });
    expect(outcomeOf(await exchange(secret))).toEqual(NOT_FOUND);
    expect(await credentialsOf(user)).toEqual([]);
  });

  test('stays while its member keeps the right for that agent alone', async () => {
    const member = await createMember(app, organization.id, { policies: [ISSUER] });
    const { user, secret } = await begun();
    expect((await authorize(user, undefined, member)).status).toBe(200);
    await app
      .db('permission_policies')
      .where({ membership_id: member.membershipId })
      .update({ scope_kind: 'agent', resource_ids: ['deploy-bot'] });
    expect((await exchange(secret)).status).toBe(200);
  });

  /** Of the instance that was authorized with the code. */
  const credentialsOf = async (user: string): Promise<unknown[]> =>
    await app
      .db('agent_credentials as c')
      .join('agent_enrollments as e', 'e.agent_instance_id', 'c.agent_instance_id')
      .where({ 'e.user_code_hash': hashUserCode(user) })
      .pluck('c.id');
});
