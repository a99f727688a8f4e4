/** Inviting people and looking after invitations. */
import { z } from 'zod';
import { invite, resendInvitation } from '../src/services/invitations/invite.ts';
import { listSentInvitations, withdrawInvitation } from '../src/services/invitations/manage.ts';
import { email } from './credentials-schema.ts';
import { decodeCursor, encodeCursor } from './cursors.ts';
import { defineEndpoint, type Endpoint } from './endpoint.ts';
import { invitationLinkEndpoints } from './invitation-links.ts';
import {
  INVITATION_STATUSES,
  invitationExample,
  invitationShape,
  sentInvitationShape,
  showInvitation,
  showSentInvitation,
} from './invitations-schema.ts';
import { policyTermsFields, readTerms } from './permission-policies-schema.ts';
import { cursorQuery, limitQuery, nextCursor, uuid } from './schema.ts';

const TAG = 'Invitations';

const params = z.strictObject({ id: uuid('The invitation.') });

const sentExample = { invitation: invitationExample, invite_url: 'https://approvals.example.com/invitations/whi_<id>_<secret>' };

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
      status: z.enum(INVITATION_STATUSES).optional().meta({ description: 'Only those of this status; all when absent.' }),
      limit: limitQuery(100),
      cursor: cursorQuery(),
    }),
    success: {
      status: 200,
      description: 'One page of invitations.',
      body: z.strictObject({
        invitations: z.array(invitationShape).meta({ description: 'The invitations of this page.' }),
        next_cursor: nextCursor(),
      }),
      example: { invitations: [invitationExample] },
    },
    errors: [],
    handler: async ({ principal, query: { status, limit, cursor } }, context) => {
      const after = decodeCursor(cursor, z.tuple([z.literal('invitations'), z.literal(status ?? 'all'), z.uuid()]))?.[2];
      const { invitations, next } = await listSentInvitations(context, principal, { status, limit, after });
      const next_cursor = next && encodeCursor(['invitations', status ?? 'all', next]);
      return { body: { invitations: invitations.map(showInvitation), next_cursor } };
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
        .max(50)
        .meta({ description: 'What the person will be allowed to do; empty: nothing yet.' }),
    }),
    requestExample: {
      email: 'grace@example.com',
      permission_policies: [{ scope_kind: 'agent', resource_ids: ['deploy-bot'], permissions: ['request.decide', 'request.read'] }],
    },
    success: { status: 201, description: 'Invited.', body: sentInvitationShape, example: sentExample },
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
      return { body: showSentInvitation(await invite(context, principal, input)) };
    },
  }),
  defineEndpoint({
    operationId: 'resendInvitation',
    method: 'post',
    path: '/api/v1/invitations/{id}/resend',
    tag: TAG,
    summary: 'Send an invitation again',
    description:
      'A new link for seven days; the one before is dead. Whoever sends it vouches for it from now on, and must hold what it grants. One that was accepted, revoked or has expired is not found. When the mail server does not take the message, nothing changes: the link before still works.',
    auth: 'session',
    permission: 'membership.invite',
    params,
    success: { status: 200, description: 'Sent.', body: sentInvitationShape, example: sentExample },
    errors: ['grant_exceeds_own', 'owner_required', 'reauthentication_required', 'mfa_required', 'email_not_delivered'],
    handler: async ({ principal, params: { id } }, context) => ({
      body: showSentInvitation(await resendInvitation(context, principal, id)),
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

export const invitationEndpoints: readonly Endpoint[] = [...managingEndpoints, ...invitationLinkEndpoints];
