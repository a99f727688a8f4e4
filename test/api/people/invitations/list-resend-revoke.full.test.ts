/** Listing, resending and revoking invitations, on a deployment without email. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../../support/scene.ts';
import {
  createOrganization,
  type TestMember,
  type TestOrganization,
} from '../../../support/scene/factories.ts';
import type { ApiResponse } from '../../../support/http.ts';
import { everywhere } from '../../../support/scene/cast.ts';
import { outcome } from '../../../support/refusals.ts';
import {
  accept,
  ageSession,
  createInviter,
  expire,
  INVITATIONS,
  invitationEvents,
  invited,
  linkPath,
  tokenIn,
} from '../../../support/scene/invitations.ts';

const app = await appForFile();
let organization: TestOrganization;
let owner: TestMember;

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
});

const resend = (member: TestMember, id: string) =>
  member.browser.post(`${INVITATIONS}/${id}/resend`);
const statusOf = async (id: string) => {
  const { body } = await owner.browser.get(INVITATIONS);
  return (body['invitations'] as unknown as { id: string; status: string }[]).find(
    (invitation) => invitation.id === id,
  )?.status;
};

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

  test('finds a part of an email as it is written, whatever its case, and accepts a cursor only with that search', async () => {
    const mine = `${randomUUID()}.example.com`;
    const emails = [`Ada_1@${mine}`, `ada-1@${mine}`, `grace@${mine}`];
    for (const email of emails) await invited(owner, { email });
    const found = async (q: string, more = '') => {
      const { body } = await owner.http.get(`${INVITATIONS}?q=${encodeURIComponent(q)}${more}`);
      return (body['invitations'] as unknown as { email: string }[]).map(({ email }) => email);
    };
    expect(await found('aDA_1')).toEqual([`Ada_1@${mine}`]);
    expect(await found('%')).toEqual([]);
    expect(await found(mine.toUpperCase())).toEqual(emails.toReversed());
    expect(await found('ada', '&status=revoked')).toEqual([]);
    const first = await owner.http.get(`${INVITATIONS}?q=ada&limit=1`);
    const cursor = `&cursor=${String(first.body['next_cursor'])}`;
    expect(await found('ada', `&limit=1${cursor}`)).toEqual([`Ada_1@${mine}`]);
    const refused = ['q=grace&limit=1' + cursor, 'q=', `q=${'a'.repeat(101)}`, 'q=%00'];
    for (const query of refused)
      expect(outcome(await owner.http.get(`${INVITATIONS}?${query}`))).toBe(
        '400 validation_failed',
      );
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
    const sent: ApiResponse[] = [];
    for (let round = 0; round < 6; round += 1)
      sent.push(await resend(owner, round % 2 ? id.toUpperCase() : id));
    expect(sent.map(outcome)).toEqual([...Array<string>(5).fill('200'), '429 rate_limited']);
    expect(Number(sent[5]?.headers['retry-after'])).toBeGreaterThan(3_000);
    expect((await accept(app, tokenIn(sent[4] as ApiResponse))).status).toBe(201);
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
    expect(outcome(await resend(await createInviter(app, organization), id))).toBe(
      '403 grant_exceeds_own',
    );
    const colleague = await createInviter(app, organization, 'permission_policy.write');
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
