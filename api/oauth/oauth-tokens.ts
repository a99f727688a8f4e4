/** Where clients exchange what they hold, and give it back. */
import { z } from 'zod';
import { issueTokens, type TokenForm } from '../../src/services/oauth/oauth-tokens.ts';
import { revokeOAuthToken } from '../../src/services/oauth/oauth-revocations.ts';
import { GRANT_TYPES } from '../../src/domain/oauth/clients.ts';
import { invalid } from '../../src/domain/errors.ts';
import { isStorable } from '../../src/domain/labels.ts';
import { pointerToken } from '../../src/platform/json/exact-json.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { OAUTH_TAG } from './oauth-metadata.ts';

const field = (description: string) => z.string().meta({ description });

/** The fields of a form, by name. An empty one counts as absent, and a repeated one is refused (RFC 6749). */
function readForm(text: string): TokenForm {
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    const pointer = `/${pointerToken(name)}`;
    if (form.has(name))
      throw invalid([{ pointer, code: 'repeated_parameter', message: 'must be given only once' }]);
    if (!isStorable(name) || !isStorable(value))
      throw invalid([{ pointer, code: 'invalid_string', message: 'must not contain NUL' }]);
    if (value !== '') form.set(name, value);
  }
  return Object.fromEntries(form);
}

function required(form: TokenForm, name: string): string {
  const value = form[name];
  if (value !== undefined) return value;
  throw invalid([{ pointer: `/${name}`, code: 'required', message: 'must be given' }]);
}

export const oauthTokenEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'issueOAuthToken',
    method: 'post',
    path: '/oauth/token',
    tag: OAUTH_TAG,
    summary: 'Exchange a code or a refresh token',
    description:
      'As RFC 6749 and RFC 7636 define it. The access token is the present token of a personal API key, and works for one hour.\n\n' +
      '- A code works for 60 seconds, once. A wrong verifier uses it up, too. If it is presented again, the key that it gave is revoked.\n' +
      '- A refresh token works for 30 days, once, and gives the next one. For 60 seconds the same call returns the same tokens, in case the response was lost, unless the next one was used. Later, its return revokes the key.',
    dialect: 'oauth',
    auth: 'none',
    attempt: 'oauth',
    anyOrigin: true,
    bodyLimit: BODY_BYTES.signIn,
    signedForm: {
      headers: [],
      fields: z.looseObject({
        grant_type: z.enum(GRANT_TYPES).meta({ description: 'What is exchanged.' }),
        client_id: field('The client.'),
        code: field('The code, with `authorization_code`.').optional(),
        redirect_uri: field('The same as in the request for the code.').optional(),
        code_verifier: field('What the challenge was made of.').optional(),
        refresh_token: field('The refresh token, with `refresh_token`.').optional(),
        resource: field('The same as in the request for the code, or absent.').optional(),
      }),
    },
    requestExample: {
      grant_type: 'authorization_code',
      client_id: '0199a3f7-51d2-7c44-9a8b-2d1e0f3c4b5a',
      code: 'wha_0199a3f8-0c3e-7d51-8b2f-6a7c8d9e0f1a_<secret>',
      redirect_uri: 'http://127.0.0.1:51004/callback',
      code_verifier: '<verifier>',
    },
    success: {
      status: 200,
      description: 'The tokens.',
      body: z
        .strictObject({
          access_token: field('The bearer token `whk_<id>_<secret>`.'),
          token_type: z.literal('Bearer').meta({ description: 'How it is sent.' }),
          expires_in: z.int().meta({ description: 'For how many seconds it works.' }),
          refresh_token: field('What gives the next tokens, `whf_<id>_<secret>`.'),
          scope: field(
            'The permissions that the key can use now, separated by spaces. Absent if there is none.',
          ).optional(),
        })
        .meta({ id: 'OAuthTokens', description: 'The tokens of a client.' }),
      example: {
        access_token: 'whk_0199a3f8-0c3d-7a10-9f4e-5b6c7d8e9f0a_<secret>',
        token_type: 'Bearer',
        expires_in: 3600,
        refresh_token: 'whf_0199a3f8-1d4f-7e62-8c30-7b8d9e0f1a2b_<secret>',
        scope: 'request.read',
      },
    },
    errors: [
      'invalid_client',
      'invalid_grant',
      'invalid_target',
      'unsupported_grant_type',
      'rate_limited',
    ],
    handler: async ({ signedForm: { text }, client }, context) => {
      const issued = await issueTokens(context, readForm(text), client);
      return {
        body: {
          access_token: issued.accessToken,
          token_type: 'Bearer',
          expires_in: issued.expiresInSeconds,
          refresh_token: issued.refreshToken,
          ...(issued.permissions.length > 0 && { scope: issued.permissions.join(' ') }),
        },
      };
    },
  }),
  defineEndpoint({
    operationId: 'revokeOAuthToken',
    method: 'post',
    path: '/oauth/revoke',
    tag: OAUTH_TAG,
    summary: 'Give a token back',
    description:
      'As RFC 7009 defines it. An access token or a refresh token revokes the key, and with it all tokens of its client. An unknown token is no error.',
    dialect: 'oauth',
    auth: 'none',
    attempt: 'oauth',
    anyOrigin: true,
    bodyLimit: BODY_BYTES.signIn,
    signedForm: {
      headers: [],
      fields: z.looseObject({
        token: field('An access token or a refresh token.'),
        client_id: field('The client that holds it.'),
        token_type_hint: field('Ignored: tokens say by themselves what they are.').optional(),
      }),
    },
    requestExample: {
      token: 'whf_0199a3f8-1d4f-7e62-8c30-7b8d9e0f1a2b_<secret>',
      client_id: '0199a3f7-51d2-7c44-9a8b-2d1e0f3c4b5a',
    },
    success: { status: 200, description: 'The token works no more.' },
    errors: ['invalid_client', 'invalid_grant', 'rate_limited'],
    handler: async ({ signedForm: { text }, client }, context) => {
      const form = readForm(text);
      const [token, clientId] = [required(form, 'token'), required(form, 'client_id')];
      await revokeOAuthToken(context, { token, clientId, caller: client });
      return {};
    },
  }),
];
