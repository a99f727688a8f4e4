/** What the link in an invitation opens: seeing who invites, and joining. */
import { z } from 'zod';
import { join, readInvitationLink } from '../src/services/invitations/accept.ts';
import { presentedPassword } from './credentials-schema.ts';
import { defineEndpoint, type Endpoint } from './endpoint.ts';
import { accountExample, accountShape, showAccount } from './me.ts';
import { label, timestamp } from './schema.ts';
import { setsSessionCookie, setsSessionCookieText } from './session-cookies.ts';

const TAG = 'Invitations';

const params = z.strictObject({
  token: z.string().min(1).max(200).meta({ description: 'The secret part of the link: `whi_<id>_<secret>`.' }),
});

export const invitationLinkEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getInvitationLink',
    method: 'get',
    path: '/auth/invitations/{token}',
    tag: TAG,
    summary: 'See an invitation by its link',
    description: 'For the invited person. A link that is unknown, replaced, used, revoked or expired is not found.',
    auth: 'none',
    params,
    success: {
      status: 200,
      description: 'The pending invitation.',
      body: z
        .strictObject({
          organization: z
            .strictObject({ name: z.string().meta({ description: 'Its name.' }) })
            .meta({ description: 'The organization to join.' }),
          email: z.string().meta({ description: 'Who is invited.' }),
          invited_by: z.strictObject({ display_name: z.string().meta({ description: 'His name.' }) }).meta({ description: 'Who invites.' }),
          expires_at: timestamp('When the link ends.'),
          account_exists: z.boolean().meta({
            description:
              'Whether somebody signs in with this email already: then joining takes his password or his session, not a new password.',
          }),
        })
        .meta({ id: 'InvitationLink', description: 'An invitation as the invited person sees it.' }),
      example: {
        organization: { name: 'Example Works' },
        email: 'grace@example.com',
        invited_by: { display_name: 'Ada Marsh' },
        expires_at: '2026-03-09T08:30:00.000Z',
        account_exists: false,
      },
    },
    errors: [],
    handler: async ({ params: { token } }, context) => {
      const { organizationName, email, inviterName, expiresAt, userId } = await readInvitationLink(context, token);
      const invited_by = { display_name: inviterName };
      const body = { organization: { name: organizationName }, email, invited_by, expires_at: expiresAt, account_exists: userId !== null };
      return { body };
    },
  }),
  defineEndpoint({
    operationId: 'acceptInvitation',
    method: 'post',
    path: '/auth/invitations/{token}/accept',
    tag: TAG,
    summary: 'Join the organization',
    description:
      'Signs the person in as a member with exactly what the invitation grants, less teams and agents that were archived since. Without an account: `display_name` and `password`, by the rules for new passwords. With an account: its `password` and, where it has a second factor, a `code`; or an empty object from whoever is signed in with the invited email. No existing password is ever changed. Ten attempts a minute for one email from one address. A member who was removed comes back under his old id with nothing of what he had. 403 `grant_exceeds_own`: whoever invited has left, may no longer invite, or no longer holds what he granted.',
    auth: 'none',
    params,
    body: z.strictObject({
      display_name: label("A new person's name, as others see it.").optional(),
      password: presentedPassword().optional(),
      code: z.string().min(1).max(64).optional().meta({ description: 'Six digits of the authenticator app, or a recovery code.' }),
    }),
    requestExample: { display_name: 'Grace Field', password: 'nine quiet herons at dusk' },
    success: {
      status: 201,
      description: 'Joined, and signed in.',
      body: accountShape,
      headers: setsSessionCookieText,
      example: accountExample,
    },
    errors: [
      'authentication_required',
      'invalid_credentials',
      'mfa_required',
      'secrets_key_missing',
      'membership_inactive',
      'wrong_account',
      'grant_exceeds_own',
      'account_exists',
      'member_exists',
      'directory_managed',
      'rate_limited',
    ],
    handler: async ({ params: { token }, body, cookies, client }, context) => {
      const { display_name: displayName, password, code } = body;
      const joined = await join(context, token, { displayName, password, code, presented: cookies.session, client });
      return { body: showAccount(joined.account), headers: setsSessionCookie(context, joined.token) };
    },
  }),
];
