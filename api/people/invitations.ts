/** Inviting people, looking after invitations, and what their links open: seeing who invites, and joining. */
import { z } from 'zod';
import { MOST_POLICIES } from '../../src/domain/people/permission-policies.ts';
import { join, readInvitationLink } from '../../src/services/people/invitations/accept.ts';
import { invite, resendInvitation } from '../../src/services/people/invitations/invite.ts';
import {
  listSentInvitations,
  withdrawInvitation,
} from '../../src/services/people/invitations/manage.ts';
import { email, presentedPassword } from '../sign-in/credentials-schema.ts';
import { decodeCursor, encodeCursor } from '../http/cursors.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import {
  INVITATION_STATUSES,
  invitationExample,
  invitationSchema,
  sentInvitationSchema,
  presentInvitation,
  presentSentInvitation,
} from './invitations-schema.ts';
import { accountExample, accountSchema, presentAccount } from '../sign-in/me.ts';
import { policyTermsFields, readTerms } from './permission-policies-schema.ts';
import { cursorQuery, label, limitQuery, nextCursor, timestamp, uuid } from '../http/schema.ts';
import { setsSessionCookie, setsSessionCookieText } from '../http/session-cookies.ts';

const TAG = 'Invitations';

const params = z.strictObject({ id: uuid('The invitation.') });

const linkParams = z.strictObject({
  token: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: 'The secret part of the link: `whi_<id>_<secret>`.' }),
});

const sentExample = {
  invitation: invitationExample,
  invite_url:
    'https://approvals.example.com/invitations/whi_0199a3f6-4d9e-7f60-b1a2-6c7d8e9f0a1b_secret',
};

const managingEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'listInvitations',
    method: 'get',
    path: '/api/v1/invitations',
    tag: TAG,
    summary: 'List invitations, newest first',
    auth: 'member',
    permission: 'membership.invite',
    query: z.strictObject({
      status: z
        .enum(INVITATION_STATUSES)
        .optional()
        .meta({ description: 'Only those of this status; all when absent.' }),
      limit: limitQuery(100),
      cursor: cursorQuery(),
    }),
    success: {
      status: 200,
      description: 'One page of invitations.',
      body: z.strictObject({
        invitations: z
          .array(invitationSchema)
          .meta({ description: 'The invitations of this page.' }),
        next_cursor: nextCursor(),
      }),
      example: { invitations: [invitationExample] },
    },
    errors: [],
    handler: async ({ principal, query: { status, limit, cursor } }, context) => {
      const after = decodeCursor(
        cursor,
        z.tuple([z.literal('invitations'), z.literal(status ?? 'all'), z.uuid()]),
      )?.[2];
      const { invitations, next } = await listSentInvitations(context, principal, {
        status,
        limit,
        after,
      });
      const next_cursor = next && encodeCursor(['invitations', status ?? 'all', next]);
      return { body: { invitations: invitations.map(presentInvitation), next_cursor } };
    },
  }),
  defineEndpoint({
    operationId: 'createInvitation',
    method: 'post',
    path: '/api/v1/invitations',
    tag: TAG,
    summary: 'Invite somebody',
    description:
      'Emails a link that works once within seven days; a deployment that sends no email answers the link instead. Whoever invites must hold what he grants, now and when it is accepted. Granting what is dangerous, or ownership, needs a fresh sign-in, with a second factor where the organization demands one. A pending invitation holds a seat. When the mail server does not take the message, the invitation is revoked.',
    auth: 'session',
    permission: 'membership.invite',
    body: z.strictObject({
      email: email(),
      permission_policies: z
        .array(z.strictObject(policyTermsFields))
        .max(MOST_POLICIES)
        .meta({ description: 'What the person will be allowed to do; empty: nothing yet.' }),
    }),
    requestExample: {
      email: 'grace@example.com',
      permission_policies: [
        {
          scope_kind: 'agent',
          resource_ids: ['deploy-bot'],
          permissions: ['request.decide', 'request.read'],
        },
      ],
    },
    success: {
      status: 201,
      description: 'Invited.',
      body: sentInvitationSchema,
      example: sentExample,
    },
    errors: [
      'grant_exceeds_own',
      'owner_required',
      'reauthentication_required',
      'mfa_required',
      'member_exists',
      'directory_managed',
      'invitation_pending',
      'seat_limit_reached',
      'email_not_delivered',
    ],
    handler: async ({ principal, body }, context) => {
      const input = { email: body.email, policies: body.permission_policies.map(readTerms) };
      return { body: presentSentInvitation(await invite(context, principal, input)) };
    },
  }),
  defineEndpoint({
    operationId: 'resendInvitation',
    method: 'post',
    path: '/api/v1/invitations/{id}/resend',
    tag: TAG,
    summary: 'Send an invitation again',
    description:
      'A new link for seven days; the one before is dead. Whoever sends it vouches for it from now on, and must hold what it grants. One that was accepted, revoked or has expired is not found. When the mail server does not take the message, nothing changes: the link before still works. Five times an hour at most.',
    auth: 'session',
    permission: 'membership.invite',
    params,
    success: {
      status: 200,
      description: 'Sent.',
      body: sentInvitationSchema,
      example: sentExample,
    },
    errors: [
      'grant_exceeds_own',
      'owner_required',
      'reauthentication_required',
      'mfa_required',
      'email_not_delivered',
    ],
    handler: async ({ principal, params: { id } }, context) => ({
      body: presentSentInvitation(await resendInvitation(context, principal, id)),
    }),
  }),
  defineEndpoint({
    operationId: 'revokeInvitation',
    method: 'delete',
    path: '/api/v1/invitations/{id}',
    tag: TAG,
    summary: 'Revoke an invitation',
    description:
      'For good, and at once: the link is dead and the seat is free. A repeat succeeds. One that was accepted or has expired is not found.',
    auth: 'member',
    permission: 'membership.invite',
    params,
    success: { status: 204, description: 'Revoked.' },
    errors: [],
    handler: async ({ principal, params: { id } }, context) => {
      await withdrawInvitation(context, principal, id);
      return {};
    },
  }),
];

