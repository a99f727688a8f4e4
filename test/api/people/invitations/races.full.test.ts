/** Concurrent calls: each change of an invitation happens once, and the last seat is given once. */
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../../../../src/local/processes.ts';
import { appForFile } from '../../../support/scene.ts';
import {
  createMember,
  createOrganization,
  type TestMember,
  type TestOrganization,
} from '../../../support/scene/factories.ts';
import type { ApiResponse } from '../../../support/http.ts';
import { outcome } from '../../../support/refusals.ts';
import {
  accept,
  INVITATIONS,
  invite,
  invited,
  linkPath,
  newEmail,
  PASSWORD,
  tokenIn,
} from '../../../support/scene/invitations.ts';
import { cheapHashOf, deleteAttempts } from '../../../support/scene/sign-in.ts';
import { untilBlocked } from '../../../support/waiting.ts';
import { ROUNDS } from '../../../support/rounds.ts';

const app = await appForFile({ environment: { COUNTERSIGN_MAX_SEATS: '3' } });
let organization: TestOrganization;
let owner: TestMember;
let passwordHash: string;

beforeAll(async () => {
  passwordHash = await cheapHashOf(PASSWORD);
});

beforeEach(async () => {
  await deleteAttempts(app);
  organization = await createOrganization(app);
  owner = organization.owner;
});

const rounds = Array.from({ length: ROUNDS }, (_, round) => ({ round }));
const outcomes = (...answers: readonly ApiResponse[]) => answers.map(outcome).sort();
const resend = (id: string) => owner.browser.post(`${INVITATIONS}/${id}/resend`);
const revoke = (id: string) => owner.browser.delete(`${INVITATIONS}/${id}`);

async function statusOf(id: string): Promise<string> {
  const { body } = await owner.browser.get(INVITATIONS);
  return (
    (body['invitations'] as unknown as { id: string; status: string }[]).find(
      (invitation) => invitation.id === id,
    )?.status ?? ''
  );
}

/** Active members other than the owner. */
const joined = async () =>
  await app
    .db('memberships')
    .where({ organization_id: organization.id, status: 'active' })
    .whereNot({ id: owner.membershipId });

async function count(eventType: string): Promise<number> {
  return (
    await app.db('audit_events').where({ organization_id: organization.id, event_type: eventType })
  ).length;
}

