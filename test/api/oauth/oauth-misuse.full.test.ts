/** Codes and refresh tokens that are replayed, swapped, raced or too late, and people who may not act any more. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { purgeBatch } from '../../../src/services/retention.ts';
import { appForFile } from '../../support/scene.ts';
import {
  createMember,
  createOrganization,
  type Policy,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { ApiResponse } from '../../support/http.ts';
import { ROUNDS } from '../../support/rounds.ts';
import {
  AUTHORIZATIONS,
  newVerifier,
  oauthOf,
  refusalOf,
  tokensIn,
  VERIFY,
} from './oauth-scene.ts';

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
const { register, asking, exchange, refresh, codeFor, letIn, withToken, post } = oauthOf(app);

const policy: Policy = {
  scope_kind: 'organization',
  permissions: ['api_key.issue', 'request.read'],
};
let organization: TestOrganization;
let ada: TestMember;
let client: string;

beforeEach(async () => {
  await app.db('sign_in_attempts').delete();
  organization = await createOrganization(app);
  ada = await createMember(app, organization.id, { policies: [policy] });
  client = await register();
});

const works = async (access: string) => (await withToken(access).get(VERIFY)).status === 200;
const INVALID = [400, 'invalid_grant'];

interface KeyRow {
  readonly id: string;
  readonly revoked_at: Date | null;
}
const keyOf = async (): Promise<KeyRow> => {
  const row: unknown = await app
    .db('api_keys')
    .select('id', 'revoked_at')
    .whereIn(
      'id',
      app.db('oauth_grants').select('api_key_id').where({ organization_id: organization.id }),
    )
    .first();
  return row as KeyRow;
};
const isRevoked = async () => (await keyOf()).revoked_at !== null;
const reasons = async (): Promise<unknown[]> => {
  const rows = await app
    .db('audit_events')
    .where({ organization_id: organization.id, event_type: 'api_key.revoked' })
    .orderBy('sequence')
    .select<{ data: string | { reason: string } }[]>('data');
  return rows.map(({ data }) => {
    const read = typeof data === 'string' ? (JSON.parse(data) as { reason: string }) : data;
    return read.reason;
  });
};
const sooner = async (table: string, column: string, seconds: number) => {
  await app.db.raw(
    `update ${table} set ${column} = ${column} - make_interval(secs => :seconds) where ${column} is not null`,
    { seconds },
  );
};

describe('a code', () => {
  test('works once: its return ends what it gave', async () => {
    const { code, verifier, access, refresh: next } = await letIn(ada, client);
    expect(await works(access)).toBe(true);
    expect(refusalOf(await exchange(client, code, verifier))).toEqual(INVALID);
    expect(await works(access)).toBe(false);
    expect(refusalOf(await refresh(client, next))).toEqual(INVALID);
    expect(await reasons()).toEqual(['code_used_again']);
  });

  test('works for 60 seconds, and its key is revoked with it', async () => {
    const { code, verifier } = await codeFor(ada, client);
    await sooner('oauth_grants', 'code_expires_at', 61);
    expect(refusalOf(await exchange(client, code, verifier))).toEqual(INVALID);
    expect(await isRevoked()).toBe(true);
  });

  test('is used up by a wrong verifier, and its key is revoked', async () => {
    const { code, verifier } = await codeFor(ada, client);
    expect(refusalOf(await exchange(client, code, newVerifier()))).toEqual(INVALID);
    expect(refusalOf(await exchange(client, code, verifier))).toEqual(INVALID);
    expect(await isRevoked()).toBe(true);
    expect(await reasons()).toEqual(['code_not_exchanged']);
  });

  test.each([
    ['no verifier', { code_verifier: '' }],
    ['another redirect URI', { redirect_uri: 'http://127.0.0.1:51005/callback' }],
    ['no redirect URI', { redirect_uri: '' }],
  ])('is used up by a call with %s', async (_name, wrong) => {
    const { code, verifier } = await codeFor(ada, client);
    expect(refusalOf(await exchange(client, code, verifier, wrong))).toEqual(INVALID);
    expect(await isRevoked()).toBe(true);
  });

  test('gives nothing to another client', async () => {
    const other = await register({ client_name: 'Thief' });
    const { code, verifier } = await codeFor(ada, client);
    expect(refusalOf(await exchange(other, code, verifier))).toEqual(INVALID);
    expect(await isRevoked()).toBe(true);
  });

  test('that no one exchanges leaves no live key, and the key has no token before', async () => {
    await codeFor(ada, client);
    expect(await isRevoked()).toBe(false);
    await sooner('oauth_grants', 'code_expires_at', 70);
    await purgeBatch(app.context, new AbortController().signal);
    expect(await isRevoked()).toBe(true);
    expect(await reasons()).toEqual(['code_not_exchanged']);
  });

  test('that two calls exchange at once gives tokens to one at most, and they end', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { code, verifier } = await codeFor(ada, client);
      const calls = [1, 2, 3].map(async () => await exchange(client, code, verifier));
      const answers = await Promise.all(calls);
      const won = answers.filter(({ status }) => status === 200);
      expect(won.length).toBeLessThanOrEqual(1);
      for (const answer of won) expect(await works(tokensIn(answer).access)).toBe(false);
      for (const answer of answers.filter(({ status }) => status !== 200))
        expect(refusalOf(answer)).toEqual(INVALID);
    }
  });
});

describe('an access token', () => {
  test('works for an hour, and the refresh token gives the next', async () => {
    const first = await letIn(ada, client);
    expect(first.expiresIn).toBe(3600);
    await sooner('api_keys', 'token_expires_at', 3_601);
    expect(await works(first.access)).toBe(false);
    const second = tokensIn(await refresh(client, first.refresh));
    expect(second.expiresIn).toBe(3600);
    expect(await works(second.access)).toBe(true);
    expect(second.access.split('_')[1]).toBe(first.access.split('_')[1]);
  });

  test('ends with the next one', async () => {
    const first = await letIn(ada, client);
    const second = tokensIn(await refresh(client, first.refresh));
    expect([await works(first.access), await works(second.access)]).toEqual([false, true]);
  });
});

describe('a refresh token', () => {
  test('that was used gives the same tokens again for 60 seconds, for a client that lost the response', async () => {
    const first = await letIn(ada, client);
    const second = tokensIn(await refresh(client, first.refresh));
    await sooner('oauth_refresh_tokens', 'used_at', 20);
    const again = tokensIn(await refresh(client, first.refresh));
    expect(again).toEqual({ ...second, expiresIn: expect.any(Number) });
    expect(again.expiresIn).toBeGreaterThan(3_500);
    expect(await works(second.access)).toBe(true);
    await sooner('oauth_refresh_tokens', 'used_at', 41);
    expect(refusalOf(await refresh(client, first.refresh))).toEqual(INVALID);
    expect(await works(second.access)).toBe(false);
    expect(await reasons()).toEqual(['refresh_token_used_again']);
  });

  test('whose successor was used is in two hands, however soon it returns', async () => {
    const first = await letIn(ada, client);
    const second = tokensIn(await refresh(client, first.refresh));
    const third = tokensIn(await refresh(client, second.refresh));
    expect(refusalOf(await refresh(client, first.refresh))).toEqual(INVALID);
    expect(await works(third.access)).toBe(false);
    expect(refusalOf(await refresh(client, third.refresh))).toEqual(INVALID);
  });

  test('gives the same tokens to calls at once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const first = await letIn(ada, client);
      const answers = await Promise.all(
        [1, 2, 3].map(async () => await refresh(client, first.refresh)),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(new Set(answers.map((answer) => tokensIn(answer).access)).size).toBe(1);
      expect(new Set(answers.map((answer) => tokensIn(answer).refresh)).size).toBe(1);
    }
  });

  test('gives nothing to another client, and stays with its own', async () => {
    const other = await register({ client_name: 'Thief' });
    const first = await letIn(ada, client);
    expect(refusalOf(await refresh(other, first.refresh))).toEqual(INVALID);
    expect((await refresh(client, first.refresh)).status).toBe(200);
  });

  test('works for 30 days, and the key expires with it', async () => {
    const { access, refresh: next } = await letIn(ada, client);
    const { body } = await withToken(access).get(VERIFY);
    const expiresAt = Date.parse(String(body['key']?.['expires_at']));
    expect(Math.abs(expiresAt - Date.now() - 30 * 86_400_000)).toBeLessThan(60_000);
    await sooner('oauth_refresh_tokens', 'expires_at', 30 * 86_400 + 1);
    expect(refusalOf(await refresh(client, next))).toEqual(INVALID);
  });

  test('moves no end that the person set', async () => {
    const soon = new Date(Date.now() + 1_800_000);
    const {
      access,
      expiresIn,
      refresh: next,
    } = await letIn(ada, client, {
      expires_at: soon.toISOString(),
    });
    expect(expiresIn).toBeGreaterThan(1_700);
    expect(expiresIn).toBeLessThanOrEqual(1_800);
    const second = tokensIn(await refresh(client, next));
    const { body } = await withToken(second.access).get(VERIFY);
    expect(body['key']?.['expires_at']).toBe(soon.toISOString());
    expect(await works(access)).toBe(false);
  });

  test('is kept only as a hash, and so is every code and token', async () => {
    const first = await letIn(ada, client);
    const second = tokensIn(await refresh(client, first.refresh));
    const secrets = [first.access, first.refresh, first.code, second.access, second.refresh];
    const rows = await Promise.all(
      ['oauth_grants', 'oauth_refresh_tokens', 'api_keys', 'audit_events'].map(
        async (table) => await app.db(table).select('*'),
      ),
    );
    const text = JSON.stringify(rows, (_key, value: unknown) =>
      Buffer.isBuffer(value) ? value.toString('latin1') : value,
    );
    for (const secret of secrets) expect(text).not.toContain(secret.split('_')[2]?.slice(0, 20));
    expect(app.log.join('')).not.toMatch(/wh[afk]_[0-9a-f-]{36}_/);
  });
});

describe('a person', () => {
  test('who is suspended takes their clients with them, and brings them back', async () => {
    const { access, refresh: next } = await letIn(ada, client);
    const at = app.db('memberships').where({ id: ada.membershipId });
    await at.clone().update({ status: 'suspended' });
    expect((await withToken(access).get(VERIFY)).status).toBe(403);
    expect(refusalOf(await refresh(client, next))).toEqual(INVALID);
    await at.clone().update({ status: 'active' });
    expect((await refresh(client, next)).status).toBe(200);
  });

  test('who is removed ends the keys of their clients', async () => {
    const owner = await createMember(app, organization.id, {
      policies: [{ scope_kind: 'organization', is_owner: true }],
    });
    const { access, refresh: next } = await letIn(ada, client);
    expect((await owner.browser.delete(`/api/v1/members/${ada.membershipId}`)).status).toBe(204);
    expect((await withToken(access).get(VERIFY)).status).toBe(401);
    expect(refusalOf(await refresh(client, next))).toEqual(INVALID);
  });

  test('sees the key among their own, and revokes it there', async () => {
    const { access, refresh: next } = await letIn(ada, client);
    const { body } = await ada.browser.get('/api/v1/me/api_keys');
    const { keys } = body as unknown as { keys: { id: string; oauth_client?: object }[] };
    const [key] = keys.filter((each) => each.oauth_client);
    expect(key).toMatchObject({ name: 'Desk assistant', oauth_client: { id: client } });
    const answer = await ada.browser.delete(`/api/v1/me/api_keys/${key?.id ?? ''}`);
    expect(answer.status).toBe(204);
    expect(await works(access)).toBe(false);
    expect(refusalOf(await refresh(client, next))).toEqual(INVALID);
  });

  const outcome = ({ status, body }: ApiResponse) => [status, body['error']?.['code']];

  test('cannot give a key more than they hold', async () => {
    const sent = { ...asking(client, newVerifier()), approve: true };
    const wider = { ...sent, permissions: ['request.read', 'agent.write'] };
    expect(outcome(await ada.browser.post(AUTHORIZATIONS, wider))).toEqual([
      403,
      'grant_exceeds_own',
    ]);
    // What they lose, the key of the client loses.
    const { access } = await letIn(ada, client, { resource: `${app.url}/api/v1` });
    expect((await withToken(access).get('/api/v1/requests')).status).toBe(200);
    await app.db('permission_policies').where({ membership_id: ada.membershipId }).delete();
    expect((await withToken(access).get('/api/v1/requests')).status).toBe(403);
  });

  test('must have authenticated lately where the key could decide, and needs a session of their own site', async () => {
    const decider = await createMember(app, organization.id, {
      policies: [{ ...policy, permissions: ['api_key.issue', 'request.decide'] }],
    });
    await app.db.raw(
      `update sessions set authenticated_at = clock_timestamp() - interval '1 hour' where membership_id = :id`,
      { id: decider.membershipId },
    );
    const sent = { ...asking(client, newVerifier()), approve: true };
    expect(outcome(await decider.browser.post(AUTHORIZATIONS, sent))).toEqual([
      403,
      'reauthentication_required',
    ]);
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'null', 'sec-fetch-site': 'same-site' },
    ])
      expect(outcome(await ada.browser.post(AUTHORIZATIONS, sent, { headers }))).toEqual([
        403,
        'cross_site_request',
      ]);
    expect(outcome(await withToken(ada.apiKey).post(AUTHORIZATIONS, sent))).toEqual([
      403,
      'session_required',
    ]);
    expect(await app.db('oauth_grants').where({ organization_id: organization.id })).toEqual([]);
  });
});

describe('a client that gives a token back', () => {
  test.each(['access', 'refresh'] as const)('ends all of them: %s', async (which) => {
    const given = await letIn(ada, client);
    const answer = await post('/oauth/revoke', { token: given[which], client_id: client });
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await works(given.access)).toBe(false);
    expect(refusalOf(await refresh(client, given.refresh))).toEqual(INVALID);
    expect(await reasons()).toEqual(['revoked_by_client']);
  });

  test('cannot end what belongs to another, and learns nothing of unknown ones', async () => {
    const given = await letIn(ada, client);
    const other = await register();
    const foreign = await post('/oauth/revoke', { token: given.access, client_id: other });
    expect(refusalOf(foreign)).toEqual([400, 'invalid_grant']);
    const unknown = { token: given.access, client_id: '0199a3f7-51d2-7c44-9a8b-2d1e0f3c4b5a' };
    expect(refusalOf(await post('/oauth/revoke', unknown))).toEqual([401, 'invalid_client']);
    for (const token of ['nonsense', ada.apiKey])
      expect((await post('/oauth/revoke', { token, client_id: client })).status).toBe(200);
    expect([await works(given.access), await works(ada.apiKey)]).toEqual([true, true]);
  });
});
