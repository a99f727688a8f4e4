/** Inviting people on a deployment without email: what it takes, who they can be, and seats. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../../support/scene.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  createTeam,
  type TestMember,
  type TestOrganization,
} from '../../../support/scene/factories.ts';
import { everywhere } from '../../../support/scene/cast.ts';
import { outcome } from '../../../support/refusals.ts';
import {
  accept,
  expire,
  INVITATIONS,
  invitationEvents,
  invite,
  invited,
  newEmail,
  tokenIn,
} from '../../../support/scene/invitations.ts';
import { secretOf } from '../../../support/tokens.ts';

const app = await appForFile({
  environment: {
    COUNTERSIGN_MAX_SEATS: '6',
    COUNTERSIGN_PUBLIC_URL: 'https://approvals.example.com',
  },
});
let organization: TestOrganization;
let owner: TestMember;

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
});

describe('an invitation', () => {
  test('is pending for seven days, holds the chosen grants for each scope, and comes with its link', async () => {
    const agents = [await createAgent(app, organization), await createAgent(app, organization)];
    const team = await createTeam(app, organization.id);
    const email = newEmail();
    const answer = await invite(owner, {
      email,
      policies: [
        everywhere('agent.read', 'webhook.read'),
        {
          scope_kind: 'agent',
          resource_ids: agents.map(({ slug }) => slug),
          permissions: ['request.read'],
        },
        { scope_kind: 'team', resource_ids: [team], permissions: ['team.read'] },
      ],
    });
    expect(answer.status).toBe(201);
    expect(answer.body['invitation']).toEqual({
      id: expect.any(String),
      organization_id: organization.id,
      email,
      grants: [
        { scope_kind: 'organization', permissions: ['agent.read', 'webhook.read'] },
        { scope_kind: 'agent', scope_id: agents[0]?.slug, permissions: ['request.read'] },
        { scope_kind: 'agent', scope_id: agents[1]?.slug, permissions: ['request.read'] },
        { scope_kind: 'team', scope_id: team, permissions: ['team.read'] },
      ],
      invited_by_membership_id: owner.membershipId,
      status: 'pending',
      expires_at: expect.any(String),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const { created_at: created, expires_at: expires } = answer.body[
      'invitation'
    ] as unknown as Record<string, string>;
    expect(Date.parse(expires ?? '') - Date.parse(created ?? '')).toBe(7 * 86_400_000);
    expect(answer.body['invite_url']).toBe(
      `https://approvals.example.com/invitations/${tokenIn(answer)}`,
    );
  });

  test('can grant nothing', async () => {
    expect((await invite(owner)).body['invitation']?.['grants']).toEqual([]);
  });

  test('stores only a hash of the secret, and neither the log nor the audit log has it', async () => {
    const { id, token } = await invited(owner);
    const secret = secretOf(token);
    const row: unknown = await app.db('invitations').where({ id }).first();
    const events = await invitationEvents(app, organization, id);
    expect(JSON.stringify([row, events, app.log])).not.toContain(secret);
  });

  test('leaves an audit event with the inviter, the email and the grants', async () => {
    const { id, email } = await invited(owner, { policies: [everywhere('agent.read')] });
    const terms = {
      scope_kind: 'organization',
      resource_ids: [],
      permissions: ['agent.read'],
      is_owner: false,
    };
    expect(await invitationEvents(app, organization, id)).toEqual([
      {
        type: 'invitation.created',
        actorId: owner.membershipId,
        actorType: 'human',
        data: { email, expires_at: expect.any(String), permission_policies: [terms] },
      },
    ]);
  });

  test('needs a browser session to invite and resend, while keys can list and revoke', async () => {
    const { id } = await invited(owner);
    expect(
      outcome(await owner.http.post(INVITATIONS, { email: newEmail(), permission_policies: [] })),
    ).toBe('403 session_required');
    expect(outcome(await owner.http.post(`${INVITATIONS}/${id}/resend`))).toBe(
      '403 session_required',
    );
    expect((await owner.http.get(INVITATIONS)).status).toBe(200);
    expect((await owner.http.delete(`${INVITATIONS}/${id}`)).status).toBe(204);
  });

  test.each([
    ['no email address', { email: 'nowhere', permission_policies: [] }, '/email'],
    ['two addresses', { email: 'a@b.com, c@d.com', permission_policies: [] }, '/email'],
    ['no host', { email: 'ada@a-.com', permission_policies: [] }, '/email'],
    ['no policies', { email: 'a@example.com' }, '/permission_policies'],
    [
      'an unknown permission',
      { email: 'a@example.com', permission_policies: [everywhere('agent.fly')] },
      '/permission_policies/0/permissions/0',
    ],
    [
      'a permission that no person can hold',
      {
        email: 'a@example.com',
        permission_policies: [everywhere('agent.read'), everywhere('request.create')],
      },
      '/permission_policies/1/permissions/0',
    ],
    [
      'an agent that does not exist',
      {
        email: 'a@example.com',
        permission_policies: [
          { scope_kind: 'agent', resource_ids: ['ghost'], permissions: ['agent.read'] },
        ],
      },
      '/permission_policies/0/resource_ids/0',
    ],
    [
      'permissions beside ownership',
      {
        email: 'a@example.com',
        permission_policies: [{ ...everywhere('agent.read'), is_owner: true }],
      },
      '/permission_policies/0/permissions',
    ],
  ])('with %s is refused at the field', async (_what, body, pointer) => {
    const answer = await owner.browser.post(INVITATIONS, body);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: 'validation_failed', details: { issues: [{ pointer }] } } },
    });
  });
});

describe('people who are members or invited already', () => {
  test.each(['active', 'suspended'])(
    'an %s member cannot be invited, whatever the case of the address',
    async (status) => {
      const member = await createMember(app, organization.id, { status });
      expect(outcome(await invite(owner, { email: member.email.toUpperCase() }))).toBe(
        '409 member_exists',
      );
    },
  );

  test('a removed member and a member of another organization can be invited', async () => {
    const removed = await createMember(app, organization.id, { status: 'deprovisioned' });
    const other = (await createOrganization(app)).owner;
    expect((await invite(owner, { email: removed.email })).status).toBe(201);
    expect((await invite(owner, { email: other.email })).status).toBe(201);
  });

  test('a person removed by the directory cannot be invited', async () => {
    const removed = await createMember(app, organization.id, { status: 'deprovisioned' });
    await app
      .db('memberships')
      .where({ id: removed.membershipId })
      .update({ directory_managed: true });
    expect(outcome(await invite(owner, { email: removed.email }))).toBe('409 directory_managed');
  });

  test('a second invitation must wait until the first is revoked or expired', async () => {
    const first = await invited(owner);
    const again = () => invite(owner, { email: first.email.toUpperCase() });
    expect(outcome(await again())).toBe('409 invitation_pending');
    await expire(app, first.id);
    const second = await again();
    expect(second.status).toBe(201);
    expect(outcome(await again())).toBe('409 invitation_pending');
    await owner.browser.delete(`${INVITATIONS}/${String(second.body['invitation']?.['id'])}`);
    expect((await again()).status).toBe(201);
  });

  test('an invitation of another organization does not count', async () => {
    const { email } = await invited(owner);
    const { owner: stranger } = await createOrganization(app);
    expect((await invite(stranger, { email })).status).toBe(201);
  });
});

describe('seats', () => {
  test('are taken by members and pending invitations but not by removed members, and a refusal has the count', async () => {
    await createMember(app, organization.id, { status: 'suspended' });
    await createMember(app, organization.id, { status: 'deprovisioned' });
    const [first, second] = [await invited(owner), await invited(owner)];
    for (let taken = 4; taken < 6; taken++) await invited(owner);
    const refused = await invite(owner);
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({
      error: { code: 'seat_limit_reached', details: { dimension: 'seats', limit: 6, used: 6 } },
    });
    await expire(app, first.id);
    expect((await invite(owner)).status).toBe(201);
    expect(outcome(await invite(owner))).toBe('409 seat_limit_reached');
    await owner.browser.delete(`${INVITATIONS}/${second.id}`);
    expect((await invite(owner)).status).toBe(201);
  });

  test('are counted once: accepting takes the seat that the invitation held', async () => {
    const { token } = await invited(owner);
    for (let taken = 2; taken < 6; taken++) await invited(owner);
    expect((await accept(app, token)).status).toBe(201);
    expect(outcome(await invite(owner))).toBe('409 seat_limit_reached');
  });
});
