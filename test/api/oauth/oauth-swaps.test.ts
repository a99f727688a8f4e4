/** Secrets that are presented by the wrong client, with the wrong verifier, or as something else, also at once with the right call. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import {
  createMember,
  createOrganization,
  type TestMember,
} from '../../support/scene/factories.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { oauthOf, refusalOf, tokensIn, VERIFY } from './oauth-scene.ts';

const app = await appForFile();
const { register, exchange, refresh, codeFor, letIn, withToken, post } = oauthOf(app);

let organizationId: string;
let ada: TestMember;
let client: string;
let thief: string;

beforeEach(async () => {
  await app.db('sign_in_attempts').delete();
  organizationId = (await createOrganization(app)).id;
  const permissions = ['api_key.issue', 'request.read'];
  ada = await createMember(app, organizationId, {
    policies: [{ scope_kind: 'organization', permissions }],
  });
  [client, thief] = [await register(), await register({ client_name: 'Thief' })];
});

const INVALID = [400, 'invalid_grant'];
const works = async (access: string) => (await withToken(access).get(VERIFY)).status === 200;
const liveKeys = async () =>
  await app
    .db('api_keys')
    .whereIn(
      'id',
      app.db('oauth_grants').select('api_key_id').where({ organization_id: organizationId }),
    )
    .whereNull('revoked_at')
    .pluck<string[]>('id');

describe('a code', () => {
  test('opens with its own verifier, not with that of another code of its client', async () => {
    const [one, other] = [await codeFor(ada, client), await codeFor(ada, client)];
    expect(refusalOf(await exchange(client, one.code, other.verifier))).toEqual(INVALID);
    expect(refusalOf(await exchange(client, other.code, one.verifier))).toEqual(INVALID);
    expect(await liveKeys()).toEqual([]);
  });

  test('that its client and another present at once gives nothing to the other', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { code, verifier } = await codeFor(ada, client);
      const calls = [exchange(thief, code, verifier), exchange(client, code, verifier)];
      const [stolen, own] = await Promise.all(round % 2 === 0 ? calls : calls.toReversed());
      const [taken, clients] = round % 2 === 0 ? [stolen, own] : [own, stolen];
      expect(taken && refusalOf(taken)).toEqual(INVALID);
      // Two had the code, so what it gave has ended, no matter who was first.
      if (clients?.status === 200) expect(await works(tokensIn(clients).access)).toBe(false);
      expect(await liveKeys()).toEqual([]);
    }
  });

  test('whose exchange meets the revocation of its key by the person leaves nothing that works', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { code, verifier } = await codeFor(ada, client);
      const [id = ''] = await liveKeys();
      const [exchanged, revoked] = await Promise.all([
        exchange(client, code, verifier),
        ada.browser.delete(`/api/v1/me/api_keys/${id}`),
      ]);
      expect(revoked.status).toBe(204);
      if (exchanged.status === 200) {
        const { access, refresh: next } = tokensIn(exchanged);
        expect(await works(access)).toBe(false);
        expect(refusalOf(await refresh(client, next))).toEqual(INVALID);
      } else expect(refusalOf(exchanged)).toEqual(INVALID);
    }
  });
});

describe('a refresh token', () => {
  test('that its client and another present at once gives nothing to the other, and goes on', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const first = await letIn(ada, client);
      const [stolen, own] = await Promise.all([
        refresh(thief, first.refresh),
        refresh(client, first.refresh),
      ]);
      expect(refusalOf(stolen)).toEqual(INVALID);
      expect(await works(tokensIn(own).access)).toBe(true);
    }
  });

  test('and the one before it, presented at once, leave one access token at most', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const first = await letIn(ada, client);
      const second = tokensIn(await refresh(client, first.refresh));
      const answers = await Promise.all([
        refresh(client, first.refresh),
        refresh(client, second.refresh),
      ]);
      const given = answers
        .filter(({ status }) => status === 200)
        .map((each) => tokensIn(each).access);
      const all = [...new Set([first.access, second.access, ...given])];
      const working = await Promise.all(all.map(works));
      expect(working.filter((isWorking) => isWorking).length).toBeLessThanOrEqual(1);
      for (const answer of answers.filter(({ status }) => status !== 200))
        expect(refusalOf(answer)).toEqual(INVALID);
    }
  });

  test('that meets its revocation leaves nothing that works', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const first = await letIn(ada, client);
      const [refreshed, revoked] = await Promise.all([
        refresh(client, first.refresh),
        post('/oauth/revoke', { token: first.refresh, client_id: client }),
      ]);
      expect(revoked.status).toBe(200);
      const { access, refresh: next } = refreshed.status === 200 ? tokensIn(refreshed) : first;
      expect(await works(access)).toBe(false);
      expect(refusalOf(await refresh(client, next))).toEqual(INVALID);
    }
  });
});

describe('a secret that is presented as another kind', () => {
  test('opens nothing, and ends nothing', async () => {
    const { code, verifier } = await codeFor(ada, client);
    const { access, refresh: next } = await letIn(ada, client);
    for (const secret of [code, access, ada.apiKey])
      expect(refusalOf(await refresh(client, secret))).toEqual(INVALID);
    for (const secret of [next, access, ada.apiKey])
      expect(refusalOf(await exchange(client, secret, verifier))).toEqual(INVALID);
    for (const secret of [code, next]) {
      expect((await withToken(secret).get(VERIFY)).status).toBe(401);
      expect((await withToken(secret).get('/api/v1/me')).status).toBe(401);
    }
    expect(await works(access)).toBe(true);
    expect((await exchange(client, code, verifier)).status).toBe(200);
    expect((await refresh(client, next)).status).toBe(200);
    expect(await works(ada.apiKey)).toBe(true);
  });

  test('with the id of one and the secret of another opens nothing', async () => {
    const [one, other] = [await letIn(ada, client), await letIn(ada, client)];
    const mixed = (a: string, b: string) =>
      [...a.split('_').slice(0, 2), b.split('_')[2]].join('_');
    const kinds = ['access', 'refresh'] as const;
    for (const kind of kinds) expect(mixed(one[kind], other[kind])).not.toBe(one[kind]);
    expect(await works(mixed(one.access, other.access))).toBe(false);
    expect(refusalOf(await refresh(client, mixed(one.refresh, other.refresh)))).toEqual(INVALID);
    const revoked = { token: mixed(one.refresh, other.refresh), client_id: client };
    expect((await post('/oauth/revoke', revoked)).status).toBe(200);
    expect([await works(one.access), await works(other.access)]).toEqual([true, true]);
  });
});
