/** What a client of OAuth gets and uses, once correctly and once wrongly: a code, access tokens and refresh tokens. */
import { createHash, randomBytes } from 'node:crypto';
import type { SecretCalls } from './secret-calls.ts';

const REDIRECT = 'http://127.0.0.1:51004/callback';

export async function oauthClients(
  { anonymous, bearer, browser, shown, shownToken }: SecretCalls,
  cookie: string,
): Promise<void> {
  const registered = await anonymous.post('/oauth/register', { redirect_uris: [REDIRECT] });
  const client = { client_id: String(registered.body['client_id']) };
  const token = async (form: Readonly<Record<string, string>>) =>
    await anonymous.post('/oauth/token', new URLSearchParams({ ...client, ...form }).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    });
  // Its hash is public: the client sends it as its challenge.
  const verifier = randomBytes(32).toString('base64url');
  const asked = {
    ...client,
    redirect_uri: REDIRECT,
    response_type: 'code',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  await anonymous.call(
    'GET',
    `/oauth/authorize?${new URLSearchParams({ ...asked, state: 'st' }).toString()}`,
  );
  const path = '/api/v1/oauth_authorizations';
  await browser(cookie).post(`${path}/preview`, asked);
  const approved = await browser(cookie).post(path, { ...asked, approve: true });
  const back = new URL(String(approved.body['redirect_url']));
  const code = shownToken('code', back.searchParams.get('code') ?? '');
  const exchange = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT,
    code_verifier: verifier,
  };
  const first = await token(exchange);
  // Only the hash of the present access token is stored.
  const access = shown('first access token', String(first.body['access_token']));
  const refresh = shownToken('first refresh token', String(first.body['refresh_token']));
  await bearer(access).call('GET', '/api/v1/api_keys/verify');
  await bearer(access).call('GET', '/api/v1/me');
  const second = await token({ grant_type: 'refresh_token', refresh_token: refresh });
  shownToken('second access token', String(second.body['access_token']));
  const next = shownToken('second refresh token', String(second.body['refresh_token']));
  await token({ grant_type: 'refresh_token', refresh_token: `${next}x` });
  await token({ ...exchange, code: `${code}x` });
  await anonymous.call('GET', `/oauth/authorize?code=${code}&refresh_token=${next}`);
  await token(exchange);
  await token({ grant_type: 'refresh_token', refresh_token: next });
}
