/** Accepting an invitation with an account: by its password, a second factor or a session. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { verifyPassword } from '../../../../src/platform/crypto/passwords.ts';
import { issueToken } from '../../../../src/platform/crypto/tokens.ts';
import { appForFile } from '../../../support/scene.ts';
import {
  createOrganization,
  createTeam,
  type TestMember,
  type TestOrganization,
} from '../../../support/scene/factories.ts';
import { everywhere } from '../../../support/scene/cast.ts';
import { outcome } from '../../../support/refusals.ts';
import {
  accept,
  acceptOutcome,
  addSecondFactor,
  ageSession,
  createRemovedMember,
  invitationEvents,
  invited,
  membership,
  membershipOf,
  PASSWORD,
  setMembership,
} from '../../../support/scene/invitations.ts';

const OTHER_PASSWORD = 'four slow barges upriver';

const app = await appForFile();
let organization: TestOrganization;
let owner: TestMember;

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
});

const removedMember = () => createRemovedMember(app, organization, OTHER_PASSWORD);
const passwordOf = async ({ userId }: TestMember) =>
  (await app.db('users').where({ id: userId }).pluck<string[]>('password_hash'))[0] ?? '';
const setSession = ({ membershipId }: TestMember, change: object) =>
  app.db('sessions').where({ membership_id: membershipId }).update(change);

describe('a person with an account', () => {
  test('never gets another password, and is not let in, by a name and a password', async () => {
    const removed = await removedMember();
    const { token } = await invited(owner, { email: removed.email });
    for (const password of [PASSWORD, OTHER_PASSWORD]) {
      expect(await acceptOutcome(app, token, { display_name: 'Mallory', password })).toBe(
        '409 account_exists',
      );
    }
    expect(await verifyPassword(OTHER_PASSWORD, await passwordOf(removed))).toBe(true);
    expect((await membership(app, removed.membershipId))?.status).toBe('deprovisioned');
  });

  test('rejoins by password after removal: with the same membership and none of its former access', async () => {
    const removed = await removedMember();
    const team = await createTeam(app, organization.id, {
      members: [removed],
      policies: [everywhere('agent.write')],
    });
    const { token } = await invited(owner, {
      email: removed.email.toUpperCase(),
      policies: [everywhere('webhook.read')],
    });
    expect(await acceptOutcome(app, token, { password: PASSWORD })).toBe('401 invalid_credentials');
    const answer = await accept(app, token, { password: OTHER_PASSWORD });
    expect(answer.status).toBe(201);
    expect(membershipOf(answer)).toBe(removed.membershipId);
    expect(answer.body['principal']?.['permissions']).toEqual(['webhook.read']);
    expect(answer.body['user']?.['display_name']).toBe(removed.displayName);
    expect(await membership(app, removed.membershipId)).toEqual({
      status: 'active',
      admission_source: 'invite',
    });
    expect(await app.db('team_members').where({ team_id: team })).toEqual([]);
    // Former credentials stay invalid.
    expect(outcome(await removed.browser.get('/api/v1/me'))).toBe('401 authentication_required');
    expect(outcome(await removed.http.get('/api/v1/me'))).toBe('401 authentication_required');
    expect(
      (await invitationEvents(app, organization, removed.membershipId)).map(({ type }) => type),
    ).toEqual(['membership.readmitted']);
  });

  test('must give a code when the account has a second factor, uses each code once and gets a strong session', async () => {
    const removed = await removedMember();
    await addSecondFactor(app, removed, '7KQ2-M3XA-9R0D-ZB5T', '8KQ2-M3XA-9R0D-ZB5T');
    const { id, token } = await invited(owner, { email: removed.email });
    expect(await acceptOutcome(app, token, { password: OTHER_PASSWORD })).toBe('403 mfa_required');
    expect(
      await acceptOutcome(app, token, { password: PASSWORD, code: '7KQ2-M3XA-9R0D-ZB5T' }),
    ).toBe('401 invalid_credentials');
    expect(
      await acceptOutcome(app, token, { password: OTHER_PASSWORD, code: '9KQ2-M3XA-9R0D-ZB5T' }),
    ).toBe('401 invalid_credentials');
    expect((await membership(app, removed.membershipId))?.status).toBe('deprovisioned');
    expect((await invitationEvents(app, organization, id)).map(({ type }) => type)).not.toContain(
      'invitation.accepted',
    );
    const answer = await accept(app, token, {
      password: OTHER_PASSWORD,
      code: '7kq2 m3xa 9r0d zb5t',
    });
    expect(answer.body['principal']?.['auth']).toMatchObject({
      method: 'local_password_totp',
      assurance: 'strong',
    });
    await setMembership(app, removed, { status: 'deprovisioned' });
    const again = await invited(owner, { email: removed.email });
    const used = { password: OTHER_PASSWORD, code: '7KQ2-M3XA-9R0D-ZB5T' };
    expect(await acceptOutcome(app, again.token, used)).toBe('401 invalid_credentials');
    expect((await accept(app, again.token, { ...used, code: '8KQ2-M3XA-9R0D-ZB5T' })).status).toBe(
      201,
    );
  });

  test('has ten attempts a minute', async () => {
    const removed = await removedMember();
    const { token } = await invited(owner, { email: removed.email });
    const outcomes: string[] = [];
    for (let guess = 0; guess < 11; guess++)
      outcomes.push(await acceptOutcome(app, token, { password: `guess ${guess}` }));
    expect(outcomes).toEqual([
      ...Array<string>(10).fill('401 invalid_credentials'),
      '429 rate_limited',
    ]);
    expect(await acceptOutcome(app, token, { password: OTHER_PASSWORD })).toBe('429 rate_limited');
  });

  test('needs a session when the account has no password', async () => {
    const { owner: elsewhere } = await createOrganization(app);
    const { token } = await invited(owner, { email: elsewhere.email });
    expect(await acceptOutcome(app, token, { password: PASSWORD })).toBe('401 invalid_credentials');
    expect((await accept(app, token, {}, elsewhere.cookie)).status).toBe(201);
  });

  test('joins with the session of the account, and keeps its time and assurance', async () => {
    const { owner: elsewhere } = await createOrganization(app);
    await setSession(elsewhere, { assurance: 'strong' });
    await ageSession(app, elsewhere, 30);
    const before = await elsewhere.browser.get('/api/v1/me');
    const { token } = await invited(owner, {
      email: elsewhere.email,
      policies: [everywhere('webhook.read')],
    });
    const answer = await accept(app, token, {}, elsewhere.cookie);
    expect(answer.status).toBe(201);
    expect(answer.body['principal']).toMatchObject({
      organization_id: organization.id,
      permissions: ['webhook.read'],
    });
    expect(membershipOf(answer)).not.toBe(elsewhere.membershipId);
    const { auth } = before.body['principal'] as unknown as { auth: Record<string, unknown> };
    expect(answer.body['principal']?.['auth']).toEqual({ ...auth, session_id: expect.any(String) });
  });

  test("is refused without a session, with an ended session and with another person's session", async () => {
    const { owner: elsewhere } = await createOrganization(app);
    const { token } = await invited(owner, { email: elsewhere.email });
    expect(await acceptOutcome(app, token, {})).toBe('401 authentication_required');
    expect(await acceptOutcome(app, token, {}, `service_session=${issueToken('whs').token}`)).toBe(
      '401 authentication_required',
    );
    expect(await acceptOutcome(app, token, {}, `service_session=${token}`)).toBe(
      '401 authentication_required',
    );
    expect(await acceptOutcome(app, token, {}, owner.cookie)).toBe('403 wrong_account');
    await setSession(elsewhere, { revoked_at: new Date() });
    expect(await acceptOutcome(app, token, {}, elsewhere.cookie)).toBe(
      '401 authentication_required',
    );
  });

  test('is refused as a member when they joined meanwhile, whatever their status', async () => {
    for (const status of ['active', 'suspended']) {
      const removed = await removedMember();
      const { token } = await invited(owner, { email: removed.email });
      await setMembership(app, removed, { status });
      expect(await acceptOutcome(app, token, { password: OTHER_PASSWORD })).toBe(
        '409 member_exists',
      );
      expect((await membership(app, removed.membershipId))?.status).toBe(status);
    }
  });

  test('cannot rejoin after the directory removed them', async () => {
    const removed = await removedMember();
    const { token } = await invited(owner, { email: removed.email });
    await setMembership(app, removed, { directory_managed: true });
    expect(await acceptOutcome(app, token, { password: OTHER_PASSWORD })).toBe(
      '409 directory_managed',
    );
  });
});
