/** Sign-in through an OpenID provider. */
import { z } from 'zod';
import { isReturnPath } from '../../src/domain/sign-in/oidc.ts';
import {
  beginSignIn,
  finishSignIn,
  readSignInOptions,
  SIGN_IN_MINUTES,
  type PendingCookie,
} from '../../src/services/sign-in/oidc.ts';
import type { AppRuntime } from '../../src/services/context.ts';
import { DEFAULT_RETURN_PATH } from '../../src/services/links.ts';
import { SSO_COOKIE_PREFIX } from '../http/authentication.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { editionSchema } from '../http/schema.ts';
import { setsSessionCookie } from '../http/session-cookies.ts';

const optionsSchema = z
  .strictObject({
    password: z.boolean().meta({ description: 'Email and password are accepted. Always true.' }),
    password_reset: z
      .boolean()
      .meta({ description: 'Whether people can reset a forgotten password by email.' }),
    sso: z
      .strictObject({ name: z.string().meta({ description: 'The label for the sign-in button.' }) })
      .optional()
      .meta({ description: 'The identity provider; absent without one.' }),
    bootstrap_required: z.boolean().meta({
      description:
        'Whether there is no organization yet: `POST /auth/bootstrap` creates it and its first owner.',
    }),
    edition: editionSchema(),
  })
  .meta({ id: 'SignInOptions', description: 'The ways to sign in that this deployment offers.' });

const returnTo = z
  .string()
  .refine(isReturnPath, { error: 'must be a path of this service, such as /requests' })
  .default(DEFAULT_RETURN_PATH)
  .meta({
    description:
      'The page to open after sign-in: a path of this service, in unescaped ASCII, without `//` or a backslash.',
    override: { type: 'string', default: DEFAULT_RETURN_PATH, maxLength: 2000 },
  });

/** An empty value clears the cookie. Browsers send it only to these endpoints. */
function ssoCookie({ publicUrl }: AppRuntime, { id, sealed }: PendingCookie): string {
  const secure = new URL(publicUrl()).protocol === 'https:' ? '; Secure' : '';
  return `${SSO_COOKIE_PREFIX}${id}=${sealed}; Path=/auth/oidc; Max-Age=${sealed === '' ? 0 : SIGN_IN_MINUTES * 60}; HttpOnly; SameSite=Lax${secure}`;
}

export const oidcEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getSignInOptions',
    method: 'get',
    path: '/auth/options',
    tag: 'Sign-in',
    summary: 'Get the ways to sign in',
    description: 'For sign-in pages, and for the page on which the first owner begins.',
    auth: 'none',
    success: {
      status: 200,
      description: 'The ways to sign in.',
      body: optionsSchema,
      example: {
        password: true,
        password_reset: true,
        sso: { name: 'Example Works' },
        bootstrap_required: false,
        edition: 'open',
      },
    },
    errors: [],
    handler: async (_call, context) => {
      const { passwordReset, sso, bootstrapRequired, edition } = await readSignInOptions(context);
      return {
        body: {
          password: true,
          password_reset: passwordReset,
          ...(sso !== undefined && { sso: { name: sso } }),
          bootstrap_required: bootstrapRequired,
          edition,
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
      'For browsers. Redirects to the OpenID provider of the deployment, which redirects back to `/auth/oidc/callback` within ten minutes. The session is as recent as the authentication at the provider (`auth_time`). Without `auth_time` the session counts as a day old; a code of a second factor makes it recent. `prompt=login` lets an account without a password authenticate again: the provider must ask the person again, even if it remembers them.',
    auth: 'none',
    query: z.strictObject({
      return_to: returnTo,
      prompt: z
        .literal('login')
        .optional()
        .meta({ description: 'The provider must ask the person to authenticate again.' }),
    }),
    success: {
      status: 302,
      description: 'Redirects to the provider.',
      headers: {
        Location: 'The authorization endpoint of the provider.',
        'Set-Cookie':
          'A cookie `service_sso_…` of this sign-in, which binds it to this browser for ten minutes. A browser keeps at most six: older ones are cleared.',
      },
    },
    errors: ['sso_not_configured', 'identity_provider_failed'],
    handler: async ({ query, cookies }, context) => {
      const { url, cookie, forgotten } = await beginSignIn(context, {
        returnTo: query.return_to,
        reauthenticate: query.prompt === 'login',
        cookies: cookies.sso,
      });
      const cleared = forgotten.map((id) => ({ id, sealed: '' }));
      const kept = [...cleared, cookie].map((each) => ssoCookie(context, each));
      return { headers: { Location: url, 'Set-Cookie': kept } };
    },
  }),
  defineEndpoint({
    operationId: 'finishSingleSignOn',
    method: 'get',
    path: '/auth/oidc/callback',
    tag: 'Sign-in',
    summary: 'Return from the identity provider',
    description:
      'The redirect URI to register at the provider. It opens a session and ends the previous one of the browser.\n\n' +
      '- The session is `strong` when the provider reports `mfa`, and as old as the authentication there.\n' +
      '- It does not ask for an authenticator app enrolled here: the provider decides about factors.\n' +
      '- An unknown identity enters by its verified email: as the active member with that email, or as a new member without permissions where its domain is admitted.\n' +
      '- A member with an identity at this provider is never linked to another one, since an address can go to another person. An owner may unlink the former one.\n' +
      '- Each sign-in has its own cookie, so several tabs do not disturb each other. A response that this browser did not ask for ends nothing.\n\n' +
      'Failures redirect to `/login?error=<code>`, with `&return_to=<path>` when the sign-in named a page other than `/`:\n' +
      '- `sso_denied`: the person or the provider refused.\n' +
      '- `sso_expired`: the sign-in did not start in this browser within ten minutes, or is over.\n' +
      '- `sso_failed`: the response does not belong to this sign-in, or the provider failed.\n' +
      '- `email_not_verified`: the email is not verified by the provider.\n' +
      '- `sign_in_not_admitted`, `membership_inactive`, `seat_limit_reached`: the person may not enter.',
    auth: 'none',
    query: z.looseObject({
      code: z.string().optional().meta({ description: 'The authorization code.' }),
      state: z.string().optional().meta({ description: 'Identifies the sign-in.' }),
      iss: z.string().optional().meta({ description: 'The provider.' }),
      error: z
        .string()
        .optional()
        .meta({ description: 'The provider’s error, instead of a code.' }),
    }),
    success: {
      status: 302,
      description: 'Redirects to the requested page, or to the sign-in page with an error code.',
      headers: {
        Location: 'A page of this service.',
        'Set-Cookie':
          'Clears the cookie `service_sso_…` of this sign-in, and no other; sets the session cookie `service_session` when the person is signed in.',
      },
    },
    errors: ['sso_not_configured'],
    handler: async ({ query, cookies, client }, context) => {
      const { url, sessionToken, usedCookie } = await finishSignIn(context, {
        query: query as Record<string, string>,
        cookies,
        client,
      });
      const session =
        sessionToken === undefined ? [] : setsSessionCookie(context, sessionToken)['Set-Cookie'];
      const used =
        usedCookie === undefined ? [] : [ssoCookie(context, { id: usedCookie, sealed: '' })];
      return { headers: { Location: url, 'Set-Cookie': [...used, ...session] } };
    },
  }),
];
