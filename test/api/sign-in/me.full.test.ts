import { describe, expect, test } from '@jest/globals';
import {
  isServedBy,
  permissions,
  type Permission,
} from '../../../src/domain/people/permissions.ts';
import { scene } from '../../support/scene.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  grant,
  type TestOrganization,
} from '../../support/scene/factories.ts';

const humanPermissions = permissions
  .filter(({ holders }) => holders.includes('human'))
  .map(({ key }) => key as string)
  .sort();
/** Hosted permissions have no effect in the open edition. */
const effective = humanPermissions.filter((key) => isServedBy('open', key as Permission));
const HOUR = 3_600_000;
const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const { app, organization } = await scene();

describe('GET /me', () => {
  test('shows an owner with every permission that people can hold, everywhere', async () => {
    const { owner } = organization;
    const { status, body } = await owner.browser.get('/api/v1/me');
    expect(status).toBe(200);
    expect(body).toEqual({
      principal: {
        actor_type: 'human',
        actor_id: owner.membershipId,
        organization_id: organization.id,
        membership_id: owner.membershipId,
        permissions: effective,
        grants: effective.map((permission) => ({ permission, scope_kind: 'organization' })),
        team_ids: [],
        auth: {
          method: 'local_password',
          assurance: 'single_factor',
          authenticated_at: INSTANT,
          session_id: UUID,
        },
      },
      user: { display_name: owner.displayName, email: owner.email, has_password: false },
      organization: { name: organization.slug, slug: organization.slug },
      assignments: [
        {
          id: UUID,
          organization_id: organization.id,
          principal_kind: 'membership',
          principal_id: owner.membershipId,
          scope_kind: 'organization',
          scope_name: organization.slug,
          source: 'manual',
          created_at: INSTANT,
          permissions: effective,
          is_owner: true,
          permission_policy_id: UUID,
        },
      ],
      onboarding: { required: true, completed_at: null },
      session: { expires_at: INSTANT, idle_expires_at: INSTANT, fresh_until: INSTANT },
      settings: { claim_timeout: '15m', require_mfa: false },
    });
  });

  test('and no other answer of the open edition names a hosted permission as held', async () => {
    const { owner } = organization;
    const hosted = humanPermissions.filter((key) => !effective.includes(key));
    expect(hosted).toContain('audit.read');
    const answers = [
      await owner.browser.get('/api/v1/me'),
      await owner.browser.get('/api/v1/members'),
      await owner.browser.get(`/api/v1/members/${owner.membershipId}`),
      await owner.browser.post('/api/v1/invitations', {
        email: 'next-owner@example.com',
        permission_policies: [{ scope_kind: 'organization', permissions: [], is_owner: true }],
      }),
      await owner.browser.get('/api/v1/invitations'),
    ];
    for (const { status, text } of answers) {
      expect(status).toBeLessThan(300);
      expect(text).toContain('request.decide');
      expect(hosted.filter((key) => text.includes(key))).toEqual([]);
    }
  });

  test('shows one assignment for each agent of a policy', async () => {
    const [first, second] = [
      await createAgent(app, organization),
      await createAgent(app, organization),
    ];
    const slugs = [first.slug, second.slug].sort();
    const member = await createMember(app, organization.id, {
      policies: [
        {
          scope_kind: 'agent',
          resource_ids: slugs,
          permissions: ['request.read', 'request.decide'],
        },
        { scope_kind: 'organization', permissions: ['request.read'] },
      ],
    });
    const { body } = await member.browser.get('/api/v1/me');
    expect(body['principal']?.['permissions']).toEqual(['request.decide', 'request.read']);
    expect(body['principal']?.['grants']).toEqual([
      ...slugs.map((scope_id) => ({ permission: 'request.decide', scope_kind: 'agent', scope_id })),
      ...slugs.map((scope_id) => ({ permission: 'request.read', scope_kind: 'agent', scope_id })),
      { permission: 'request.read', scope_kind: 'organization' },
    ]);
    const assignments = [...(body['assignments'] ?? [])] as unknown as {
      id: string;
      permission_policy_id: string;
    }[];
    expect(assignments).toEqual([
      ...slugs.map((slug) =>
        expect.objectContaining({
          scope_kind: 'agent',
          scope_id: slug,
          scope_name: `Agent ${slug}`,
          permissions: ['request.decide', 'request.read'],
          is_owner: false,
        }),
      ),
      expect.objectContaining({
        scope_kind: 'organization',
        scope_name: organization.slug,
        permissions: ['request.read'],
      }),
    ]);
    expect(new Set(assignments.map(({ id }) => id)).size).toBe(3);
    expect(new Set(assignments.map((assignment) => assignment.permission_policy_id)).size).toBe(2);
    expect((await member.http.get('/api/v1/me')).body['assignments']).toEqual(body['assignments']);
  });

  test('shows the same person for a key, without the permissions that keys never carry', async () => {
    const { owner } = organization;
    const byKey = await owner.http.get('/api/v1/me');
    const bySession = await owner.browser.get('/api/v1/me');
    const carried = permissions
      .filter(({ key, holders }) => holders.includes('api_key') && isServedBy('open', key))
      .map(({ key }) => key as string);
    expect(byKey.body['principal']).toMatchObject({
      actor_type: 'human',
      membership_id: owner.membershipId,
      permissions: carried.sort(),
      auth: { method: 'api_key', assurance: 'single_factor', authenticated_at: INSTANT },
    });
    expect(Object.keys(byKey.body['principal']?.['auth'] ?? {})).not.toContain('session_id');
    expect(byKey.body).not.toHaveProperty('session');
    for (const part of ['user', 'organization', 'assignments', 'onboarding', 'settings'])
      expect(byKey.body[part]).toEqual(bySession.body[part]);
  });

  test('says when its session ends, and until when it is recent', async () => {
    const member = await createMember(app, organization.id);
    const at = (time: string) => Date.parse(time);
    await app
      .db('sessions')
      .where({ membership_id: member.membershipId })
      .update({
        authenticated_at: '2026-03-02T08:30:00.000Z',
        last_seen_at: new Date(Date.now() - 20 * HOUR),
        expires_at: new Date(Date.now() + 30 * HOUR),
      });
    const session = async (headers = {}) =>
      (await member.browser.get('/api/v1/me', { headers })).body['session'] as unknown as Record<
        'expires_at' | 'idle_expires_at' | 'fresh_until',
        string
      >;
    const asleep = await session({ 'service-background': '1' });
    expect(asleep.fresh_until).toBe('2026-03-02T08:45:00.000Z');
    expect(Math.round((at(asleep.idle_expires_at) - Date.now()) / HOUR)).toBe(4);
    expect(Math.round((at(asleep.expires_at) - Date.now()) / HOUR)).toBe(30);
    const used = await session();
    expect(Math.round((at(used.idle_expires_at) - Date.now()) / HOUR)).toBe(24);
  });

  test('never says that a session idles beyond its end', async () => {
    const member = await createMember(app, organization.id);
    await app
      .db('sessions')
      .where({ membership_id: member.membershipId })
      .update({ expires_at: new Date(Date.now() + HOUR) });
    const { session } = (await member.browser.get('/api/v1/me')).body;
    expect(session?.['idle_expires_at']).toBe(session?.['expires_at']);
  });

  test('shows the settings of the organization that members need', async () => {
    const other = await createOrganization(app);
    await app
      .db('organizations')
      .where({ id: other.id })
      .update({ claim_timeout_seconds: 5_400, require_mfa: true });
    expect((await other.owner.browser.get('/api/v1/me')).body['settings']).toEqual({
      claim_timeout: '90m',
      require_mfa: true,
    });
  });

  test('shows changed permissions at the next call', async () => {
    const member = await createMember(app, organization.id);
    const held = async () =>
      (await member.http.get('/api/v1/me')).body['principal']?.['permissions'];
    expect(await held()).toEqual([]);
    const policy = {
      scope_kind: 'organization',
      permissions: ['agent.read', 'no.such.permission'],
    } as const;
    await grant(app.db, organization.id, { membershipId: member.membershipId, policy });
    expect(await held()).toEqual(['agent.read']);
    await app.db('permission_policies').where({ membership_id: member.membershipId }).delete();
    expect(await held()).toEqual([]);
  });

  test('shows the guided setup only to people who can run it, until it is done', async () => {
    const other = await createOrganization(app);
    const onboarding = async (member: { browser: TestOrganization['owner']['browser'] }) =>
      (await member.browser.get('/api/v1/me')).body['onboarding'] as unknown;
    const member = await createMember(app, other.id, {
      policies: [{ scope_kind: 'organization', permissions: ['request.read'] }],
    });
    const setter = await createMember(app, other.id, {
      policies: [{ scope_kind: 'organization', permissions: ['organization.settings.write'] }],
    });
    expect([
      await onboarding(other.owner),
      await onboarding(setter),
      await onboarding(member),
    ]).toEqual([
      { required: true, completed_at: null },
      { required: true, completed_at: null },
      { required: false, completed_at: null },
    ]);
    const completed = '2026-03-01T12:00:00.000Z';
    await app
      .db('organizations')
      .where({ id: other.id })
      .update({ onboarding_completed_at: completed });
    expect(await onboarding(other.owner)).toEqual({ required: false, completed_at: completed });
  });

  test('reports whether the person has a password', async () => {
    const member = await createMember(app, organization.id);
    const hasPassword = async () =>
      (await member.http.get('/api/v1/me')).body['user']?.['has_password'];
    expect(await hasPassword()).toBe(false);
    await app.db('users').where({ id: member.userId }).update({ password_hash: '$argon2id$…' });
    expect(await hasPassword()).toBe(true);
  });
});
