/** Wrong passwords and codes in the audit log: of re-authentication, password changes and invitations. */
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
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
import { idOf } from '../../support/tokens.ts';
import { until } from '../../support/waiting.ts';

const app = await appForFile({ environment: { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY } });
let organization: TestOrganization;

beforeAll(async () => {
  organization = await createOrganization(app);
});

beforeEach(() => deleteAttempts(app));

const REFUSED = [401, 'invalid_credentials'];

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