/** What the link in an invitation opens. */
const linkEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getInvitationLink',
    method: 'get',
    path: '/auth/invitations/{token}',
    tag: TAG,
    summary: 'See an invitation by its link',
    description:
      'For the invited person. A link that is unknown, replaced, used, revoked or expired is not found.',
    auth: 'none',
    params: linkParams,
    success: {
      status: 200,
      description: 'The pending invitation.',
      body: z
        .strictObject({
          organization: z
            .strictObject({ name: z.string().meta({ description: 'Its name.' }) })
            .meta({ description: 'The organization to join.' }),
          email: z.string().meta({ description: 'Who is invited.' }),
          invited_by: z
            .strictObject({ display_name: z.string().meta({ description: 'His name.' }) })
            .meta({ description: 'Who invites.' }),
          expires_at: timestamp('When the link ends.'),
          account_exists: z.boolean().meta({
            description:
              'Whether somebody signs in with this email already: then joining takes his password or his session, not a new password.',
          }),
        })
        .meta({
          id: 'InvitationLink',
          description: 'An invitation as the invited person sees it.',
        }),
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
      const { organizationName, email, inviterName, expiresAt, userId } = await readInvitationLink(
        context,
        token,
      );
      const invited_by = { display_name: inviterName };
      const body = {
        organization: { name: organizationName },
        email,
        invited_by,
        expires_at: expiresAt,
        account_exists: userId !== null,
      };
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
      'Signs the person in as a member with exactly what the invitation grants, less teams and agents that were archived since. Without an account: `display_name` and `password`, by the rules for new passwords. With an account: its `password` and, where it has a second factor, a `code`; or an empty object from whoever is signed in with the invited email. No existing password is ever changed. Attempts that fail count as those of `POST /auth/login` do. A member who was removed comes back under his old id with nothing of what he had. 403 `grant_exceeds_own`: whoever invited has left, may no longer invite, or no longer holds what he granted.',
    auth: 'none',
    params: linkParams,
    body: z.strictObject({
      display_name: label("A new person's name, as others see it.").optional(),
      password: presentedPassword().optional(),
      code: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .meta({ description: 'Six digits of the authenticator app, or a recovery code.' }),
    }),
    requestExample: { display_name: 'Grace Field', password: 'nine quiet herons at dusk' },
    success: {
      status: 201,
      description: 'Joined, and signed in.',
      body: accountSchema,
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
      const joined = await join(context, token, {
        displayName,
        password,
        code,
        presented: cookies.session,
        client,
      });
      return {
        body: presentAccount(joined.account),
        headers: setsSessionCookie(context, joined.token),
      };
    },
  }),
];

export const invitationEndpoints: readonly Endpoint[] = [...managingEndpoints, ...linkEndpoints];
