/** An owner who lost their second factor gets back in by a link from the machine, once, and every owner hears of it. */
import { expect, test } from '@jest/globals';
import { insertPasswordReset } from '../../../src/data/sign-in/passwords.ts';
import { TOKEN_PREFIX } from '../../../src/domain/tokens.ts';
import { issueToken } from '../../../src/platform/crypto/tokens.ts';
import type { Pool } from '../../../src/platform/postgres.ts';
import { recoverOwner } from '../../../src/services/sign-in/owner-recovery.ts';
import { createOrganization } from '../../support/scene/factories.ts';
import { appForFile } from '../../support/scene.ts';
import { createPerson, enroll, login } from '../../support/scene/sign-in.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const app = await appForFile({ environment: { COUNTERSIGN_SECRETS_KEY: KEY } });
const { db, context } = app;
const { owner, id: organizationId } = await createOrganization(app);
const person = await createPerson(app, organizationId);
// The same password.
await db.raw(
  'update users set password_hash = (select password_hash from users where id = ?) where id = ?',
  [person.userId, owner.userId],
);
const recover = async (email: string) =>
  await recoverOwner({ db: db as Pool, publicUrl: context.publicUrl, sendsEmail: true }, email);
const recorded = async (type: string): Promise<number> =>
  (await db('audit_events').where({ organization_id: organizationId, event_type: type })).length;
const NEW_PASSWORD = 'nine quiet herons by the weir';

test('the link sets a password and removes the second factor, once', async () => {
  await enroll(app, owner);
  expect((await login(app, owner)).status).toBe(202);
  const { link, told } = await recover(owner.email.toUpperCase());
  expect(told).toEqual([owner.email]);
  expect(await db('account_mails').pluck('address')).toEqual([owner.email]);
  expect(await db('account_mails').pluck('body')).toEqual([
    expect.stringContaining('removes their second factor'),
  ]);
  expect(await recorded('membership.recovery_started')).toBe(1);
  const token = link.split('/').at(-1) ?? '';
  const shown = await app.http.get(`/auth/password/reset/${token}`);
  expect(shown.body['removes_second_factor']).toBe(true);
  // Until someone uses the link, the second factor stays.
  expect((await login(app, owner)).status).toBe(202);
  const use = async () =>
    await app.http.post('/auth/password/reset', { token, password: NEW_PASSWORD });
  expect((await use()).status).toBe(204);
  expect((await use()).status).toBe(404);
  expect(await recorded('membership.mfa_removed')).toBe(1);
  const signedIn = await app.http.post('/auth/login', {
    email: owner.email,
    password: NEW_PASSWORD,
  });
  expect(signedIn.status).toBe(200);
});

test('reset links that anyone can ask for do not use up those of the machine', async () => {
  const { owner: other } = await createOrganization(app);
  await db.raw(
    'update users set password_hash = (select password_hash from users where id = ?) where id = ?',
    [owner.userId, other.userId],
  );
  const insert = async (): Promise<boolean> => {
    const { id, hash: tokenHash } = issueToken(TOKEN_PREFIX.passwordReset);
    const reset = { id, userId: other.userId, tokenHash, removesSecondFactor: false };
    return await db.transaction(async (trx) => await insertPasswordReset(trx, reset));
  };
  for (let link = 0; link < 5; link += 1) expect(await insert()).toBe(true);
  expect(await insert()).toBe(false);
  for (let link = 0; link < 5; link += 1) await recover(other.email);
  await expect(recover(other.email)).rejects.toThrow(/five links within an hour/);
});

test('someone who is no owner, and someone unknown, get none', async () => {
  await expect(recover(person.email)).rejects.toThrow(/is no owner/);
  await expect(recover('no-one@example.com')).rejects.toThrow(/No active member with a password/);
});
