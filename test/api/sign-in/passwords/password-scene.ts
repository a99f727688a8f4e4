/** People with a password, their links by email, and what the audit log says of it. */
import { afterAll, expect } from '@jest/globals';
import { startApp } from '../../../support/app.ts';
import { HttpClient } from '../../../support/http.ts';
import {
  createMember,
  createOrganization,
  type TestMember,
} from '../../../support/scene/factories.ts';
import { cheapHashOf, PASSWORD } from '../../../support/scene/sign-in.ts';
import { startMailServer } from '../../../support/servers/mail-server.ts';

export const OLD = PASSWORD;
export const NEW = 'nine quiet herons by the weir';

/** Call it at the top of a test file: the service with a mail server, an organization, and what people do with passwords. */
export async function passwordScene() {
  const mail = await startMailServer();
  const app = await startApp({
    environment: { SMTP_URL: mail.url, COUNTERSIGN_PUBLIC_URL: 'https://countersign.example' },
  });
  afterAll(async () => {
    await app.close();
    await mail.close();
  });
  const organization = await createOrganization(app);
  const forgot = (email: string) => app.http.post('/auth/password/forgot', { email });
  return {
    app,
    mail,
    organization,
    forgot,
    me: (cookie: string) => app.http.get('/api/v1/me', { headers: { cookie } }),
    signIn: (email: string, password: string) => app.http.post('/auth/login', { email, password }),
    reset: (token: string, password = NEW) =>
      app.http.post('/auth/password/reset', { token, password }),
    resetsOf: ({ userId }: TestMember) => app.db('password_resets').where({ user_id: userId }),

    /** A member whose password is `OLD`. */
    memberWithPassword: async (status = 'active'): Promise<TestMember> => {
      const created = await createMember(app, organization.id, {
        status,
        displayName: 'Ada Marsh',
      });
      const password_hash = await cheapHashOf(OLD);
      await app.db('users').where({ id: created.userId }).update({ password_hash });
      const browser = new HttpClient(app.url, {
        cookie: created.cookie,
        origin: 'https://countersign.example',
        'sec-fetch-site': 'same-origin',
      });
      return { ...created, browser };
    },

    /** The same person in another organization, with a session there. */
    alsoIn: async (organizationId: string, { userId }: TestMember): Promise<TestMember> => {
      const other = await createMember(app, organizationId);
      await app.db('memberships').where({ id: other.membershipId }).update({ user_id: userId });
      return { ...other, userId };
    },

    /** The types of the member's events about passwords, oldest first, without failed changes. */
    eventsOf: async ({ membershipId }: TestMember): Promise<string[]> => {
      const rows = (await app
        .db('audit_events')
        .where({ subject_type: 'membership', subject_id: membershipId })
        .whereLike('event_type', 'membership.password%')
        .whereNot({ event_type: 'membership.password_change_failed' })
        .orderBy('sequence')
        .select('event_type')) as { event_type: string }[];
      return rows.map(({ event_type: type }) => type);
    },

    /** The token of the link in the email number `count` to the member. */
    requestLink: async ({ email }: TestMember, count = 1): Promise<string> => {
      expect((await forgot(email)).status).toBe(202);
      const { text } = await mail.mailTo(email, count);
      return /https:\/\/countersign\.example\/password\/reset\/(\S+)/.exec(text)?.[1] ?? '';
    },
  };
}

export const change = (by: TestMember, body: unknown) =>
  by.browser.call('PUT', '/api/v1/me/password', { body });
