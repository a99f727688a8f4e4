/** Records failed authentications in the audit log of the organization they were aimed at. */
import { SYSTEM, type AuditActor } from '../../domain/audit/events.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import type { UserIdentity } from '../../domain/sign-in/user-identities.ts';
import type { ServiceContext } from '../context.ts';
import type { Client } from './sessions.ts';

const EVENT_AT = {
  sign_in: 'session.sign_in_failed',
  reauthentication: 'session.reauthentication_failed',
  password_change: 'membership.password_change_failed',
  invitation: 'invitation.acceptance_failed',
} as const;

export interface FailedAuthentication {
  readonly at: keyof typeof EVENT_AT;
  readonly organizationId: string;
  /**
   * The membership, the session of a signed-in person, or the invitation of a person who is not a
   * member yet.
   */
  readonly subjectId: string;
  readonly membershipId?: string;
  /** The signed-in person. When absent, the caller is unknown and the service is the actor. */
  readonly actor?: AuditActor;
  readonly reason: 'wrong_password' | 'wrong_code' | 'membership_inactive' | 'another_identity';
  /** Who the identity provider says they are, where an owner has to know it. */
  readonly identity?: UserIdentity;
  readonly client: Client;
}

/**
 * Runs after the response, so that neither its duration nor its failure reveals anything to the
 * client.
 */
export function recordFailedAuthentication(
  { db, logger }: ServiceContext,
  failed: FailedAuthentication,
): void {
  const {
    organizationId,
    subjectId,
    membershipId,
    actor = SYSTEM,
    reason,
    client,
    identity,
  } = failed;
  const data = {
    membership_id: membershipId,
    reason,
    client_address: client.address,
    user_agent: client.userAgent,
    ...(identity && { issuer: identity.issuer, subject: identity.subject }),
  };
  setImmediate(() => {
    insertAuditEvents(db, organizationId, {
      events: [{ eventType: EVENT_AT[failed.at], actor, subjectId, data }],
    }).catch((error: unknown) => {
      logger.warn({ err: error }, 'could not record a failed authentication');
    });
  });
}