describe.each(rounds)('round $round', () => {
  test('two concurrent accepts by a new person make one member', async () => {
    const { email, token } = await invited(owner);
    const answers = await Promise.all([accept(app, token), accept(app, token)]);
    expect(outcomes(...answers)).toEqual([
      '201',
      expect.stringMatching(/^(404 not_found|409 account_exists)$/),
    ]);
    expect(await joined()).toHaveLength(1);
    expect(await app.db('users').where({ email })).toHaveLength(1);
    expect(await count('invitation.accepted')).toBe(1);
  });

  test('two concurrent accepts by a removed member restore them once', async () => {
    const removed = await createMember(app, organization.id, { status: 'deprovisioned' });
    await app.db('users').where({ id: removed.userId }).update({ password_hash: passwordHash });
    const { token } = await invited(owner, { email: removed.email });
    const body = { password: PASSWORD };
    expect(
      outcomes(...(await Promise.all([accept(app, token, body), accept(app, token, body)]))),
    ).toEqual(['201', '404 not_found']);
    expect(await joined()).toMatchObject([{ id: removed.membershipId }]);
    expect(await count('membership.readmitted')).toBe(1);
  });

  test('of two concurrent invitations one gets the last seat', async () => {
    await invited(owner);
    expect(outcomes(await invite(owner), await invite(owner))).toEqual([
      '201',
      '409 seat_limit_reached',
    ]);
    await app.db('invitations').where({ organization_id: organization.id }).delete();
    await invited(owner);
    expect(outcomes(...(await Promise.all([invite(owner), invite(owner)])))).toEqual([
      '201',
      '409 seat_limit_reached',
    ]);
    expect(await app.db('invitations').where({ organization_id: organization.id })).toHaveLength(2);
  });

  test('one of a concurrent accept and revoke succeeds', async () => {
    const { id, token } = await invited(owner);
    const [accepted, revoked] = await Promise.all([accept(app, token), revoke(id)]);
    const won = outcome(accepted) === '201';
    expect([outcome(accepted), outcome(revoked)]).toEqual(
      won ? ['201', '404 not_found'] : ['404 not_found', '204'],
    );
    expect(await joined()).toHaveLength(won ? 1 : 0);
    expect(await statusOf(id)).toBe(won ? 'accepted' : 'revoked');
  });

  test('one of a concurrent accept and resend succeeds, and the other link is invalid', async () => {
    const { id, token } = await invited(owner);
    const [accepted, resent] = await Promise.all([accept(app, token), resend(id)]);
    const won = outcome(accepted) === '201';
    expect([outcome(accepted), outcome(resent)]).toEqual(
      won ? ['201', '404 not_found'] : ['404 not_found', '200'],
    );
    expect(await statusOf(id)).toBe(won ? 'accepted' : 'pending');
    expect((await app.http.get(linkPath(won ? token : tokenIn(resent)))).status).toBe(
      won ? 404 : 200,
    );
  });

  test('two concurrent resends leave one working link', async () => {
    const { id } = await invited(owner);
    const answers = await Promise.all([resend(id), resend(id)]);
    expect(outcomes(...answers)).toEqual(['200', '200']);
    const links = await Promise.all(
      answers.map((answer) => app.http.get(linkPath(tokenIn(answer)))),
    );
    expect(outcomes(...links)).toEqual(['200', '404 not_found']);
  });

  test('two concurrent invitations of one person leave one', async () => {
    const email = newEmail();
    const answers = await Promise.all([
      invite(owner, { email }),
      invite(owner, { email: email.toUpperCase() }),
    ]);
    expect(outcomes(...answers)).toEqual(['201', '409 invitation_pending']);
    expect(await app.db('invitations').where({ organization_id: organization.id })).toHaveLength(1);
  });
});

test("accepting reads the inviter's rights under the lock that changes them", async () => {
  const sender = await createMember(app, organization.id, {
    policies: [{ scope_kind: 'organization', permissions: ['membership.invite'] }],
  });
  const { token } = await invited(sender);
  const waiting = await app.db.transaction(async (trx) => {
    await trx.raw('select 1 from organizations where id = ? for no key update', [organization.id]);
    const answer = accept(app, token);
    // Before it waits for the lock it has read nothing that counts.
    expect(await eventually(someoneWaitsForLock, 60_000)).toBe(true);
    await trx('memberships').where({ id: sender.membershipId }).update({ status: 'suspended' });
    return { answer };
  });
  expect(outcome(await waiting.answer)).toBe('403 grant_exceeds_own');
});

test('an accept whose session ends during the wait is refused', async () => {
  const { owner: elsewhere } = await createOrganization(app);
  const { token } = await invited(owner, { email: elsewhere.email });
  const { answer } = await app.db.transaction(async (gate) => {
    await gate.raw('select 1 from organizations where id = ? for no key update', [organization.id]);
    const started = accept(app, token, {}, elsewhere.cookie);
    await untilBlocked(gate);
    await app
      .db('sessions')
      .where({ membership_id: elsewhere.membershipId })
      .update({ revoked_at: new Date() });
    return { answer: started };
  });
  expect(outcome(await answer)).toBe('401 authentication_required');
  expect(await joined()).toEqual([]);
});

/** Asks outside the transaction, where the answer can change. */
async function someoneWaitsForLock(): Promise<boolean> {
  const { rows } = await app.db.raw<{ rows: unknown[] }>(
    `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%organizations%'`,
  );
  return rows.length > 0;
}
