/**
 * A caller who waits for a lock acts with the rights that are left afterwards, not with those at
 * the start of the call.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  createMember,
  createOrganization,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { HttpClient } from '../../support/http.ts';
import { codeOf } from '../../support/scene/sign-in.ts';
import { untilBlocked } from '../../support/waiting.ts';
import type { Db } from '../../../src/platform/postgres.ts';

const ENDED = [401, 'authentication_required'];

let app: TestApp;
let organization: TestOrganization;
let manager: TestMember;
let member: TestMember;

beforeAll(async () => {
  app = await startApp();
});

beforeEach(async () => {
  organization = await createOrganization(app);
  manager = await createMember(app, organization.id, {
    policies: [
      { scope_kind: 'organization', permissions: ['membership.read', 'membership.write'] },
    ],
  });
  member = await createMember(app, organization.id);
});

afterAll(() => app.close());

/** What a suspension answers when this happens while it waits for the organization. */
async function suspendDuring(client: HttpClient, happens: (trx: Db) => PromiseLike<unknown>) {
  const { answer } = await app.db.transaction(async (gate) => {
    await gate('organizations').where({ id: organization.id }).forUpdate().first('id');
    const started = client.call('PATCH', `/api/v1/members/${member.membershipId}`, {
      body: { status: 'suspended' },
    });
    await untilBlocked(app.db);
    await happens(gate);
    return { answer: started };
  });
  const code = codeOf(await answer);
  const { status } = (await app
    .db('memberships')
    .where({ id: member.membershipId })
    .first('status')) as { status: string };
  return { answer: code, status };
}

const sessions = (db: Db) => db('sessions').where({ membership_id: manager.membershipId });
const keys = (db: Db) => db('api_keys').where({ membership_id: manager.membershipId });
const refused = (answer: unknown) => ({ answer, status: 'active' });

test('a session that is revoked or expires meanwhile changes nothing', async () => {
  const ended = new Date(Date.now() - 1);
  expect(
    await suspendDuring(manager.browser, (trx) => sessions(trx).update({ revoked_at: ended })),
  ).toEqual(refused(ENDED));
  await sessions(app.db).update({ revoked_at: null });
  expect(
    await suspendDuring(manager.browser, (trx) => sessions(trx).update({ expires_at: ended })),
  ).toEqual(refused(ENDED));
});

test('a key that is revoked, expires or is no longer allowed meanwhile changes nothing', async () => {
  const ended = new Date(Date.now() - 1);
  const allow = (db: Db, personal_api_keys_allowed: boolean) =>
    db('organizations').where({ id: organization.id }).update({ personal_api_keys_allowed });
  const revocation = { revoked_at: ended, revocation_reason: 'manual' };
  expect(await suspendDuring(manager.http, (trx) => keys(trx).update(revocation))).toEqual(
    refused(ENDED),
  );
  await keys(app.db).update({ revoked_at: null, revocation_reason: null });
  expect(await suspendDuring(manager.http, (trx) => allow(trx, false))).toEqual(
    refused([403, 'api_keys_disabled']),
  );
  await allow(app.db, true);
  expect(
    await suspendDuring(manager.http, (trx) => keys(trx).update({ expires_at: ended })),
  ).toEqual(refused(ENDED));
});

test('the same call succeeds while nothing happens to its credential', async () => {
  for (const client of [manager.browser, manager.http]) {
    await app.db('memberships').where({ id: member.membershipId }).update({ status: 'active' });
    expect(await suspendDuring(client, () => Promise.resolve())).toEqual({
      answer: [200, undefined],
      status: 'suspended',
    });
  }
});
