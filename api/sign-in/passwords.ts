/** Changing a password, and setting a new one through a link sent by email. */
import { z } from 'zod';
import {
  readPasswordReset,
  requestPasswordReset,
  resetPassword,
} from '../../src/services/sign-in/password-resets.ts';
import { changePassword } from '../../src/services/sign-in/passwords.ts';
import { email, newPassword, presentedPassword } from './credentials-schema.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { timestamp } from '../http/schema.ts';
import { setsSessionCookie, setsSessionCookieText } from '../http/session-cookies.ts';

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
    summary: 'Ask for a link to set a new password',
    description:
      'Sends a link that works once, within an hour, when an active member with a password has this email. The answer is always the same, and comes before anything is looked up. At most five links an hour are sent to one person, and calls count as sign-in attempts.',
    auth: 'none',
    bodyLimit: BODY_BYTES.signIn,
    signInAttempt: true,
    body: z.strictObject({ email: email() }),
    requestExample: { email: 'ada@example.com' },
    success: { status: 202, description: 'Taken note of, whether or not anybody has this email.' },
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
    summary: 'Whether a link to set a new password still works',
    description:
      'For the page behind the link, before it asks for a password. Using one link ends all others of the person.',
    auth: 'none',
    params: z.strictObject({ token: resetToken() }),
    success: {
      status: 200,
      description: 'It works.',
      body: z.strictObject({ expires_at: timestamp('When the link ends.') }),
      example: { expires_at: '2026-03-02T09:30:00.000Z' },
    },
    errors: [],
    handler: async ({ params }, context) => ({
      body: { expires_at: (await readPasswordReset(context, params.token)).expiresAt },
    }),
  }),
  defineEndpoint({
    operationId: 'resetPassword',
    method: 'post',
    path: '/auth/password/reset',
    tag: 'Sign-in',
    summary: 'Set a new password with the token of a link',
    description:
      'Ends every session of the person in all organizations and signs nobody in: a second factor is still asked for. Sixty calls a minute from one network, with its sign-in attempts. A token that has served or ended is 404.',
    auth: 'none',
    bodyLimit: BODY_BYTES.signIn,
    signInAttempt: true,
    body: z.strictObject({ token: resetToken(), password: newPassword() }),
    requestExample: {
      token: 'whr_0199a3f1-7c52-7b0e-9d52-1f6a3b0c4d21_cX0tJ0b0ZHk2b1R3c0pXb0VtQ2hSbG9kV3JpdGVz',
      password: 'nine quiet herons by the weir',
    },
    success: { status: 204, description: 'The new password is set.' },
    errors: ['not_found', 'rate_limited'],
    handler: async ({ body, client }, context) => {
      await resetPassword(context, { ...body, client });
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
      'Your other sessions end, in every organization; this one becomes fresh and its cookie changes. Where you have a second factor, the session must be strong: else it is 403 `mfa_required`, until a code renews it (`POST /auth/reauthenticate`). Calls count with those of `POST /auth/reauthenticate`. An account without a password, which signs in at an identity provider, has none to change: 409.',
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
