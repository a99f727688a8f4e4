/** What an invitation may grant, by what its inviter holds and how they authenticated. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../../support/scene.ts';
import {
  createAgent,
  createOrganization,
  createTeam,
  grant,
  type TestMember,
  type TestOrganization,
} from '../../../support/scene/factories.ts';
import { everywhere } from '../../../support/scene/cast.ts';
import { outcome } from '../../../support/refusals.ts';
import {
  ageSession,
  createInviter,
  INVITATIONS,
  invite,
  newEmail,
} from '../../../support/scene/invitations.ts';

const app = await appForFile();
let organization: TestOrganization;
let owner: TestMember;

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
});

describe('the grants of an invitation', () => {
  test('are limited to what the inviter holds at that scope or wider', async () => {
    const agent = await createAgent(app, organization);
    const member = await createInviter(app, organization);
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
    const member = await createInviter(app, organization);
    await createTeam(app, organization.id, {
      members: [member],
      policies: [everywhere('request.decide')],
    });
    expect((await invite(member, { policies: [everywhere('request.decide')] })).status).toBe(201);
  });

  test('include ownership only when the inviter is an owner', async () => {
    const policies = [{ scope_kind: 'organization', is_owner: true }] as const;
    expect(outcome(await invite(await createInviter(app, organization), { policies }))).toBe(
      '403 owner_required',
    );
    const answer = await invite(owner, { policies });
    expect(answer.body['invitation']?.['grants']).toMatchObject([
      { scope_kind: 'organization', is_owner: true },
    ]);
    expect(answer.body['invitation']?.['grants']?.[0]?.['permissions']).toContain(
      'organization.delete',
    );
  });

  test('need recent authentication when they are dangerous, decide or include ownership, and otherwise not', async () => {
    await ageSession(app, owner, 16);
    expect(
      outcome(await invite(owner, { policies: [everywhere('permission_policy.write')] })),
    ).toBe('403 reauthentication_required');
    expect(
      outcome(await invite(owner, { policies: [{ scope_kind: 'organization', is_owner: true }] })),
    ).toBe('403 reauthentication_required');
    expect(outcome(await invite(owner, { policies: [everywhere('request.decide')] }))).toBe(
      '403 reauthentication_required',
    );
    expect((await invite(owner, { policies: [everywhere('request.read')] })).status).toBe(201);
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
    await invite(await createInviter(app, organization), {
      email,
      policies: [everywhere('request.read')],
    });
    expect((await owner.browser.get(INVITATIONS)).body['invitations']).toEqual([]);
    expect((await invite(owner, { email })).status).toBe(201);
  });
});
