/** Proofs that failed, at whichever door: whoever guesses is seen in the audit log of the organization he would get into. */
import { SYSTEM, type AuditActor } from '../../domain/audit.ts';
import { insertAuditEvents } from '../../data/audit-events.ts';
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
  /** The membership, the session of one who is signed in, or the invitation of one who is no member yet. */
  readonly subjectId: string;
  readonly membershipId?: string;
  /** Who was signed in already. Otherwise nobody knows who tried, and the service itself is the actor. */
  readonly actor?: AuditActor;
  readonly reason: 'wrong_password' | 'wrong_code' | 'membership_inactive';
  readonly client: Client;
}

/** Written after the answer has gone: neither its time nor its failure tells the client anything. */
export function recordFailedAuthentication(
  { db, logger }: ServiceContext,
  failed: FailedAuthentication,
): void {
  const { organizationId, subjectId, membershipId, actor = SYSTEM, reason, client } = failed;
  const data = {
    membership_id: membershipId,
    reason,
    client_address: client.address,
    user_agent: client.userAgent,
  };
  setImmediate(() => {
    insertAuditEvents(db, organizationId, {
      events: [{ eventType: EVENT_AT[failed.at], actor, subjectId, data }],
    }).catch((error: unknown) => {
      logger.warn({ err: error }, 'could not record a failed proof');
    });
  });
}
