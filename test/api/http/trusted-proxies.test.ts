/** Which proxies may name the address of the client. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { hashPassword } from '../../../src/platform/crypto/passwords.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { createMember, createOrganization } from '../../support/scene/factories.ts';

const PASSWORD = 'seven bright ravens on a wire';

let app: TestApp;

afterEach(() => app.close());

async function memberOf(trustedProxies?: string): Promise<string> {
  app = await startApp(
    trustedProxies === undefined
      ? {}
      : { environment: { COUNTERSIGN_TRUSTED_PROXIES: trustedProxies } },
  );
  const { id } = await createOrganization(app);
  const { email, userId } = await createMember(app, id);
  await app
    .db('users')
    .where({ id: userId })
    .update({ password_hash: await hashPassword(PASSWORD) });
  return email;
}

async function signIn(email: string, forwarded: string, password = PASSWORD): Promise<number> {
  const answer = await app.http.post(
    '/auth/login',
    { email, password },
    { headers: { 'x-forwarded-for': forwarded } },
  );
  return answer.status;
}

async function addressesOfSessions(): Promise<string[]> {
  return (await app
    .db('sessions')
    .whereNotNull('client_address')
    .pluck('client_address')) as string[];
}

describe('X-Forwarded-For', () => {
  test.each([
    ['without trusted proxies', undefined],
    ['from a proxy that is not trusted', '10.0.0.0/8, 192.0.2.1'],
  ])(
    '%s neither escapes the limit of sign-ins nor appears as the address of a session',
    async (_who, trusted) => {
      const email = await memberOf(trusted);
      expect(await signIn(email, '203.0.113.1')).toBe(200);
      expect(await addressesOfSessions()).toEqual(['127.0.0.1']);
      for (let attempt = 2; attempt <= 11; attempt += 1)
        expect(await signIn(email, `203.0.113.${attempt}`, 'a wrong guess')).toBe(401);
      expect(await signIn(email, '203.0.113.99')).toBe(429);
    },
  );

  test('of a trusted proxy separates the clients behind it, and one client cannot pose as many', async () => {
    const email = await memberOf('127.0.0.0/8');
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      // The attacker's own entry, followed by the one that the proxy appends.
      expect(await signIn(email, `192.0.2.${attempt}, 203.0.113.1`, 'a wrong guess')).toBe(401);
    }
    expect(await signIn(email, '192.0.2.99, 203.0.113.1')).toBe(429);
    expect(await signIn(email, '192.0.2.1, 203.0.113.2')).toBe(200);
    expect(await addressesOfSessions()).toEqual(['203.0.113.2']);
  });
});
