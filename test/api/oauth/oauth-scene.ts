/** What the tests of OAuth share: a client with its verifier, and the way from a request to tokens. */
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'undici';
import type { TestApp } from '../../support/app.ts';
import { HttpClient, type ApiResponse, type Json } from '../../support/http.ts';
import type { TestMember } from '../../support/scene/factories.ts';

export const REDIRECT = 'http://127.0.0.1:51004/callback';
export const AUTHORIZATIONS = '/api/v1/oauth_authorizations';
export const VERIFY = '/api/v1/api_keys/verify';

export const challengeOf = (verifier: string): string =>
  createHash('sha256').update(verifier).digest('base64url');

export const newVerifier = (): string => randomBytes(32).toString('base64url');

/** What went wrong, as RFC 6749 writes it. */
export const refusalOf = ({ status, body }: ApiResponse): [number, unknown] => [
  status,
  body?.['error'],
];

export function oauthOf(app: TestApp) {
  const post = async (
    path: string,
    form: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiResponse> => {
    const response = await request(`${app.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(form).toString(),
    });
    const text = await response.body.text();
    return {
      status: response.statusCode,
      headers: response.headers as Record<string, string>,
      text,
      body: (text === '' ? undefined : JSON.parse(text)) as Json,
    };
  };
  const register = async (sent: Readonly<Record<string, unknown>> = {}): Promise<string> => {
    const answer = await app.http.post('/oauth/register', {
      client_name: 'Desk assistant',
      redirect_uris: ['http://127.0.0.1/callback'],
      ...sent,
    });
    if (answer.status !== 201) throw new Error(`not registered: ${answer.text}`);
    return String(answer.body['client_id']);
  };
  const asking = (clientId: string, verifier: string, more: object = {}) => ({
    client_id: clientId,
    redirect_uri: REDIRECT,
    response_type: 'code',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    ...more,
  });
  /** The person approves. Returns where their browser goes. */
  const approve = async (member: TestMember, sent: object): Promise<URL> => {
    const answer = await member.browser.post(AUTHORIZATIONS, { ...sent, approve: true });
    if (answer.status !== 200) throw new Error(`not approved: ${answer.text}`);
    return new URL(String(answer.body['redirect_url']));
  };
  const exchange = (clientId: string, code: string, verifier: string, more: object = {}) =>
    post('/oauth/token', {
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      redirect_uri: REDIRECT,
      code_verifier: verifier,
      ...more,
    });
  const refresh = (clientId: string, refreshToken: string, more: object = {}) =>
    post('/oauth/token', {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: refreshToken,
      ...more,
    });
  /** A code that a person has just given to a client. */
  const codeFor = async (member: TestMember, clientId: string, more: object = {}) => {
    const verifier = newVerifier();
    const to = await approve(member, asking(clientId, verifier, more));
    return { code: to.searchParams.get('code') ?? '', verifier };
  };
  /** Everything from the person's approval to the first tokens. */
  const letIn = async (member: TestMember, clientId: string, more: object = {}) => {
    const { code, verifier } = await codeFor(member, clientId, more);
    const answer = await exchange(clientId, code, verifier);
    if (answer.status !== 200) throw new Error(`not exchanged: ${answer.text}`);
    return { code, verifier, ...tokensIn(answer) };
  };
  const withToken = (token: string) =>
    new HttpClient(app.url, { authorization: `Bearer ${token}` });
  return { post, register, asking, approve, exchange, refresh, codeFor, letIn, withToken };
}

export function tokensIn({ body }: ApiResponse) {
  return {
    access: String(body['access_token']),
    refresh: String(body['refresh_token']),
    expiresIn: Number(body['expires_in']),
    scope: String(body['scope']),
  };
}
