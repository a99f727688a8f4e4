/** Password changes, and resets through an emailed link. */
import { z } from 'zod';
import {
  readPasswordReset,
  requestPasswordReset,
  listKeysOfReset,
  resetPassword,
} from '../../src/services/sign-in/password-resets.ts';
import { changePassword } from '../../src/services/sign-in/passwords.ts';
import { email, newPassword, presentedPassword } from './credentials-schema.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { present } from '../http/present.ts';
import { nullableTimestamp, timestamp, uuid } from '../http/schema.ts';
import { setsSessionCookie, setsSessionCookieText } from '../http/session-cookies.ts';

const liveKeySchema = z
  .strictObject({
    id: uuid('The key.'),
    name: z.string().meta({ description: 'Its name.' }),
    created_at: timestamp('When it was issued.'),
    last_used_at: nullableTimestamp('When it was last used; null when never.'),
  })
  .meta({ id: 'LiveAPIKey', description: 'A personal API key that works.' });

const resetToken = () =>
  z
    .string()
    .min(1)
    .max(200)
    .meta({ description: 'The token of the link, `whr_…`.', format: 'password' });

export const passwordEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'requestPasswordReset',
    method: 'post',
    path: '/auth/password/forgot',
    tag: 'Sign-in',
    summary: 'Request a password reset link',
    description:
      'Emails a link that works once within an hour, if an active member with a password has this email. The response is always the same and is sent before the lookup. At most five links an hour per person. Calls count as sign-in attempts.',
    auth: 'none',
    bodyLimit: BODY_BYTES.signIn,
    attempt: 'sign_in',
    body: z.strictObject({ email: email() }),
    requestExample: { email: 'ada@example.com' },
    success: { status: 202, description: 'Accepted, whether or not an account has this email.' },
    errors: ['rate_limited', 'email_not_configured'],
    handler: async ({ body, client }, context) => {
      await requestPasswordReset(context, { email: body.email, client });
      return {};
    },
  }),
  defineEndpoint({
    operationId: 'getPasswordReset',
    method: 'get',
    path: '/auth/password/reset/{token}',
    tag: 'Sign-in',
    summary: 'Check a password reset link',
    description:
      'For the page that the link opens, before it asks for a password. Using one link ends all other links of the person.',
    auth: 'none',
    params: z.strictObject({ token: resetToken() }),
    success: {
      status: 200,
      description: 'The link works.',
      body: z.strictObject({
        expires_at: timestamp('When the link ends.'),
        removes_second_factor: z.boolean().meta({
          description:
            'Whether using it also removes the second factor: `countersign recover-owner` made it for an owner who lost theirs.',
        }),
        api_keys: z.array(liveKeySchema).meta({
          description:
            'The personal API keys that still work, newest first. A reset leaves them alive unless it says `revoke_api_keys`.',
        }),
      }),
      example: {
        expires_at: '2026-03-02T09:30:00.000Z',
        removes_second_factor: false,
        api_keys: [
          {
            id: '0199a3f1-7c53-7d2f-8e63-2a7b4c5d6e32',
            name: 'deploy script',
            created_at: '2026-02-02T09:00:00.000Z',
            last_used_at: null,
          },
        ],
      },
    },
    errors: [],
    handler: async ({ params }, context) => {
      const reset = await readPasswordReset(context, params.token);
      const keys = await listKeysOfReset(context, reset);
      return {
        body: {
          expires_at: reset.expiresAt,
          removes_second_factor: reset.removesSecondFactor,
          api_keys: keys.map((key) => present(liveKeySchema, key)),
        },
      };
    },
  }),
  defineEndpoint({
    operationId: 'resetPassword',
    method: 'post',
    path: '/auth/password/reset',
    tag: 'Sign-in',
    summary: 'Reset a password',
    description:
      'Sets a new password with the token of the link. Ends every session of the person in all organizations; they sign in again, with their second factor if they have one and the link does not remove it. Their API keys keep working, unless `revoke_api_keys` is true; an email lists those. At most sixty calls a minute from one network, together with its sign-in attempts. A used or expired token returns 404.',
    auth: 'none',
    bodyLimit: BODY_BYTES.signIn,
    attempt: 'sign_in',
    body: z.strictObject({
      token: resetToken(),
      password: newPassword(),
      revoke_api_keys: z
        .boolean()
        .default(false)
        .meta({ description: 'Also revokes every personal API key of the person.' }),
    }),
    requestExample: {
      token: 'whr_0199a3f1-7c52-7b0e-9d52-1f6a3b0c4d21_cX0tJ0b0ZHk2b1R3c0pXb0VtQ2hSbG9kV3JpdGVz',
      password: 'nine quiet herons by the weir',
    },
    success: { status: 204, description: 'The new password is set.' },
    errors: ['not_found', 'rate_limited'],
    handler: async ({ body, client }, context) => {
      const { token, password, revoke_api_keys: revokeApiKeys } = body;
      await resetPassword(context, { token, password, revokeApiKeys, client });
      return {};
    },
  }),
  defineEndpoint({
    operationId: 'changePassword',
    method: 'put',
    path: '/api/v1/me/password',
    tag: 'Account',
    summary: 'Change your own password',
    description:
      'Your other sessions end, in every organization. This session counts as recently authenticated and gets a new cookie. If you have a second factor, the session must be strong; otherwise 403 `mfa_required` until you send a code to `POST /auth/reauthenticate`. Calls count together with those of `POST /auth/reauthenticate`. An account that signs in through an identity provider has no password to change: 409.',
    auth: 'session',
    body: z.strictObject({ current_password: presentedPassword(), new_password: newPassword() }),
    requestExample: {
      current_password: 'seven bright ravens on a wire',
      new_password: 'nine quiet herons by the weir',
    },
    success: {
      status: 204,
      description: 'The new password is set.',
      headers: setsSessionCookieText,
    },
    errors: ['invalid_credentials', 'mfa_required', 'no_password'],
    handler: async ({ principal, body, client, cookies }, context) => {
      const input = {
        current: body.current_password,
        next: body.new_password,
        client,
        presented: cookies.session,
      };
      const { token } = await changePassword(context, principal, input);
      return { headers: setsSessionCookie(context, token) };
    },
  }),
];
