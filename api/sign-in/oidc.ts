/** Signing in through an OpenID provider. */
import { z } from 'zod';
import { isReturnPath } from '../../src/domain/sign-in/oidc.ts';
import {
  beginSignIn,
  finishSignIn,
  SIGN_IN_MINUTES,
  signInOptions,
} from '../../src/services/sign-in/oidc.ts';
import type { Runtime } from '../../src/services/context.ts';
import { SSO_COOKIE } from '../http/authentication.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { setsSessionCookie } from '../http/session-cookies.ts';

const optionsSchema = z
  .strictObject({
    password: z.boolean().meta({ description: 'Email and password are accepted. Always true.' }),
    password_reset: z
      .boolean()
      .meta({ description: 'A forgotten password can be set anew by a link in an email.' }),
    sso: z
      .strictObject({ name: z.string().meta({ description: 'What to write on the button.' }) })
      .optional()
      .meta({ description: 'The identity provider; absent without one.' }),
  })
  .meta({ id: 'SignInOptions', description: 'The ways to sign in that this deployment offers.' });

const returnTo = z
  .string()
  .refine(isReturnPath, { error: 'must be a path of this service, such as /requests' })
  .default('/')
  .meta({
    description:
      'The page to go to afterwards: a path of this service, of unescaped ASCII characters, without `//` or a backslash.',
    override: { type: 'string', default: '/', maxLength: 2000 },
  });

/** `value` empty clears the cookie. Sent back to these endpoints only, also where the service lives below a path. */
function ssoCookie({ publicUrl }: Runtime, value: string): string {
  const { protocol, pathname } = new URL(publicUrl());
  const path = `${pathname.replace(/\/$/, '')}/auth/oidc`;
  const secure = protocol === 'https:' ? '; Secure' : '';
  return `${SSO_COOKIE}=${value}; Path=${path}; Max-Age=${value === '' ? 0 : SIGN_IN_MINUTES * 60}; HttpOnly; SameSite=Lax${secure}`;
}

export const oidcEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getSignInOptions',
    method: 'get',
    path: '/auth/options',
    tag: 'Sign-in',
    summary: 'How people can sign in here',
    description: 'For sign-in pages.',
    auth: 'none',
    success: {
      status: 200,
      description: 'The ways in.',
      body: optionsSchema,
      example: { password: true, password_reset: true, sso: { name: 'Example Works' } },
    },
    errors: [],
    handler: async (_call, context) => {
      const { passwordReset, sso } = signInOptions(context);
      return {
        body: {
          password: true,
          password_reset: passwordReset,
          ...(sso !== undefined && { sso: { name: sso } }),
        },
      };
    },
  }),
  defineEndpoint({
    operationId: 'beginSingleSignOn',
    method: 'get',
    path: '/auth/oidc/login',
    tag: 'Sign-in',
    summary: 'Sign in through the identity provider',
    description:
      'The session is as fresh as the proof at the provider, which is asked for its time (`auth_time`); where it does not tell, the session counts as proven a day ago: fresh only after a code of a second factor, or `prompt=login` with a provider that tells. To be followed by a browser: sends it to the OpenID provider of the deployment, which sends it back to `/auth/oidc/callback` within ten minutes. `prompt=login` is how an account without a password authenticates again: the provider must ask for proof anew, even where it remembers the person.',
    auth: 'none',
    query: z.strictObject({
      return_to: returnTo,
      prompt: z
        .literal('login')
        .optional()
        .meta({ description: 'The person must prove to the provider anew who he is.' }),
    }),
    success: {
      status: 302,
      description: 'On to the provider.',
      headers: {
        Location: 'The authorization endpoint of the provider.',
        'Set-Cookie':
          'The cookie `service_sso`, which binds the sign-in to this browser for ten minutes.',
      },
    },
    errors: ['sso_not_configured', 'identity_provider_failed'],
    handler: async ({ query }, context) => {
      const { url, cookie } = await beginSignIn(context, {
        returnTo: query.return_to,
        anew: query.prompt === 'login',
      });
      return { headers: { Location: url, 'Set-Cookie': ssoCookie(context, cookie) } };
    },
  }),
  defineEndpoint({
    operationId: 'finishSingleSignOn',
    method: 'get',
    path: '/auth/oidc/callback',
    tag: 'Sign-in',
    summary: 'Come back from the identity provider',
    description:
      'The redirect URI to register at the provider. Opens a session, `strong` when the provider says `mfa`, as old as the proof given there; an authenticator app enrolled here is not asked for, since the provider stands for the password and decides about factors itself. The session the browser had ends. Whoever is unknown enters by a verified email: as the active member who has it, or as a new member without permissions where its domain is admitted.\n\nWhat fails ends at `/login?error=<code>`: `sso_denied` (the person or the provider said no), `sso_expired` (the sign-in did not begin in this browser in the last ten minutes, or is over), `sso_failed` (the answer is not one to this sign-in, or the provider failed), `sign_in_not_admitted`, `membership_inactive`, `seat_limit_reached`.',
    auth: 'none',
    query: z.looseObject({
      code: z.string().optional().meta({ description: 'To be traded for tokens.' }),
      state: z.string().optional().meta({ description: 'Names the sign-in this answers.' }),
      iss: z.string().optional().meta({ description: 'The provider.' }),
      error: z.string().optional().meta({ description: 'Why there is no code.' }),
    }),
    success: {
      status: 302,
      description: 'On to the page the person wanted, or to the sign-in page with a code.',
      headers: {
        Location: 'A page of this service.',
        'Set-Cookie':
          'Clears the cookie `service_sso`; sets the session cookie `service_session` when the person is signed in.',
      },
    },
    errors: ['sso_not_configured'],
    handler: async ({ query, cookies, client }, context) => {
      const { url, sessionToken } = await finishSignIn(context, {
        query: query as Record<string, string>,
        cookies,
        client,
      });
      const session =
        sessionToken === undefined ? [] : [setsSessionCookie(context, sessionToken)['Set-Cookie']];
      return { headers: { Location: url, 'Set-Cookie': [ssoCookie(context, ''), ...session] } };
    },
  }),
];
