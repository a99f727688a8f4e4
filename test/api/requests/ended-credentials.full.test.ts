/** A credential that ends during a call: parked waits end with it, and a call that waits for a lock acts with what is left. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Db, Trx } from '../../../src/platform/postgres.ts';
import { HttpClient } from '../../support/http.ts';
import { outcome } from '../../support/refusals.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import {
  createOrganizationKey,
  type TestAgent,
  type TestMember,
} from '../../support/scene/factories.ts';
import { codeOf } from '../../support/scene/sign-in.ts';
import { idOf } from '../../support/tokens.ts';
import { until, untilBlocked } from '../../support/waiting.ts';

const {
  app,
  organization,
  owner,
  agent: addAgent,
  person,
  ask,
  decide,
} = await scene({
  app: { environment: { COUNTERSIGN_EDITION: 'hosted' } },
  pipelines: { bot: {} },
});

interface Held {
  readonly agent: TestAgent;
  readonly member: TestMember;
  readonly key: { readonly id: string };
}

type End = (held: Held) => Promise<unknown>;
type Caller = (held: Held & { key: { http: HttpClient } }) => HttpClient;

const past = () => new Date(Date.now() - 1_000);
const set =
  (table: string, idFrom: (held: Held) => string, values: () => Record<string, unknown>): End =>
  (held) =>
    app
      .db(table)
      .where(table === 'agents' ? { slug: idFrom(held) } : { id: idFrom(held) })
      .update(values());

const byAgent: Caller = ({ agent }) =>
  new HttpClient(app.url, { authorization: `Bearer ${agent.credential}` });
const bySession: Caller = ({ member }) => member.browser;
const byPersonalKey: Caller = ({ member }) => member.http;
const byOrganizationKey: Caller = ({ key }) => key.http;

const credential = ({ agent }: Held) => agent.credentialId;
const session = ({ member }: Held) => idOf(member.cookie);
const personalKey = ({ member }: Held) => member.apiKeyId;

const ends: [string, Caller, End, string][] = [
  [
    'an agent credential that is revoked',
    byAgent,
    set('agent_credentials', credential, () => ({ revoked_at: new Date() })),
    '401 authentication_required',
  ],
  [
    'an agent credential that expires',
    byAgent,
    set('agent_credentials', credential, () => ({ issued_at: past(), expires_at: past() })),
    '401 authentication_required',
  ],
  [
    'an agent that is disabled',
    byAgent,
    set(
      'agents',
      ({ agent }) => agent.slug,
      () => ({ status: 'disabled' }),
    ),
    '403 agent_disabled',
  ],
  [
    'an instance that is disabled',
    byAgent,
    set(
      'agent_instances',
      ({ agent }) => agent.instanceId,
      () => ({ status: 'disabled' }),
    ),
    '403 instance_disabled',
  ],
  [
    'a session that is revoked',
    bySession,
    set('sessions', session, () => ({ revoked_at: new Date() })),
    '401 authentication_required',
  ],
  [
    'a member who is suspended',
    bySession,
    set(
      'memberships',
      ({ member }) => member.membershipId,
      () => ({ status: 'suspended' }),
    ),
    '403 membership_inactive',
  ],
  [
    'a personal key that is revoked',
    byPersonalKey,
    set('api_keys', personalKey, () => ({ revoked_at: new Date(), revocation_reason: 'manual' })),
    '401 authentication_required',
  ],
  [
    'an organization key that is revoked',
    byOrganizationKey,
    set(
      'api_keys',
      ({ key }) => key.id,
      () => ({
        revoked_at: new Date(),
        revocation_reason: 'manual',
      }),
    ),
    '401 authentication_required',
  ],
];

test('a wait ends with its credential, long before its time', async () => {
  const parked = (id: string) =>
    until('the wait is parked', () => app.context.changes.waitedFor().includes(id));
  const callers = await Promise.all(
    ends.map(async ([what, caller, end]) => {
      const agent = await addAgent();
      const member = await person(REVIEWER);
      const key = await createOrganizationKey(app, organization, [
        { scope_kind: 'organization', permissions: ['request.read', 'request.read.unrouted'] },
      ]);
      const id = await ask({ agent });
      const prefix = caller === byAgent ? '/api/aap/v1' : '/api/v1';
      const http = caller({ agent, member, key });
      const path = `${prefix}/requests/${id}?wait=30s`;
      return { what, id, call: () => http.get(path), end: () => end({ agent, member, key }) };
    }),
  );
  const undecided = await ask();
  const endless = owner.http.get(`/api/v1/requests/${undecided}?wait=30s`);
  await parked(undecided);
  const outcomes = await Promise.all(
    callers.map(async ({ what, id, call, end }) => {
      const wait = call();
      await parked(id);
      await end();
      return [what, outcome(await wait)];
    }),
  );
  expect(outcomes).toEqual(ends.map(([what, , , expected]) => [what, expected]));
  // This wait was parked before all others and has not run its full time yet.
  expect(app.context.changes.waitedFor()).toEqual([undecided]);
  await decide(owner, undecided);
  expect((await endless).status).toBe(200);
});

describe('a call that waits for a lock', () => {
  const ENDED = [401, 'authentication_required'];
  let manager: TestMember;
  let member: TestMember;

  beforeEach(async () => {
    manager = await person(['membership.read', 'membership.write']);
    member = await person();
  });

  /** What a suspension answers when this happens while it waits for the organization. */
  async function suspendDuring(client: HttpClient, happens: (trx: Trx) => PromiseLike<unknown>) {
    const { answer } = await app.db.transaction(async (gate) => {
      await gate('organizations').where({ id: organization.id }).forUpdate().first('id');
      const started = client.call('PATCH', `/api/v1/members/${member.membershipId}`, {
        body: { status: 'suspended' },
      });
      await untilBlocked(gate);
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
});
