/** Wrong passwords and codes are seen by those who read the audit log, at whichever door somebody tried them. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  createOrganization,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { accept, invited } from '../../support/scene/invitations.ts';
import {
  codeOf,
  createPerson,
  enroll,
  deleteAttempts,
  PASSWORD,
  SECRETS_KEY,
} from '../../support/scene/sign-in.ts';
import { until } from '../../support/waiting.ts';
import { idOf } from '../../support/tokens.ts';

const REFUSED = [401, 'invalid_credentials'];

let app: TestApp;
let organization: TestOrganization;
let member: TestMember;

beforeAll(async () => {
  app = await startApp({ environment: { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY } });
  organization = await createOrganization(app);
});

beforeEach(async () => {
  await deleteAttempts(app);
  member = await createPerson(app, organization.id);
});

afterAll(() => app.close());

interface FailureEvent {
  readonly event_type: string;
  readonly subject_id: string;
  readonly actor_type: string;
  readonly actor_id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The failures the audit log of the organization tells, once there are so many of this type. */
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

const from = { client_address: expect.any(String), user_agent: expect.any(String) };

test('proving again who one is, in the session, by a wrong password and by a wrong code', async () => {
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
    data: { membership_id: member.membershipId, reason, ...from },
  });
  const told = await failures(organization.id, 'session.reauthentication_failed', 2);
  expect(told).toHaveLength(2);
  expect(told).toEqual(expect.arrayContaining([event('wrong_password'), event('wrong_code')]));
});

test('changing the password, by a wrong current one', async () => {
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
      data: { membership_id: member.membershipId, reason: 'wrong_password', ...from },
    },
  ]);
});

test('accepting an invitation, by a wrong password and a wrong code: it is told where the invitation was sent from', async () => {
  const inviting = await createOrganization(app);
  const authenticator = await enroll(app, member);
  const { id, token } = await invited(inviting.owner, { email: member.email });
  expect(
    codeOf(await accept(app, token, { password: 'not the password', code: '123456' })),
  ).toEqual(REFUSED);
  expect(
    codeOf(await accept(app, token, { password: PASSWORD, code: await authenticator.wrongCode() })),
  ).toEqual(REFUSED);
  const event = (reason: string) => ({
    event_type: 'invitation.acceptance_failed',
    subject_id: id,
    actor_type: 'system',
    actor_id: null,
    data: { reason, ...from },
  });
  const told = await failures(inviting.id, 'invitation.acceptance_failed', 2);
  expect(told).toHaveLength(2);
  expect(told).toEqual(expect.arrayContaining([event('wrong_password'), event('wrong_code')]));
});

test('no event holds what was tried', async () => {
  const authenticator = await enroll(app, member);
  await authenticator.browser.post('/auth/reauthenticate', { password: 'a guess nobody makes' });
  await authenticator.browser.post('/auth/reauthenticate', { code: 'ABCD-EFGH-JKMN-PQRS' });
  const told = await failures(organization.id, 'session.reauthentication_failed', 2);
  expect(JSON.stringify(told)).not.toMatch(/a guess nobody makes|ABCD/);
});
