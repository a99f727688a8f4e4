/** Invitations: create, list, resend and revoke them; read and accept one through its link. */
import { z } from 'zod';
import { MOST_POLICIES } from '../../src/domain/people/permission-policies.ts';
import { join, readInvitationLink } from '../../src/services/sign-in/invitations/accept.ts';
import { invite, resendInvitation } from '../../src/services/people/invitations/invite.ts';
import {
  listSentInvitations,
  withdrawInvitation,
} from '../../src/services/people/invitations/manage.ts';
import { email, presentedPassword } from '../sign-in/credentials-schema.ts';
import { decodeCursor, encodeCursor } from '../http/cursors.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
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
import {
  cursorQuery,
  label,
  limitQuery,
  nextCursor,
  searchQuery,
  timestamp,
  uuid,
} from '../http/schema.ts';
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
        .meta({ description: 'Only invitations with this status. All when absent.' }),
      q: searchQuery('Only invitations whose email contains this text.'),
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
    handler: async ({ principal, query: { status, q, limit, cursor } }, context) => {
      const keys = ['invitations', status ?? 'all', q ?? ''] as const;
      const pinned = [z.literal(keys[0]), z.literal(keys[1]), z.literal(keys[2])] as const;
      const after = decodeCursor(cursor, z.tuple([...pinned, z.uuid()]))?.[3];
      const page = { status, q, limit, after };
      const { invitations, next } = await listSentInvitations(context, principal, page);
      const next_cursor = next && encodeCursor([...keys, next]);
      const shown = invitations.map((each) => presentInvitation(each, context.edition));
      return { body: { invitations: shown, next_cursor } };
    },
  }),
  defineEndpoint({
    operationId: 'createInvitation',
    method: 'post',
    path: '/api/v1/invitations',
    tag: TAG,
    summary: 'Invite a person',
    description:
      'Emails a link that works once within seven days. A deployment that sends no email returns the link instead. The inviter must hold what they grant, both now and when it is accepted. Granting a dangerous permission, `request.decide` or ownership requires recent authentication, with a second factor where the organization requires one. A pending invitation holds a seat. If the mail server does not accept the message, the invitation is revoked.',
    auth: 'session',
    permission: 'membership.invite',
    body: z.strictObject({
      email: email(),
      permission_policies: z
        .array(z.strictObject(policyTermsFields))
        .max(MOST_POLICIES)
        .meta({ description: 'What the person may do after joining. May be empty.' }),
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
      return {
        body: presentSentInvitation(await invite(context, principal, input), context.edition),
      };
    },
  }),
  defineEndpoint({
    operationId: 'resendInvitation',
    method: 'post',
    path: '/api/v1/invitations/{id}/resend',
    tag: TAG,
    summary: 'Send an invitation again',
    description:
      'Sends a new link that works for seven days and ends the previous link. The sender becomes the inviter and must hold what the invitation grants. Accepted, revoked and expired invitations return 404. If the mail server does not accept the message, nothing changes and the previous link still works. At most five times an hour.',
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
      body: presentSentInvitation(await resendInvitation(context, principal, id), context.edition),
    }),
  }),
  defineEndpoint({
    operationId: 'revokeInvitation',
    method: 'delete',
    path: '/api/v1/invitations/{id}',
    tag: TAG,
    summary: 'Revoke an invitation',
    description:
      'The link stops working at once and the seat becomes free. A repeat succeeds. Accepted and expired invitations return 404.',
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

/** Operations that an invitation link opens. */
const linkEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getInvitationLink',
    method: 'get',
    path: '/auth/invitations/{token}',
    tag: TAG,
    summary: 'Get an invitation by its link',
    description:
      'For the invited person. Unknown, replaced, used, revoked and expired links return 404.',
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
          email: z.string().meta({ description: 'The invited address.' }),
          invited_by: z
            .strictObject({ display_name: z.string().meta({ description: 'Their display name.' }) })
            .meta({ description: 'The inviter.' }),
          expires_at: timestamp('When the link expires.'),
          account_exists: z.boolean().meta({
            description:
              'Whether an account with this email exists. If so, joining requires its password or session instead of a new password.',
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
      'Signs the person in as a member with exactly what the invitation grants, except for teams and agents archived since. What to send:\n' +
      '- a new person: `display_name` and a new `password`\n' +
      '- a person with an account: its `password`, and a `code` if they have a second factor\n' +
      '- a person signed in with the invited email: an empty object\n\n' +
      'An existing password never changes. Failed attempts count like those of `POST /auth/login`. A removed member returns with their old id and without their old grants. 403 `grant_exceeds_own` means that the inviter left, may no longer invite, or no longer holds what they granted.',
    auth: 'none',
    bodyLimit: BODY_BYTES.signIn,
    attempt: 'sign_in',
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
      description: 'The person joined and is signed in.',
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
