/** Invitations as members see them. */
import type { Invitation } from '../../src/domain/people/invitations.ts';
import { z } from 'zod';
import { grantsFromPolicies } from '../../src/domain/people/authorization.ts';
import {
  isPermission,
  isServedBy,
  type Permission,
  type Edition,
} from '../../src/domain/people/permissions.ts';
import type { SentInvitation } from '../../src/services/people/invitations/invite.ts';
import { permissionKey, scopeId, scopeKind } from './grants-schema.ts';
import { present } from '../http/present.ts';
import { timestamp, uuid } from '../http/schema.ts';

export const INVITATION_STATUSES = ['pending', 'accepted', 'revoked', 'expired'] as const;

const invitedGrantSchema = z
  .strictObject({
    scope_kind: scopeKind(),
    scope_id: scopeId(),
    permissions: z.array(permissionKey()).meta({
      description:
        'The permissions granted at that scope. For an owner, every permission a person can hold.',
    }),
    is_owner: z
      .literal(true)
      .optional()
      .meta({ description: 'Present when the invitation grants ownership.' }),
  })
  .meta({ id: 'InvitationGrant', description: 'What an invitation grants at one scope.' });

export const invitationSchema = z
  .strictObject({
    id: uuid('The invitation.'),
    organization_id: uuid('The organization to join.'),
    email: z
      .string()
      .meta({ description: 'The invited address. The person must accept with this address.' }),
    grants: z.array(invitedGrantSchema).meta({
      description:
        'What the invitation grants, one entry per scope. Empty when it grants nothing yet.',
    }),
    invited_by_membership_id: uuid('The member who sent the invitation last.'),
    status: z
      .enum(INVITATION_STATUSES)
      .meta({ description: '`accepted`, `revoked` and `expired` are final.' }),
    expires_at: timestamp('When the link expires: seven days after it was last sent.'),
    accepted_membership_id: z
      .uuid()
      .optional()
      .meta({ description: 'The membership it created. Present exactly when accepted.' }),
    created_at: timestamp('When the person was invited.'),
    updated_at: timestamp('When the invitation last changed.'),
  })
  .meta({
    id: 'Invitation',
    description: 'An invitation to join the organization. A pending invitation holds a seat.',
  });

export const sentInvitationSchema = z
  .strictObject({
    invitation: invitationSchema,
    invite_url: z.url().optional().meta({
      description:
        'The link with its secret, to send to the person. Only when the deployment sends no email, and shown only once.',
    }),
  })
  .meta({ id: 'InvitationWithURL', description: 'An invitation just sent.' });

const ownerPermissions = grantsFromPolicies([], true).map(({ permission }) => permission);

function presentGrants(
  { policies }: Invitation,
  edition: Edition,
): z.input<typeof invitedGrantSchema>[] {
  const served = (key: Permission) => isServedBy(edition, key);
  return policies.flatMap(
    ({
      scopeKind: kind,
      resourceIds,
      permissions,
      isOwner,
    }): z.input<typeof invitedGrantSchema>[] => {
      if (isOwner)
        return [{ scope_kind: kind, permissions: ownerPermissions.filter(served), is_owner: true }];
      const keys = permissions.filter(isPermission).filter(served);
      if (kind === 'organization') return [{ scope_kind: kind, permissions: keys }];
      return resourceIds.map((scope) => ({ scope_kind: kind, scope_id: scope, permissions: keys }));
    },
  );
}

/** Names only permissions that the edition serves. */
export function presentInvitation(
  invitation: Invitation,
  edition: Edition,
): z.input<typeof invitationSchema> {
  return present(invitationSchema, { ...invitation, grants: presentGrants(invitation, edition) });
}

export function presentSentInvitation(
  { invitation, url }: SentInvitation,
  edition: Edition,
): z.input<typeof sentInvitationSchema> {
  return {
    invitation: presentInvitation(invitation, edition),
    ...(url !== undefined && { invite_url: url }),
  };
}

export const invitationExample = {
  id: '0199a3f6-4d9e-7f60-b1a2-6c7d8e9f0a1b',
  organization_id: '0199a3f1-7c51-7c11-8a44-5be0c1d2e3f4',
  email: 'grace@example.com',
  grants: [
    {
      scope_kind: 'agent',
      scope_id: 'deploy-bot',
      permissions: ['request.decide', 'request.read'],
    },
  ],
  invited_by_membership_id: '0199a3f1-7c52-7b0e-9d52-1f6a3b0c4d21',
  status: 'pending',
  expires_at: '2026-03-09T08:30:00.000Z',
  created_at: '2026-03-02T08:30:00.000Z',
  updated_at: '2026-03-02T08:30:00.000Z',
};
