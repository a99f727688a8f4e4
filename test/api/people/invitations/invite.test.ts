/**
 * Inviting, resending and revoking, and what an invitation may grant, on a deployment without
 * email.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../../support/app.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  createTeam,
  grant,
  type TestMember,
  type TestOrganization,
} from '../../../support/scene/factories.ts';
import type { Answer } from '../../../support/http.ts';
import {
  accept,
  ageSession,
  everywhere,
  expire,
  INVITATIONS,
  invitationEvents,
  invite,
  invited,
  linkPath,
  newEmail,
  outcome,
  tokenIn,
} from '../../../support/scene/invitations.ts';
import { secretOf } from '../../../support/tokens.ts';

let app: TestApp;
let organization: TestOrganization;
let owner: TestMember;

beforeAll(async () => {
  app = await startApp({
    environment: {
      COUNTERSIGN_MAX_SEATS: '6',
      COUNTERSIGN_PUBLIC_URL: 'https://approvals.example.com',
    },
  });
});

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
});

afterAll(() => app.close());

const inviter = (...permissions: string[]) =>
  createMember(app, organization.id, {
    policies: [everywhere('membership.invite', ...permissions)],
  });
const resend = (member: TestMember, id: string) =>
  member.browser.post(`${INVITATIONS}/${id}/resend`);
const statusOf = async (id: string) => {
  const { body } = await owner.browser.get(INVITATIONS);
  return (body['invitations'] as unknown as { id: string; status: string }[]).find(
    (invitation) => invitation.id === id,
  )?.status;
};

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

describe('the grants of an invitation', () => {
  test('are limited to what the inviter holds at that scope or wider', async () => {
    const agent = await createAgent(app, organization);
    const member = await inviter();
    await grant(app.db, organization.id, {
      membershipId: member.membershipId,
      policy: { scope_kind: 'agent', resource_ids: [agent.slug], permissions: ['request.read'] },
    });
    const narrow = {
      scope_kind: 'agent',
      resource_ids: [agent.slug],
      permissions: ['request.read'],
    } as const;
    expect((await invite(member, { policies: [narrow] })).status).toBe(201);
    const wide = await invite(member, { policies: [narrow, everywhere('request.read')] });
    expect(wide).toMatchObject({
      status: 403,
      body: {
        error: {
          code: 'grant_exceeds_own',
          details: { grants: [{ permission: 'request.read', scope_kind: 'organization' }] },
        },
      },
    });
    expect(
      outcome(await invite(member, { policies: [{ ...narrow, permissions: ['agent.read'] }] })),
    ).toBe('403 grant_exceeds_own');
  });

  test('include what the inviter holds through teams', async () => {
    const member = await inviter();
    await createTeam(app, organization.id, {
      members: [member],
      policies: [everywhere('request.decide')],
    });
    expect((await invite(member, { policies: [everywhere('request.decide')] })).status).toBe(201);
  });

  test('include ownership only when the inviter is an owner', async () => {
    const policies = [{ scope_kind: 'organization', is_owner: true }] as const;
    expect(outcome(await invite(await inviter(), { policies }))).toBe('403 owner_required');
    const answer = await invite(owner, { policies });
    expect(answer.body['invitation']?.['grants']).toMatchObject([
      { scope_kind: 'organization', is_owner: true },
    ]);
    expect(answer.body['invitation']?.['grants']?.[0]?.['permissions']).toContain(
      'organization.delete',
    );
  });

  test('need recent authentication when they are dangerous or include ownership, and otherwise not', async () => {
    await ageSession(app, owner, 16);
    expect(
      outcome(await invite(owner, { policies: [everywhere('permission_policy.write')] })),
    ).toBe('403 reauthentication_required');
    expect(
      outcome(await invite(owner, { policies: [{ scope_kind: 'organization', is_owner: true }] })),
    ).toBe('403 reauthentication_required');
    expect((await invite(owner, { policies: [everywhere('request.decide')] })).status).toBe(201);
    await ageSession(app, owner, 14);
    expect(
      (await invite(owner, { policies: [everywhere('permission_policy.write')] })).status,
    ).toBe(201);
  });

  test('need a second factor when they are dangerous and the organization requires one', async () => {
    await app.db('organizations').where({ id: organization.id }).update({ require_mfa: true });
    const policies = [everywhere('connection.write')];
    expect(outcome(await invite(owner, { policies }))).toBe('403 mfa_required');
    expect((await invite(owner)).status).toBe(201);
    await app
      .db('sessions')
      .where({ membership_id: owner.membershipId })
      .update({ assurance: 'strong' });
    expect((await invite(owner, { policies })).status).toBe(201);
  });

  test('are refused completely: nothing of the invitation remains', async () => {
    const email = newEmail();
    await invite(await inviter(), { email, policies: [everywhere('request.read')] });
    expect((await owner.browser.get(INVITATIONS)).body['invitations']).toEqual([]);
    expect((await invite(owner, { email })).status).toBe(201);
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

describe('the list', () => {
  test('shows every status, newest first, page by page, and can be filtered', async () => {
    const pending = await invited(owner);
    const accepted = await invited(owner);
    const joined = await accept(app, accepted.token);
    const revoked = await invited(owner);
    await owner.browser.delete(`${INVITATIONS}/${revoked.id}`);
    const expired = await invited(owner);
    await expire(app, expired.id);
    const all = (await owner.http.get(INVITATIONS)).body['invitations'] as unknown as Record<
      string,
      unknown
    >[];
    expect(all.map(({ id, status, accepted_membership_id: by }) => [id, status, by])).toEqual([
      [expired.id, 'expired', undefined],
      [revoked.id, 'revoked', undefined],
      [accepted.id, 'accepted', joined.body['principal']?.['membership_id']],
      [pending.id, 'pending', undefined],
    ]);
    const first = (await owner.http.get(`${INVITATIONS}?limit=3`)).body;
    const second = (
      await owner.http.get(`${INVITATIONS}?limit=3&cursor=${String(first['next_cursor'])}`)
    ).body;
    expect([...(first['invitations'] ?? []), ...(second['invitations'] ?? [])]).toEqual(all);
    expect(second['next_cursor']).toBeUndefined();
    expect(
      (await owner.http.get(`${INVITATIONS}?status=expired`)).body['invitations'],
    ).toMatchObject([{ id: expired.id }]);
    const misused = await owner.http.get(
      `${INVITATIONS}?status=revoked&cursor=${String(first['next_cursor'])}`,
    );
    expect(misused).toMatchObject({
      status: 400,
      body: { error: { details: { issues: [{ pointer: '/query/cursor' }] } } },
    });
  });

  test('never shows a link again, nor invitations of other organizations', async () => {
    const { token } = await invited(owner);
    const { owner: stranger } = await createOrganization(app);
    const own = await owner.browser.get(INVITATIONS);
    expect(own.text).not.toContain(token.slice(-20));
    expect((await stranger.browser.get(INVITATIONS)).body['invitations']).toEqual([]);
  });
});

describe('resending', () => {
  test('makes a new link for seven days, also for an id in capitals, and the previous link is invalid at once', async () => {
    const before = await invited(owner);
    const soon = app.db.raw(`clock_timestamp() + interval '1 hour'`);
    await app.db('invitations').where({ id: before.id }).update({ expires_at: soon });
    const answer = await resend(owner, before.id.toUpperCase());
    expect(answer.status).toBe(200);
    const { updated_at: updated, expires_at: expires } = answer.body[
      'invitation'
    ] as unknown as Record<string, string>;
    expect(
      Math.abs(Date.parse(expires ?? '') - Date.parse(updated ?? '') - 7 * 86_400_000),
    ).toBeLessThan(60_000);
    expect(outcome(await app.http.get(linkPath(before.token)))).toBe('404 not_found');
    expect(outcome(await accept(app, before.token))).toBe('404 not_found');
    expect((await app.http.get(linkPath(tokenIn(answer)))).status).toBe(200);
    expect((await accept(app, tokenIn(answer))).status).toBe(201);
    const types = (await invitationEvents(app, organization, before.id)).map(({ type }) => type);
    expect(types).toEqual(['invitation.created', 'invitation.resent', 'invitation.accepted']);
  });

  test('is limited to five times an hour, and the last link still works', async () => {
    const { id } = await invited(owner);
    const sent: Answer[] = [];
    for (let round = 0; round < 6; round += 1)
      sent.push(await resend(owner, round % 2 ? id.toUpperCase() : id));
    expect(sent.map(outcome)).toEqual([...Array<string>(5).fill('200'), '429 rate_limited']);
    expect(Number(sent[5]?.headers['retry-after'])).toBeGreaterThan(3_000);
    expect((await accept(app, tokenIn(sent[4] as Answer))).status).toBe(201);
    expect((await resend(owner, (await invited(owner)).id)).status).toBe(200);
  });

  test("answers 404 for an invitation that is revoked, accepted, expired or another organization's", async () => {
    const [revoked, accepted, expired] = [
      await invited(owner),
      await invited(owner),
      await invited(owner),
    ];
    await owner.browser.delete(`${INVITATIONS}/${revoked.id}`);
    await accept(app, accepted.token);
    await expire(app, expired.id);
    const foreign = await invited((await createOrganization(app)).owner);
    for (const { id } of [revoked, accepted, expired, foreign, { id: randomUUID() }]) {
      expect(outcome(await resend(owner, id))).toBe('404 not_found');
    }
  });

  test('needs what granting needs now, and makes the caller the inviter', async () => {
    const { id } = await invited(owner, { policies: [everywhere('permission_policy.write')] });
    expect(outcome(await resend(await inviter(), id))).toBe('403 grant_exceeds_own');
    const colleague = await inviter('permission_policy.write');
    await ageSession(app, colleague, 16);
    expect(outcome(await resend(colleague, id))).toBe('403 reauthentication_required');
    await ageSession(app, colleague, 1);
    const sent = await resend(colleague, id);
    expect(sent.body['invitation']?.['invited_by_membership_id']).toBe(colleague.membershipId);
    await app
      .db('memberships')
      .where({ id: colleague.membershipId })
      .update({ status: 'suspended' });
    expect(outcome(await accept(app, tokenIn(sent)))).toBe('403 grant_exceeds_own');
    const owners = await resend(owner, id);
    expect((await accept(app, tokenIn(owners))).status).toBe(201);
  });
});

describe('revoking', () => {
  test('takes effect at once and permanently, and a repeat succeeds without another audit event', async () => {
    const { id, token } = await invited(owner);
    expect((await owner.http.delete(`${INVITATIONS}/${id}`)).status).toBe(204);
    expect((await owner.http.delete(`${INVITATIONS}/${id}`)).status).toBe(204);
    expect(await statusOf(id)).toBe('revoked');
    expect(outcome(await accept(app, token))).toBe('404 not_found');
    const events = await invitationEvents(app, organization, id);
    expect(events.slice(1)).toEqual([
      {
        type: 'invitation.revoked',
        actorId: owner.membershipId,
        actorType: 'api_key',
        data: { reason: 'manual', actor_api_key_id: owner.apiKeyId },
      },
    ]);
  });

  test("answers 404 for an invitation that is accepted, expired or another organization's", async () => {
    const [accepted, expired] = [await invited(owner), await invited(owner)];
    await accept(app, accepted.token);
    await expire(app, expired.id);
    const foreign = await invited((await createOrganization(app)).owner);
    for (const { id } of [accepted, expired, foreign, { id: randomUUID() }]) {
      expect(outcome(await owner.browser.delete(`${INVITATIONS}/${id}`))).toBe('404 not_found');
    }
    expect([await statusOf(accepted.id), await statusOf(expired.id)]).toEqual([
      'accepted',
      'expired',
    ]);
  });
});
