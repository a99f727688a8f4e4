/** What has ended is not kept for ever: whoever comes takes some of it away. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { insertPasswordReset } from '../../src/data/passwords.ts';
import { insertSession } from '../../src/data/sessions.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { createMember, createOrganization, type TestMember, type TestOrganization } from '../support/factories.ts';

let app: TestApp;
let organization: TestOrganization;
let member: TestMember;

beforeAll(async () => {
  app = await startApp();
  organization = await createOrganization(app);
  member = await createMember(app, organization.id);
});

afterAll(() => app.close());

const tokenHash = Buffer.alloc(32);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

async function signIn(): Promise<string> {
  const id = randomUUID();
  const proof = { method: 'local_password', assurance: 'single_factor', clientAddress: '192.0.2.1', userAgent: '' } as const;
  await insertSession(app.db, organization.id, { id, membershipId: member.membershipId, tokenHash, ...proof });
  return id;
}

test('a sign-in forgets up to ten sessions that ended over 90 days ago, the oldest first, and no other', async () => {
  const ended = [];
  for (let index = 0; index < 12; index += 1) ended.push(await signIn());
  const [kept, ...old] = ended;
  await app
    .db('sessions')
    .where({ id: kept })
    .update({ expires_at: daysAgo(89) });
  for (const [index, id] of old.entries())
    await app
      .db('sessions')
      .where({ id })
      .update({ expires_at: daysAgo(101 - index) });
  const live = await signIn();
  const left = await app
    .db('sessions')
    .whereIn('id', [...ended, live])
    .pluck('id');
  expect(left.sort()).toEqual([kept, old.at(-1), live].sort());
});

test('a link to set a new password forgets those of anybody that ended over a day ago', async () => {
  const other = await createMember(app, organization.id);
  const request = async ({ userId }: TestMember): Promise<string> => {
    const id = randomUUID();
    expect(await app.db.transaction((trx) => insertPasswordReset(trx, { id, userId, tokenHash }))).toBe(true);
    return id;
  };
  const [old, recent] = [await request(other), await request(other)];
  await app
    .db('password_resets')
    .where({ id: old })
    .update({ expires_at: daysAgo(1.1) });
  await app
    .db('password_resets')
    .where({ id: recent })
    .update({ expires_at: daysAgo(0.9) });
  const own = await request(member);
  expect((await app.db('password_resets').pluck('id')).sort()).toEqual([recent, own].sort());
});
