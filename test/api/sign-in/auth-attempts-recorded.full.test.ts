/** Guessing a second factor, and what wrong passwords and codes leave in the audit log. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { scene } from '../../support/scene.ts';
import { createOrganization, type TestMember } from '../../support/scene/factories.ts';
import { type ApiResponse } from '../../support/http.ts';
import {
  challengeOf,
  codeOf,
  createPerson,
  enroll,
  deleteAttempts,
  login,
  SECRETS_KEY,
  type Authenticator,
  PASSWORD,
} from '../../support/scene/sign-in.ts';
import { until } from '../../support/waiting.ts';
import { accept, invited } from '../../support/scene/invitations.ts';
import { idOf } from '../../support/tokens.ts';

const { app, organization } = await scene({
  app: { environment: { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY } },
});

beforeEach(() => deleteAttempts(app));

const REFUSED = [401, 'invalid_credentials'];

describe('guessing a second factor', () => {
  let member: TestMember;
  let authenticator: Authenticator;

  beforeEach(async () => {
    member = await createPerson(app, organization.id);
    authenticator = await enroll(app, member);
  });

  const complete = (token: string, code: string) => app.http.post('/auth/mfa', { token, code });

  test('counts together with sign-ins for the same email and address', async () => {
    const token = await challengeOf(app, member);
    const answers: ApiResponse[] = [];
    for (let round = 0; round < 10; round += 1)
      answers.push(await complete(token, await authenticator.wrongCode()));
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(9).fill(401), 429]);
    expect(codeOf(await login(app, member))).toEqual([429, 'rate_limited']);
  });

  test('the codes of one app is blocked for an hour after twenty tries, while recovery codes still work', async () => {
    for (let round = 0; round < 4; round += 1) {
      const token = await challengeOf(app, member);
      for (let guess = 0; guess < 5; guess += 1)
        expect(codeOf(await complete(token, await authenticator.wrongCode()))).toEqual(REFUSED);
      // From a new address each time.
      await app.db.raw(
        `delete from sign_in_attempts where window_ends_at < clock_timestamp() + interval '2 minutes'`,
      );
    }
    const token = await challengeOf(app, member);
    const stopped = await complete(token, await authenticator.freshCode());
    expect(codeOf(stopped)).toEqual([429, 'rate_limited']);
    expect(Number(stopped.headers['retry-after'])).toBeGreaterThan(3_000);
    expect(stopped.body['error']?.['message']).toContain('use a recovery code');
    expect((await complete(token, authenticator.recoveryCodes[0] ?? '')).status).toBe(200);
    await app.db('sign_in_attempts').update({ window_ends_at: new Date(Date.now() - 1) });
    expect(
      (await complete(await challengeOf(app, member), await authenticator.freshCode())).status,
    ).toBe(200);
  });

  test('stops counting after a correct code', async () => {
    for (let round = 0; round < 3; round += 1) {
      await app.db.raw(
        `delete from sign_in_attempts where window_ends_at < clock_timestamp() + interval '2 minutes'`,
      );
      const token = await challengeOf(app, member);
      for (let guess = 0; guess < 4; guess += 1)
        await complete(token, await authenticator.wrongCode());
      expect((await complete(token, await authenticator.freshCode())).status).toBe(200);
    }
    const windows = await app
      .db('sign_in_attempts')
      .where('window_ends_at', '>', new Date(Date.now() + 120_000));
    expect(windows).toEqual([]);
  });

  test('leaves an event for the known email, without an actor, with the source address', async () => {
    await complete(await challengeOf(app, member), await authenticator.wrongCode());
    await app.http.post('/auth/login', { email: member.email, password: 'not the password' });
    await app.http.post('/auth/login', {
      email: 'unknown@example.com',
      password: 'not the password',
    });
    const failed = { event_type: 'session.sign_in_failed', subject_id: member.membershipId };
    const events = () =>
      app
        .db('audit_events')
        .where(failed)
        .orderBy('sequence')
        .select<{ actor_id: string | null; data: string }[]>('actor_id', 'data');
    await until('both failures are on record', async () => (await events()).length >= 2);
    const shown = (await events()).map(({ actor_id, data }) => [
      actor_id,
      JSON.parse(data) as { client_address: string },
    ]);
    const common = {
      membership_id: member.membershipId,
      client_address: expect.stringContaining('127.0.0.1'),
    };
    expect(shown).toMatchObject([
      [null, { ...common, reason: 'wrong_code' }],
      [null, { ...common, reason: 'wrong_password' }],
    ]);
  });
});

describe('in the audit log', () => {
  let member: TestMember;

  beforeEach(async () => {
    member = await createPerson(app, organization.id);
  });

  interface FailureEvent {
    readonly event_type: string;
    readonly subject_id: string;
    readonly actor_type: string;
    readonly actor_id: string | null;
    readonly data: Readonly<Record<string, unknown>>;
  }

  /** The failures in the audit log of the organization, once there are `count` of this type. */
  async function failures(
    organizationId: string,
    eventType: string,
    count: number,
  ): Promise<FailureEvent[]> {
    const stored = app
      .db('audit_events')
      .where({ organization_id: organizationId, event_type: eventType })
      .orderBy('sequence')
      .select('event_type', 'subject_id', 'actor_type', 'actor_id', 'data');
    let found: (Omit<FailureEvent, 'data'> & { readonly data: string })[] = [];
    await until(`${count} events ${eventType}`, async () => {
      found = (await stored.clone()) as typeof found;
      return found.length >= count;
    });
    return found.map((event) => ({
      ...event,
      data: JSON.parse(event.data) as Record<string, unknown>,
    }));
  }

  const sentBy = { client_address: expect.any(String), user_agent: expect.any(String) };

  test('failed re-authentication by password and by code is recorded', async () => {
    const authenticator = await enroll(app, member);
    const prove = async (body: unknown) =>
      codeOf(await authenticator.browser.post('/auth/reauthenticate', body));
    expect(await prove({ password: 'not the password' })).toEqual(REFUSED);
    expect(await prove({ password: PASSWORD, code: await authenticator.wrongCode() })).toEqual(
      REFUSED,
    );
    const event = (reason: string) => ({
      event_type: 'session.reauthentication_failed',
      subject_id: idOf(authenticator.cookie),
      actor_type: 'human',
      actor_id: member.membershipId,
      data: { membership_id: member.membershipId, reason, ...sentBy },
    });
    const recorded = await failures(organization.id, 'session.reauthentication_failed', 2);
    expect(recorded).toHaveLength(2);
    expect(recorded).toEqual(
      expect.arrayContaining([event('wrong_password'), event('wrong_code')]),
    );
  });

  test('a password change with a wrong current password is recorded', async () => {
    const body = {
      current_password: 'not the password',
      new_password: 'nine quiet herons by the weir',
    };
    expect(codeOf(await member.browser.call('PUT', '/api/v1/me/password', { body }))).toEqual(
      REFUSED,
    );
    expect(await failures(organization.id, 'membership.password_change_failed', 1)).toEqual([
      {
        event_type: 'membership.password_change_failed',
        subject_id: member.membershipId,
        actor_type: 'human',
        actor_id: member.membershipId,
        data: { membership_id: member.membershipId, reason: 'wrong_password', ...sentBy },
      },
    ]);
  });

  test('accepting an invitation with a wrong password or code is recorded in the inviting organization', async () => {
    const inviting = await createOrganization(app);
    const authenticator = await enroll(app, member);
    const { id, token } = await invited(inviting.owner, { email: member.email });
    expect(
      codeOf(await accept(app, token, { password: 'not the password', code: '123456' })),
    ).toEqual(REFUSED);
    expect(
      codeOf(
        await accept(app, token, { password: PASSWORD, code: await authenticator.wrongCode() }),
      ),
    ).toEqual(REFUSED);
    const event = (reason: string) => ({
      event_type: 'invitation.acceptance_failed',
      subject_id: id,
      actor_type: 'system',
      actor_id: null,
      data: { reason, ...sentBy },
    });
    const recorded = await failures(inviting.id, 'invitation.acceptance_failed', 2);
    expect(recorded).toHaveLength(2);
    expect(recorded).toEqual(
      expect.arrayContaining([event('wrong_password'), event('wrong_code')]),
    );
  });

  test('no event contains what was typed', async () => {
    const authenticator = await enroll(app, member);
    await authenticator.browser.post('/auth/reauthenticate', { password: 'an unlikely guess' });
    await authenticator.browser.post('/auth/reauthenticate', { code: 'ABCD-EFGH-JKMN-PQRS' });
    const recorded = await failures(organization.id, 'session.reauthentication_failed', 2);
    expect(JSON.stringify(recorded)).not.toMatch(/an unlikely guess|ABCD-?EFGH/);
  });
});
