/** People with a password, their links by email, and what the audit log says of it. */
import { expect } from '@jest/globals';
import { startApp, type TestApp } from '../../../support/app.ts';
import { HttpClient, type Answer } from '../../../support/http.ts';
import {
  createMember,
  type TestMember,
  type TestOrganization,
} from '../../../support/scene/factories.ts';
import { cheapHashOf } from '../../../support/scene/sign-in.ts';
import { startMailServer, type MailServer } from '../../../support/servers/mail-server.ts';

export const OLD = 'seven bright ravens on a wire';
export const NEW = 'nine quiet herons by the weir';

/** The service, and the mail server that it sends to. */
export interface Mailing {
  readonly app: TestApp;
  readonly mail: MailServer;
}

export async function startMailing(): Promise<Mailing> {
  const mail = await startMailServer();
  const app = await startApp({
    environment: { SMTP_URL: mail.url, COUNTERSIGN_PUBLIC_URL: 'https://countersign.example/base' },
  });
  return { app, mail };
}

/** A member whose password is `OLD`. */
export async function createWithPassword(
  app: TestApp,
  organization: TestOrganization,
  status = 'active',
): Promise<TestMember> {
  const created = await createMember(app, organization.id, { status, displayName: 'Ada Marsh' });
  const password_hash = await cheapHashOf(OLD);
  await app.db('users').where({ id: created.userId }).update({ password_hash });
  const browser = new HttpClient(app.url, {
    cookie: created.cookie,
    origin: 'https://countersign.example',
    'sec-fetch-site': 'same-origin',
  });
  return { ...created, browser };
}

/** The same person in another organization, with a session there. */
export async function joinOther(
  app: TestApp,
  organizationId: string,
  { userId }: TestMember,
): Promise<TestMember> {
  const other = await createMember(app, organizationId);
  await app.db('memberships').where({ id: other.membershipId }).update({ user_id: userId });
  return { ...other, userId };
}

export const codeOf = ({ status, body }: Answer) => [status, body?.['error']?.['code']];

export const change = (by: TestMember, body: unknown) =>
  by.browser.call('PUT', '/api/v1/me/password', { body });

export async function passwordEventsOf(
  app: TestApp,
  { membershipId }: TestMember,
): Promise<string[]> {
  const rows = (await app
    .db('audit_events')
    .where({ subject_type: 'membership', subject_id: membershipId })
    .whereLike('event_type', 'membership.password%')
    .whereNot({ event_type: 'membership.password_change_failed' })
    .orderBy('sequence')
    .select('event_type')) as { event_type: string }[];
  return rows.map(({ event_type: type }) => type);
}

export const forgetPassword = (app: TestApp, email: string) =>
  app.http.post('/auth/password/forgot', { email });

/** The token of the link in the email number `count` to the member. */
export async function requestResetLink(
  { app, mail }: Mailing,
  { email }: TestMember,
  count = 1,
): Promise<string> {
  expect((await forgetPassword(app, email)).status).toBe(202);
  const { text } = await mail.mailTo(email, count);
  return /https:\/\/countersign\.example\/base\/password\/reset\/(\S+)/.exec(text)?.[1] ?? '';
}
