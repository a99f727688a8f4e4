/** Sign-in, sign-out, re-authentication, and the bootstrap of the first owner. */
import { z } from 'zod';
import { bootstrap } from '../../src/services/organization/bootstrap.ts';
import type { AppContext } from '../../src/services/context.ts';
import { signOut, type SignedIn } from '../../src/services/sign-in/sessions.ts';
import { completeSignIn, reauthenticate, signIn } from '../../src/services/sign-in/sign-in.ts';
import { email, newPassword, presentedPassword } from './credentials-schema.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint, type Reply } from '../http/endpoint.ts';
import { accountExample, accountSchema, presentAccount } from './me.ts';
import { authContextSchema, label, timestamp } from '../http/schema.ts';
import {
  clearsSessionCookie,
  clearsSessionCookieText,
  CLEARS_SITE_DATA,
  clearsSiteDataText,
  setsSessionCookie,
  setsSessionCookieText,
} from '../http/session-cookies.ts';

/** Long enough for any spelling of a code, short enough to bound the work. */
const presentedCode = () =>
  z
    .string()
    .min(1)
    .max(64)
    .meta({ description: 'Six digits of the authenticator app, or a recovery code.' });

const challengeSchema = z
  .strictObject({
    mfa: z
      .strictObject({
        token: z.string().meta({
          description: 'Identifies this sign-in for `POST /auth/mfa`. It is not a credential.',
        }),
        methods: z
          .array(z.enum(['totp', 'recovery_code']))
          .meta({ description: 'The kinds of code that are accepted.' }),
        expires_at: timestamp('When the sign-in has to begin again.'),
      })
      .meta({ description: 'The second factor to send.' }),
  })
  .meta({
    id: 'MfaChallenge',
    description: 'The password was correct. A second factor is required.',
  });

const challengeExample = {
  mfa: {
    token: 'whm_0199a3f2-0d3e-7a55-b1c7-6f0e9d8c7b6a_<secret>',
    methods: ['totp', 'recovery_code'],
    expires_at: '2026-03-02T08:35:00.000Z',
  },
};

function signedInReply(context: AppContext, { token, account }: SignedIn): Reply {
  return { body: presentAccount(account), headers: setsSessionCookie(context, token) };
}

