/** Removing a second factor: your own, and one that a member lost. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  createMember,
  createOrganization,
  type TestMember,
} from '../../../support/scene/factories.ts';
import type { HttpClient } from '../../../support/http.ts';
import {
  browserWith,
  codeOf,
  cookieOf,
  createPerson,
  enroll,
  deleteAttempts,
  login,
} from '../../../support/scene/sign-in.ts';
import { mfaScene } from './mfa-scene.ts';

const { app, makeStale, organization, requireMfa, state } = await mfaScene();
let member: TestMember;

const eventsOf = async (membershipId: string) => {
  const events = (await app
    .db('audit_events')
    .where({ subject_type: 'membership', subject_id: membershipId })
    .orderBy('sequence')) as {
    event_type: string;
    actor_id: string;
  }[];
  return events.map(({ event_type, actor_id }) => [event_type, actor_id]);
};

beforeEach(async () => {
  await deleteAttempts(app);
  await requireMfa(false);
  member = await createPerson(app, organization.id);
});

describe('removing your own second factor', () => {
  const remove = (browser: HttpClient) => browser.delete('/api/v1/me/mfa/totp');

  test('also deletes the recovery codes, and can be repeated', async () => {
    const { browser } = await enroll(app, member);
    for (let round = 0; round < 2; round += 1) expect((await remove(browser)).status).toBe(204);
    expect(await state(browser)).toEqual({
      required: false,
      totp: { enrolled: false, confirmed_at: null },
      recovery_codes_left: 0,
    });
    expect(await app.db('recovery_codes').where({ user_id: member.userId })).toEqual([]);
    expect((await login(app, member)).status).toBe(200);
    expect(await eventsOf(member.membershipId)).toEqual(
      [
        'membership.mfa_enrollment_started',
        'membership.mfa_enrolled',
        'membership.mfa_removed',
      ].map((type) => [type, member.membershipId]),
    );
  });

  test('needs a recent and strong session, whether or not the organization requires one', async () => {
    const { browser } = await enroll(app, member);
    await app
      .db('sessions')
      .where({ membership_id: member.membershipId })
      .update({ assurance: 'single_factor' });
    expect(codeOf(await remove(browser))).toEqual([403, 'mfa_required']);
    await app
      .db('sessions')
      .where({ membership_id: member.membershipId })
      .update({ assurance: 'strong' });
    await makeStale(member.membershipId);
    expect(codeOf(await remove(browser))).toEqual([403, 'reauthentication_required']);
    expect((await login(app, member)).status).toBe(202);
  });
});

describe('removing a second factor that a member lost', () => {
  const ADMINISTRATOR = [
    { scope_kind: 'organization', permissions: ['membership.read', 'membership.write'] },
  ] as const;
  const take = (browser: HttpClient, membershipId: string) =>
    browser.delete(`/api/v1/members/${membershipId}/mfa`);
  let administrator: TestMember;

  beforeEach(async () => {
    administrator = await createMember(app, organization.id, { policies: ADMINISTRATOR });
  });

  test("ends the member's sessions, keeps their password, and can be repeated", async () => {
    const { browser } = await enroll(app, member);
    const bystander = await enroll(app, await createPerson(app, organization.id));
    expect((await take(administrator.browser, member.membershipId)).status).toBe(204);
    expect((await browser.get('/api/v1/me')).status).toBe(401);
    const signedIn = await login(app, member);
    expect([signedIn.status, signedIn.body['principal']?.['auth']]).toMatchObject([
      200,
      { assurance: 'single_factor' },
    ]);
    expect(await app.db('recovery_codes').where({ user_id: member.userId })).toEqual([]);
    expect((await take(administrator.browser, member.membershipId)).status).toBe(204);
    expect((await browserWith(app, cookieOf(signedIn)).get('/api/v1/me')).status).toBe(200);
    expect((await state(bystander.browser))['totp']).toMatchObject({ enrolled: true });
    const taken = (await eventsOf(member.membershipId)).filter(
      ([type]) => type === 'membership.mfa_removed',
    );
    expect(taken).toEqual([['membership.mfa_removed', administrator.membershipId]]);
    const ended = await app
      .db('audit_events')
      .where({ event_type: 'session.revoked', actor_id: administrator.membershipId });
    expect(ended).toHaveLength(1);
  });

  test('needs a recent session, and a second factor where the organization requires one', async () => {
    await enroll(app, member);
    await requireMfa(true);
    expect(codeOf(await take(administrator.browser, member.membershipId))).toEqual([
      403,
      'mfa_required',
    ]);
    await requireMfa(false);
    await makeStale(administrator.membershipId);
    expect(codeOf(await take(administrator.browser, member.membershipId))).toEqual([
      403,
      'reauthentication_required',
    ]);
    expect((await login(app, member)).status).toBe(202);
  });

  test('needs all permissions of the member, because the password alone would then sign in as them', async () => {
    const policy = {
      scope_kind: 'agent',
      resource_ids: ['deploy-bot'],
      permissions: ['request.decide', 'request.read'],
    } as const;
    const decider = await createPerson(app, organization.id, { policies: [policy] });
    await enroll(app, decider);
    const refused = await take(administrator.browser, decider.membershipId);
    expect(codeOf(refused)).toEqual([403, 'grant_exceeds_own']);
    expect(refused.body['error']?.['details']?.['grants']).toEqual(
      policy.permissions.map((permission) => ({
        permission,
        scope_kind: 'agent',
        scope_id: 'deploy-bot',
      })),
    );
    expect((await login(app, decider)).status).toBe(202);
    const wider = [
      {
        scope_kind: 'organization',
        permissions: ['membership.write', 'request.decide', 'request.read'],
      },
    ] as const;
    const colleague = await createMember(app, organization.id, { policies: wider });
    expect((await take(colleague.browser, decider.membershipId)).status).toBe(204);
    await deleteAttempts(app);
    expect((await login(app, decider)).status).toBe(200);
  });

  test('is for owners when the member is an owner, and never for yourself', async () => {
    const owner = await createMember(app, organization.id, {
      policies: [{ scope_kind: 'organization', is_owner: true }],
    });
    const { browser } = await enroll(app, owner);
    expect(codeOf(await take(administrator.browser, owner.membershipId))).toEqual([
      403,
      'owner_required',
    ]);
    expect(codeOf(await take(browser, owner.membershipId))).toEqual([403, 'self_change']);
    expect(codeOf(await take(browser, owner.membershipId.toUpperCase()))).toEqual([
      403,
      'self_change',
    ]);
    expect((await state(browser))['totp']).toMatchObject({ enrolled: true });
    expect((await take(organization.owner.browser, owner.membershipId)).status).toBe(204);
  });

  test('finds no members of other organizations and no removed ones', async () => {
    const elsewhere = await createOrganization(app);
    const stranger = await createPerson(app, elsewhere.id);
    const authenticator = await enroll(app, stranger);
    expect(codeOf(await take(administrator.browser, stranger.membershipId))).toEqual([
      404,
      'not_found',
    ]);
    expect(codeOf(await take(administrator.browser, randomUUID()))).toEqual([404, 'not_found']);
    expect(codeOf(await take(administrator.browser, 'unknown'))).toEqual([404, 'not_found']);
    expect((await state(authenticator.browser))['totp']).toMatchObject({ enrolled: true });
    await app
      .db('memberships')
      .where({ id: member.membershipId })
      .update({ status: 'deprovisioned' });
    expect(codeOf(await take(administrator.browser, member.membershipId))).toEqual([
      409,
      'membership_removed',
    ]);
  });
});
