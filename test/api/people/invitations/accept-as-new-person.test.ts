/** Accepting an invitation without an account: the new account, its access and its session. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../../support/scene.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  type TestMember,
  type TestOrganization,
} from '../../../support/scene/factories.ts';
import type { Answer } from '../../../support/http.ts';
import { everywhere } from '../../../support/scene/cast.ts';
import { outcome } from '../../../support/refusals.ts';
import {
  accept,
  INVITATIONS,
  invitationEvents,
  invited,
  linkPath,
  membership,
  membershipOf,
  PASSWORD,
} from '../../../support/scene/invitations.ts';

const app = await appForFile();
let organization: TestOrganization;
let owner: TestMember;

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
});

const sessionOf = (answer: Answer) => answer.headers['set-cookie']?.split(';')[0] ?? '';

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