export const authEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'bootstrap',
    method: 'post',
    path: '/auth/bootstrap',
    tag: 'Sign-in',
    summary: 'Create the organization and its first owner, once',
    description:
      'Requires the bootstrap secret, which the service stores in a file that only its operator can read. Failed attempts count with the attempts to sign in: at most sixty a minute from one network.',
    auth: 'none',
    bodyLimit: BODY_BYTES.signIn,
    attempt: 'sign_in',
    body: z.strictObject({
      secret: z
        .string()
        .min(1)
        .max(1024)
        .meta({ description: 'The bootstrap secret.', format: 'password' }),
      organization_name: label('The name of the organization; its slug is made from it.'),
      display_name: label("The owner's name, as others see it."),
      email: email(),
      password: newPassword(),
    }),
    requestExample: {
      secret: 'the line in the bootstrap-secret file',
      organization_name: 'Example Works',
      display_name: 'Ada Marsh',
      email: 'ada@example.com',
      password: 'seven bright ravens on a wire',
    },
    success: {
      status: 201,
      description: 'Created. The owner is signed in.',
      body: accountSchema,
      headers: setsSessionCookieText,
      example: accountExample,
    },
    errors: ['bootstrap_secret_invalid', 'already_bootstrapped', 'rate_limited'],
    handler: async ({ body, client }, context) => {
      const created = await bootstrap(context, {
        secret: body.secret,
        organizationName: body.organization_name,
        displayName: body.display_name,
        email: body.email,
        password: body.password,
        client,
      });
      return signedInReply(context, created);
    },
  }),
  defineEndpoint({
    operationId: 'signIn',
    method: 'post',
    path: '/auth/login',
    tag: 'Sign-in',
    summary: 'Sign in with email and password',
    description:
      'Opens a new, recently authenticated session, and ends the session whose cookie came with the call. If an authenticator app is enrolled, it returns 202 and waits for the second factor. The response is the same for an unknown email and a wrong password.\n\n' +
      'Failed attempts are limited. Successful ones do not count. A network is an IPv4 address, or the /64 of an IPv6 address.\n' +
      '- ten a minute for one email from one network\n' +
      '- sixty a minute from one network',
    auth: 'none',
    bodyLimit: BODY_BYTES.signIn,
    attempt: 'sign_in',
    body: z.strictObject({ email: email(), password: presentedPassword() }),
    requestExample: { email: 'ada@example.com', password: 'seven bright ravens on a wire' },
    success: {
      status: [200, 202],
      description: 'Signed in.',
      body: accountSchema,
      headers: setsSessionCookieText,
      example: accountExample,
      otherwise: {
        202: {
          description: 'A second factor is required.',
          body: challengeSchema,
          example: challengeExample,
        },
      },
    },
    errors: ['invalid_credentials', 'membership_inactive', 'rate_limited'],
    handler: async ({ body, client, cookies }, context) => {
      const outcome = await signIn(context, { ...body, client, presented: cookies.session });
      if (outcome.kind === 'signed_in') return signedInReply(context, outcome.as);
      const { token, expiresAt } = outcome.by;
      return {
        status: 202,
        body: { mfa: { token, methods: ['totp', 'recovery_code'], expires_at: expiresAt } },
      };
    },
  }),
  defineEndpoint({
    operationId: 'completeSignIn',
    method: 'post',
    path: '/auth/mfa',
    tag: 'Sign-in',
    summary: 'Complete a sign-in with a second factor',
    description:
      'Works once, within five minutes, and with at most five wrong codes. Attempts count together with those of `POST /auth/login`; success clears both. After twenty wrong codes of one authenticator app in an hour, only recovery codes work for the rest of that hour. Each code works once.',
    auth: 'none',
    bodyLimit: BODY_BYTES.signIn,
    attempt: 'sign_in',
    body: z.strictObject({
      token: z
        .string()
        .min(1)
        .max(200)
        .meta({ description: 'The token of the 202 of `POST /auth/login`.' }),
      code: presentedCode(),
    }),
    requestExample: { token: challengeExample.mfa.token, code: '123456' },
    success: {
      status: 200,
      description: 'Signed in.',
      body: accountSchema,
      headers: setsSessionCookieText,
      example: accountExample,
    },
    errors: ['invalid_credentials', 'membership_inactive', 'rate_limited', 'secrets_key_missing'],
    handler: async ({ body, client, cookies }, context) =>
      signedInReply(
        context,
        await completeSignIn(context, { ...body, client, presented: cookies.session }),
      ),
  }),
  defineEndpoint({
    operationId: 'reauthenticate',
    method: 'post',
    path: '/auth/reauthenticate',
    tag: 'Sign-in',
    summary: 'Authenticate again',
    description:
      'With the password, a code of the second factor, or both; everything sent must be correct. The session counts as recently authenticated, and a code makes it strong. The password alone is enough for a session that is already strong and for people without a second factor; otherwise 403 `mfa_required`. The session continues under a new cookie, and the old cookie stops working at once. At most ten failed attempts a minute for one session.',
    auth: 'session',
    bodyLimit: BODY_BYTES.signIn,
    body: z.strictObject({
      password: presentedPassword().optional(),
      code: presentedCode().optional(),
    }),
    requestExample: { password: 'seven bright ravens on a wire' },
    success: {
      status: 200,
      description: 'Authenticated.',
      body: z.strictObject({ auth: authContextSchema }),
      headers: setsSessionCookieText,
      example: { auth: accountExample.principal.auth },
    },
    errors: ['invalid_credentials', 'mfa_required', 'secrets_key_missing'],
    handler: async ({ principal, body, client, cookies }, context) => {
      const { token, auth } = await reauthenticate(context, principal, {
        ...body,
        client,
        presented: cookies.session,
      });
      return { body: { auth }, headers: setsSessionCookie(context, token) };
    },
  }),
  defineEndpoint({
    operationId: 'signOut',
    method: 'post',
    path: '/auth/logout',
    tag: 'Sign-in',
    summary: 'End the session',
    description:
      'Ends the session, clears its cookie, and removes what the browser stored for this service, such as drafts. Without a live session it only does the latter two.',
    auth: 'none',
    success: {
      status: 204,
      description: 'Signed out.',
      headers: { ...clearsSessionCookieText, ...clearsSiteDataText },
    },
    errors: [],
    handler: async ({ cookies }, context) => {
      await signOut(context, cookies.session);
      return { headers: { ...clearsSessionCookie(context), ...CLEARS_SITE_DATA } };
    },
  }),
];
