/** Signing in and out, and letting the first owner in. */
import { z } from 'zod';
import { bootstrap } from '../src/services/bootstrap.ts';
import { signIn, signOut } from '../src/services/sessions.ts';
import { email, newPassword, presentedPassword } from './credentials-schema.ts';
import { defineEndpoint, type Endpoint } from './endpoint.ts';
import { accountExample, accountShape, showAccount } from './me.ts';
import { label } from './schema.ts';
import { clearsSessionCookie, clearsSessionCookieText, setsSessionCookie, setsSessionCookieText } from './session-cookies.ts';

export const authEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'bootstrap',
    method: 'post',
    path: '/auth/bootstrap',
    tag: 'Sign-in',
    summary: 'Create the organization and its first owner, once',
    description: 'Proven by the bootstrap secret, which the service keeps in a file only its operator can read.',
    auth: 'none',
    body: z.strictObject({
      secret: z.string().min(1).max(1024).meta({ description: 'The bootstrap secret.', format: 'password' }),
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
      body: accountShape,
      headers: setsSessionCookieText,
      example: accountExample,
    },
    errors: ['bootstrap_secret_invalid', 'already_bootstrapped'],
    handler: async ({ body, client }, context) => {
      const { token, account: created } = await bootstrap(context, {
        secret: body.secret,
        organizationName: body.organization_name,
        displayName: body.display_name,
        email: body.email,
        password: body.password,
        client,
      });
      return { body: showAccount(created), headers: setsSessionCookie(context, token) };
    },
  }),
  defineEndpoint({
    operationId: 'signIn',
    method: 'post',
    path: '/auth/login',
    tag: 'Sign-in',
    summary: 'Sign in with email and password',
    description:
      'Always opens a new session, fresh for 15 minutes. Ten attempts a minute for one email from one address; the answer does not tell an unknown email from a wrong password.',
    auth: 'none',
    body: z.strictObject({ email: email(), password: presentedPassword() }),
    requestExample: { email: 'ada@example.com', password: 'seven bright ravens on a wire' },
    success: { status: 200, description: 'Signed in.', body: accountShape, headers: setsSessionCookieText, example: accountExample },
    errors: ['invalid_credentials', 'membership_inactive', 'rate_limited'],
    handler: async ({ body, client }, context) => {
      const { token, account: signedIn } = await signIn(context, { ...body, client });
      return { body: showAccount(signedIn), headers: setsSessionCookie(context, token) };
    },
  }),
  defineEndpoint({
    operationId: 'signOut',
    method: 'post',
    path: '/auth/logout',
    tag: 'Sign-in',
    summary: 'End the session',
    description: 'Ends the session of the cookie and clears the cookie. Without a live session nothing else happens.',
    auth: 'none',
    success: { status: 204, description: 'Signed out.', headers: clearsSessionCookieText },
    errors: [],
    handler: async ({ cookies }, context) => {
      await signOut(context, cookies.session);
      return { headers: clearsSessionCookie(context) };
    },
  }),
];
