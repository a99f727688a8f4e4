/** The service with a secrets key, an organization, and what people do with second factors. */
import { afterAll } from '@jest/globals';
import { startApp, type TestApp } from '../../../support/app.ts';
import type { ApiResponse, HttpClient } from '../../../support/http.ts';
import { createOrganization } from '../../../support/scene/factories.ts';
import { SECRETS_KEY } from '../../../support/scene/sign-in.ts';

export const REFUSED = [401, 'invalid_credentials'];
export const REVIEWER = [
  { scope_kind: 'organization', permissions: ['request.read', 'request.decide'] },
] as const;

/** Call it at the top of a test file. */
export async function mfaScene() {
  const app = await startApp({ environment: { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY } });
  const others: TestApp[] = [];
  afterAll(async () => {
    for (const other of others) await other.close();
    await app.close();
  });
  const organization = await createOrganization(app);
  return {
    app,
    organization,

    /** A further process of the deployment. */
    startOther: async (environment: Readonly<Record<string, string>>): Promise<TestApp> => {
      const other = await startApp({ databaseUrl: app.databaseUrl, environment });
      others.push(other);
      return other;
    },

    /** Ends the challenge of a sign-in with a code. */
    complete: (token: string, code: string, cookie = ''): Promise<ApiResponse> =>
      app.http.post('/auth/mfa', { token, code }, { headers: cookie === '' ? {} : { cookie } }),
    me: (cookie: string) => app.http.get('/api/v1/me', { headers: { cookie } }),
    /** The second factor as its owner sees it. */
    state: async (browser: HttpClient) => (await browser.get('/api/v1/me/mfa')).body,
    requireMfa: (require_mfa: boolean) =>
      app.db('organizations').where({ id: organization.id }).update({ require_mfa }),
    /** The member's last authentication was an hour ago. */
    makeStale: (membershipId: string) =>
      app
        .db('sessions')
        .where({ membership_id: membershipId })
        .update({ authenticated_at: new Date(Date.now() - 3_600_000) }),
    /** The events of a type, oldest first. */
    eventsOf: async (type: string, subjectId: string) =>
      (await app
        .db('audit_events')
        .where({ event_type: type, subject_id: subjectId })
        .orderBy('sequence')) as { actor_id: string | null; data: string }[],
  };
}
