/** Inviting people and accepting invitations over HTTP, for several test files. */
import { randomUUID } from 'node:crypto';
import { hashTypedCode } from '../../../src/domain/sign-in/second-factors.ts';
import type { TestApp } from '../app.ts';
import { everywhere } from './cast.ts';
import { createMember, type Policy, type TestMember, type TestOrganization } from './factories.ts';
import type { ApiResponse } from '../http.ts';
import { outcome } from '../refusals.ts';
import { cheapHashOf } from './sign-in.ts';

export const INVITATIONS = '/api/v1/invitations';

export const PASSWORD = 'nine quiet herons at dusk';

export const newEmail = (): string => `invited-${randomUUID()}@example.com`;

export async function invite(
  inviter: TestMember,
  { email = newEmail(), policies = [] }: { email?: string; policies?: readonly Policy[] } = {},
): Promise<ApiResponse> {
  return await inviter.browser.post(INVITATIONS, { email, permission_policies: policies });
}

/** A member who may invite people and pass on these permissions. */
export const createInviter = (
  app: TestApp,
  { id }: TestOrganization,
  ...permissions: readonly string[]
): Promise<TestMember> =>
  createMember(app, id, { policies: [everywhere('membership.invite', ...permissions)] });

export interface Invited {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

/** Invites on a deployment without email; throws when refused. */
export async function invited(
  inviter: TestMember,
  options: { email?: string; policies?: readonly Policy[] } = {},
): Promise<Invited> {
  const response = await invite(inviter, options);
  if (response.status !== 201) throw new Error(`not invited: ${response.text}`);
  return {
    id: String(response.body['invitation']?.['id']),
    email: String(response.body['invitation']?.['email']),
    token: tokenIn(response),
  };
}

export function tokenIn(response: ApiResponse): string {
  return new URL(String(response.body['invite_url'])).pathname.split('/').at(-1) ?? '';
}

export const linkPath = (token: string): string => `/auth/invitations/${token}`;

/** A browser without a session accepts, by default as a new person. */
export async function accept(
  app: TestApp,
  token: string,
  body: unknown = { display_name: 'Grace Field', password: PASSWORD },
  cookie?: string,
): Promise<ApiResponse> {
  return await app.http.post(`${linkPath(token)}/accept`, body, {
    headers: {
      origin: app.url,
      'sec-fetch-site': 'same-origin',
      ...(cookie !== undefined && { cookie }),
    },
  });
}

/** The outcome of accepting with this link. */
export const acceptOutcome = async (
  app: TestApp,
  token: string,
  body?: object,
  cookie?: string,
): Promise<string> => outcome(await accept(app, token, body, cookie));

/** The id of the membership with which a person joined. */
export const membershipOf = (response: ApiResponse): string =>
  String(response.body['principal']?.['membership_id']);

export const membership = async (app: TestApp, id: string) =>
  (await app.db('memberships').where({ id }).first('status', 'admission_source')) as
    { status: string; admission_source: string } | undefined;

export async function setMembership(
  app: TestApp,
  { membershipId }: TestMember,
  change: object,
): Promise<void> {
  await app.db('memberships').where({ id: membershipId }).update(change);
}

export async function invitationEvents(
  app: TestApp,
  organization: TestOrganization,
  subjectId: string,
) {
  const rows = (await app
    .db('audit_events')
    .where({ organization_id: organization.id, subject_id: subjectId })
    .orderBy('sequence')
    .select('event_type', 'actor_id', 'actor_type', 'data')) as {
    event_type: string;
    actor_id: string;
    actor_type: string;
    data: string;
  }[];
  return rows.map(({ event_type: type, actor_id: actorId, actor_type: actorType, data }) => ({
    type,
    actorId,
    actorType,
    data: JSON.parse(data) as Record<string, unknown>,
  }));
}

/** Sets the age of the authentication in the member's newest session. */
export async function ageSession(app: TestApp, member: TestMember, minutes: number): Promise<void> {
  await app
    .db('sessions')
    .where({ membership_id: member.membershipId })
    .update({
      authenticated_at: app.db.raw(`clock_timestamp() - :minutes * interval '1 minute'`, {
        minutes,
      }),
    });
}

export async function expire(app: TestApp, invitationId: string): Promise<void> {
  await app
    .db('invitations')
    .where({ id: invitationId })
    .update({ expires_at: app.db.raw(`clock_timestamp() - interval '1 millisecond'`) });
}

/** A person with a password who was removed from the organization. */
export async function createRemovedMember(
  app: TestApp,
  { id }: TestOrganization,
  password: string,
): Promise<TestMember> {
  const member = await createMember(app, id, {
    status: 'deprovisioned',
    policies: [everywhere('webhook.write')],
  });
  await app
    .db('users')
    .where({ id: member.userId })
    .update({ password_hash: await cheapHashOf(password) });
  return member;
}

/** Gives the person a second factor with these recovery codes. */
export async function addSecondFactor(
  app: TestApp,
  { userId }: TestMember,
  ...codes: string[]
): Promise<void> {
  const now = new Date();
  await app.db('totp_factors').insert({
    user_id: userId,
    secret: Buffer.alloc(8),
    secret_key_id: 'none',
    created_at: now,
    confirmed_at: now,
  });
  for (const code of codes)
    await app.db('recovery_codes').insert({ user_id: userId, code_hash: hashTypedCode(code) });
}
