/** Signing in and out, proving again who one is, and letting the first owner in. */
import { z } from 'zod';
import { bootstrap } from '../../src/services/organization/bootstrap.ts';
import type { ServiceContext } from '../../src/services/context.ts';
import { signOut, type SignedIn } from '../../src/services/sign-in/sessions.ts';
import { completeSignIn, reauthenticate, signIn } from '../../src/services/sign-in/sign-in.ts';
import { email, newPassword, presentedPassword } from './credentials-schema.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint, type Reply } from '../http/endpoint.ts';
import { accountExample, accountSchema, presentAccount } from './me.ts';
import { authContextSchema, label, timestamp } from '../http/schema.ts';
import {
  clearsSessionCookie,
  clearsSessionCookieText,
  setsSessionCookie,
  setsSessionCookieText,
} from '../http/session-cookies.ts';

/** Generous for six digits or a recovery code however it is typed, and short for whoever sends megabytes. */
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
          description: 'Names this sign-in for `POST /auth/mfa`; opens nothing by itself.',
        }),
        methods: z
          .array(z.enum(['totp', 'recovery_code']))
          .meta({ description: 'What may be given as the code.' }),
        expires_at: timestamp('When the sign-in has to begin again.'),
      })
      .meta({ description: 'The awaited second factor.' }),
  })
  .meta({ id: 'MfaChallenge', description: 'The password was right; a second factor is awaited.' });

const challengeExample = {
  mfa: {
    token: 'whm_0199a3f2-0d3e-7a55-b1c7-6f0e9d8c7b6a_<secret>',
    methods: ['totp', 'recovery_code'],
    expires_at: '2026-03-02T08:35:00.000Z',
  },
};

function signedInReply(context: ServiceContext, { token, account }: SignedIn): Reply {
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
      'Proven by the bootstrap secret, which the service keeps in a file only its operator can read.',
    auth: 'none',
    bodyLimit: BODY_BYTES.signIn,
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
      description: 'Created, and signed in.',
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
      'Always opens a new session, fresh for a while, and ends a live one whose cookie came with the call. Where an authenticator app is enrolled, answers 202 and signs nobody in yet. Attempts that fail are limited to ten a minute for one email from one network (an IPv4 address, or the /64 of an IPv6 address) and to sixty a minute from one network; one that succeeds does not count. The answer does not tell an unknown email from a wrong password.',
    auth: 'none',
    bodyLimit: BODY_BYTES.signIn,
    signInAttempt: true,
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
          description: 'A second factor is awaited.',
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
      'Within five minutes, once, and with at most five wrong codes. Attempts count with those of `POST /auth/login`, and both are taken back when it succeeds; twenty wrong codes of one authenticator app an hour, and only recovery codes are looked at for the rest of it. No code serves twice.',
    auth: 'none',
    bodyLimit: BODY_BYTES.signIn,
    signInAttempt: true,
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
    summary: 'Prove again who one is',
    description:
      'By the password, a code of the second factor, or both; all that is given must be right. Makes the session fresh, and a code makes it strong. The password alone is enough for a session that is strong already, and for who has no second factor; otherwise it is 403 `mfa_required`. The session stays the same under a new cookie; the old cookie is worth nothing at once. Ten attempts a minute that fail for one session, whoever else tries to sign in with this email.',
    auth: 'session',
    bodyLimit: BODY_BYTES.signIn,
    body: z.strictObject({
      password: presentedPassword().optional(),
      code: presentedCode().optional(),
    }),
    requestExample: { password: 'seven bright ravens on a wire' },
    success: {
      status: 200,
      description: 'Proven.',
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
      'Ends the session of the cookie and clears the cookie. Without a live session nothing else happens.',
    auth: 'none',
    success: { status: 204, description: 'Signed out.', headers: clearsSessionCookieText },
    errors: [],
    handler: async ({ cookies }, context) => {
      await signOut(context, cookies.session);
      return { headers: clearsSessionCookie(context) };
    },
  }),
];
