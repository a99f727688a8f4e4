/** The link of an invitation, what must still be true when a person accepts it, and the account of a new person. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { issueToken } from '../../../../src/platform/crypto/tokens.ts';
import { appForFile } from '../../../support/scene.ts';
import {
  createAgent,
  createOrganization,
  createTeam,
  grant,
  type TestMember,
  type TestOrganization,
  createMember,
} from '../../../support/scene/factories.ts';
import { everywhere } from '../../../support/scene/cast.ts';
import { outcome } from '../../../support/refusals.ts';
import {
  accept,
  acceptOutcome,
  createInviter,
  expire,
  INVITATIONS,
  invited,
  linkPath,
  membershipOf,
  newEmail,
  PASSWORD,
  setMembership,
  invitationEvents,
  membership,
} from '../../../support/scene/invitations.ts';
import { tokenParts } from '../../../support/tokens.ts';
import { type ApiResponse } from '../../../support/http.ts';

const app = await appForFile();
let organization: TestOrganization;
let owner: TestMember;

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
});

describe('the link', () => {
  test('shows the organization, the inviter, the expiry and whether the person has an account', async () => {
    const { email, token } = await invited(owner);
    const answer = await app.http.get(linkPath(token));
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(answer.body).toEqual({
      organization: { name: organization.slug },
      email,
      invited_by: { display_name: owner.displayName },
      expires_at: expect.any(String),
      account_exists: false,
    });
    const elsewhere = (await createOrganization(app)).owner;
    const known = await invited(owner, { email: elsewhere.email.toUpperCase() });
    expect((await app.http.get(linkPath(known.token))).body['account_exists']).toBe(true);
  });

  test('answers 404 when it is altered or the invitation is no longer pending', async () => {
    const [live, used, revoked, expired] = [
      await invited(owner),
      await invited(owner),
      await invited(owner),
      await invited(owner),
    ];
    await accept(app, used.token);
    await owner.browser.delete(`${INVITATIONS}/${revoked.id}`);
    await expire(app, expired.id);
    const { prefix, id, secret } = tokenParts(live.token);
    const dead = [
      used.token,
      revoked.token,
      expired.token,
      'nonsense',
      issueToken('whi').token,
      issueToken('whi', live.id).token,
      `whr_${id}_${secret}`,
      `${prefix}_${used.id}_${secret}`,
    ];
    for (const token of dead) {
      expect(outcome(await app.http.get(linkPath(token)))).toBe('404 not_found');
      expect(await acceptOutcome(app, token)).toBe('404 not_found');
    }
    expect((await app.http.get(linkPath(live.token))).status).toBe(200);
  });

  test('ends with the organization', async () => {
    const { token } = await invited(owner);
    await app.db('organizations').where({ id: organization.id }).update({ deleted_at: new Date() });
    expect(outcome(await app.http.get(linkPath(token)))).toBe('404 not_found');
    expect(await acceptOutcome(app, token)).toBe('404 not_found');
  });
});

describe('accepting an invitation', () => {
  const inviter = (...permissions: string[]) => createInviter(app, organization, ...permissions);

  test.each(['suspended', 'deprovisioned'])(
    'is refused while the inviter is %s',
    async (status) => {
      const sender = await inviter('webhook.read');
      const { token } = await invited(sender);
      await setMembership(app, sender, { status });
      expect(await acceptOutcome(app, token)).toBe('403 grant_exceeds_own');
      await setMembership(app, sender, { status: 'active' });
      expect((await accept(app, token)).status).toBe(201);
    },
  );

  test('is refused completely when the inviter lost one of the grants or may no longer invite', async () => {
    for (const lost of ['webhook.read', 'membership.invite']) {
      const sender = await inviter('webhook.read', 'agent.read');
      const email = newEmail();
      const { token } = await invited(sender, {
        email,
        policies: [everywhere('webhook.read'), everywhere('agent.read')],
      });
      await app.db.raw(
        'update permission_policies set permissions = array_remove(permissions, ?) where membership_id = ?',
        [lost, sender.membershipId],
      );
      const refused = await accept(app, token);
      expect(outcome(refused)).toBe('403 grant_exceeds_own');
      expect(refused.text).not.toContain('webhook.read');
      expect(await app.db('users').where({ email })).toEqual([]);
    }
  });

  test('to own the organization is refused when the inviter is no longer an owner', async () => {
    const { token } = await invited(owner, {
      policies: [{ scope_kind: 'organization', is_owner: true }],
    });
    await app.db('permission_policies').where({ membership_id: owner.membershipId }).delete();
    const policy = everywhere('membership.invite', 'organization.delete');
    await grant(app.db, organization.id, { membershipId: owner.membershipId, policy });
    expect(await acceptOutcome(app, token)).toBe('403 grant_exceeds_own');
  });

  test('grants nothing for teams and agents that were archived meanwhile', async () => {
    const [kept, archived] = [
      await createAgent(app, organization),
      await createAgent(app, organization),
    ];
    const team = await createTeam(app, organization.id);
    const { token } = await invited(owner, {
      policies: [
        {
          scope_kind: 'agent',
          resource_ids: [archived.slug, kept.slug],
          permissions: ['request.read'],
        },
        { scope_kind: 'team', resource_ids: [team], permissions: ['team.read'] },
      ],
    });
    await app
      .db('agents')
      .where({ organization_id: organization.id, slug: archived.slug })
      .update({ status: 'archived', archived_at: new Date() });
    await app.db('teams').where({ id: team }).update({ archived_at: new Date() });
    const answer = await accept(app, token);
    expect(answer.body['principal']?.['grants']).toEqual([
      { permission: 'request.read', scope_kind: 'agent', scope_id: kept.slug },
    ]);
    expect(
      await app.db('permission_policies').where({ membership_id: membershipOf(answer) }),
    ).toHaveLength(1);
  });
});

test('the log of joining contains neither link nor password', async () => {
  const { token } = await invited(owner);
  const before = app.log.length;
  await app.http.get(linkPath(token));
  await accept(app, token, { password: PASSWORD, display_name: randomUUID() });
  await accept(app, token);
  const logged = app.log.slice(before).join('');
  expect(logged).toContain('/auth/invitations/[secret]/accept');
  expect(logged).not.toContain(token.slice(-20));
  expect(logged).not.toContain(PASSWORD);
});

const sessionOf = (answer: ApiResponse) => answer.headers['set-cookie']?.split(';')[0] ?? '';

describe('a new person', () => {
  test('joins with a name and a password, is signed in at once and may do exactly what the invitation grants', async () => {
    const agent = await createAgent(app, organization);
    const { id, email, token } = await invited(owner, {
      policies: [
        everywhere('webhook.read'),
        { scope_kind: 'agent', resource_ids: [agent.slug], permissions: ['request.read'] },
      ],
    });
    const answer = await accept(app, token, { display_name: 'Grace Field', password: PASSWORD });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      user: { display_name: 'Grace Field', email, has_password: true },
      principal: {
        organization_id: organization.id,
        grants: [
          { permission: 'request.read', scope_kind: 'agent', scope_id: agent.slug },
          { permission: 'webhook.read', scope_kind: 'organization' },
        ],
        auth: { method: 'local_password', assurance: 'single_factor' },
      },
    });
    expect(answer.headers['set-cookie']).toMatch(
      /^service_session=whs_[^;]+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/,
    );
    const me = await app.http.get('/api/v1/me', { headers: { cookie: sessionOf(answer) } });
    expect(me.body).toEqual(answer.body);
    expect(await membership(app, membershipOf(answer))).toEqual({
      status: 'active',
      admission_source: 'invite',
    });
    const listed = (await owner.http.get(INVITATIONS)).body['invitations']?.[0];
    expect(listed).toMatchObject({
      id,
      status: 'accepted',
      accepted_membership_id: membershipOf(answer),
    });
    expect((await app.http.post('/auth/login', { email, password: PASSWORD })).status).toBe(200);
  });

  test('owns the organization when the invitation says so', async () => {
    const { token } = await invited(owner, {
      policies: [{ scope_kind: 'organization', is_owner: true }],
    });
    const answer = await accept(app, token);
    expect(answer.body['assignments']).toMatchObject([{ is_owner: true }]);
    expect(answer.body['principal']?.['permissions']).toContain('organization.delete');
  });

  test('leaves audit events of the acceptance, the membership and each policy with the inviter as granter', async () => {
    const { id, token } = await invited(owner, {
      policies: [everywhere('webhook.read'), everywhere('agent.read')],
    });
    const joined = membershipOf(await accept(app, token));
    const policies = (await app
      .db('permission_policies')
      .where({ membership_id: joined })
      .orderBy('id')
      .select('id', 'granted_by_actor_id')) as {
      id: string;
      granted_by_actor_id: string;
    }[];
    expect(policies.map(({ granted_by_actor_id: by }) => by)).toEqual([
      owner.membershipId,
      owner.membershipId,
    ]);
    const policyIds = policies.map((policy) => policy.id);
    expect((await invitationEvents(app, organization, id)).at(-1)).toEqual({
      type: 'invitation.accepted',
      actorId: joined,
      actorType: 'human',
      data: { membership_id: joined, permission_policy_ids: expect.arrayContaining(policyIds) },
    });
    expect(await invitationEvents(app, organization, joined)).toMatchObject([
      { type: 'membership.created', actorId: joined, data: { admission_source: 'invite' } },
    ]);
    for (const policyId of policyIds) {
      expect(await invitationEvents(app, organization, policyId)).toMatchObject([
        {
          type: 'permission_policy.created',
          actorId: joined,
          data: { granted_by_actor_id: owner.membershipId },
        },
      ]);
    }
  });

  test.each([
    ['no name', { password: PASSWORD }, '/display_name'],
    ['a blank name', { display_name: ' ', password: PASSWORD }, '/display_name'],
    ['no password', { display_name: 'Grace' }, '/password'],
    ['a short password', { display_name: 'Grace', password: 'too short' }, '/password'],
    [
      'a password over the longest length',
      { display_name: 'Grace', password: 'seven ravens '.repeat(10) },
      '/password',
    ],
    [
      'a password that is easy to guess',
      { display_name: 'Grace Margaret Field', password: 'gracemargaretfield' },
      '/password',
    ],
    [
      'unknown fields',
      { display_name: 'Grace', password: PASSWORD, email: 'x@example.com' },
      '/email',
    ],
  ])('is refused with %s and can try again', async (_what, body, pointer) => {
    const { token } = await invited(owner);
    const answer = await accept(app, token, body);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { details: { issues: [{ pointer }] } } },
    });
    expect((await accept(app, token)).status).toBe(201);
  });

  test('cannot join from a foreign page', async () => {
    const { token } = await invited(owner);
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const body = { display_name: 'Grace', password: PASSWORD };
    expect(outcome(await app.http.post(`${linkPath(token)}/accept`, body, { headers }))).toBe(
      '403 cross_site_request',
    );
  });

  test('loses the session that the browser had before', async () => {
    const { token } = await invited(owner);
    const other = await createMember(app, organization.id);
    const answer = await accept(
      app,
      token,
      { display_name: 'Grace', password: PASSWORD },
      other.cookie,
    );
    expect(answer.body['user']?.['display_name']).toBe('Grace');
    expect(outcome(await other.browser.get('/api/v1/me'))).toBe('401 authentication_required');
  });
});
