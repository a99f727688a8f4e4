/**
 * Claims: a reviewer looks after a request. A pending request has at most one live claim, a decided
 * one none.
 */
import { v7 } from 'uuid';
import { WAKE_HEAD_START_MS, type Claim } from '../../domain/requests/approval-requests.ts';
import type { Trx } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';

/** Call it inside the transaction that locked the request. The request must have no live claim. */
export async function insertClaim(
  trx: Trx,
  request: { readonly id: string; readonly organizationId: string },
  claim: Pick<Claim, 'membershipId' | 'displayName' | 'claimedAt' | 'expiresAt'>,
): Promise<Claim> {
  const id = v7();
  await trx('claims').insert({
    id,
    organization_id: request.organizationId,
    request_id: request.id,
    membership_id: claim.membershipId,
    display_name: claim.displayName,
    claimed_at: claim.claimedAt,
    expires_at: claim.expiresAt,
  });
  return { id, ...claim, lapsed: false };
}

export async function endClaim(trx: Trx, id: string, now: Date): Promise<void> {
  await trx('claims').where({ id }).whereNull('ended_at').update({ ended_at: now });
}

/** A claim that ended with its holder's membership. `at` is the instant by the request's clock. */
interface EndedClaim {
  readonly id: string;
  readonly requestId: string;
  readonly displayName: string;
  readonly at: Date;
}

/**
 * Ends every live claim of a member and wakes the requests. The transaction must have locked the
 * organization, so that the member cannot claim meanwhile. The requests are locked first, in the
 * common order. The next statement takes their clocks.
 */
export async function endClaimsOf(
  trx: Trx,
  organizationId: string,
  membershipId: string,
): Promise<EndedClaim[]> {
  const locked = await queryRows<{ id: string }>(
    trx,
    `select r.id from approval_requests r
      where r.organization_id = :organizationId and r.state = 'pending'
        and r.id in (select request_id from claims where membership_id = :membershipId and ended_at is null)
      order by r.id for no key update`,
    { organizationId, membershipId },
  );
  if (locked.length === 0) return [];
  return await queryRows<EndedClaim>(
    trx,
    `with clock as materialized (
       select id, greatest(date_trunc('milliseconds', clock_timestamp()), last_at) as now
         from approval_requests where id = any(cast(:ids as uuid[])) and state = 'pending'
     ),
     ended as (
       update claims c set ended_at = clock.now
         from clock
        where c.request_id = clock.id and c.membership_id = :membershipId and c.ended_at is null and c.expires_at > clock.now
       returning c.id, c.request_id, c.display_name, clock.now
     )
     update approval_requests r
        set updated_at = ended.now, last_at = ended.now, wake_attempts = 0,
            wake_at = ended.now + :headStartMs * interval '1 millisecond'
       from ended where r.id = ended.request_id
     returning ended.id, r.id as request_id, ended.display_name, ended.now as at`,
    { membershipId, ids: locked.map(({ id }) => id), headStartMs: WAKE_HEAD_START_MS },
  );
}
