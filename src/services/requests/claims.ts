/**
 * Claims: a reviewer marks a request as theirs, which pauses notifications; others can still
 * decide.
 */
import { endClaim, endClaimsOf, insertClaim } from '../../data/requests/claims.ts';
import type { LockedRequest } from '../../data/requests/lock.ts';
import { touchRequest } from '../../data/requests/touch.ts';
import { insertAuditEvents } from '../../data/audit-events.ts';
import { findOrganization } from '../../data/organization/organizations.ts';
import type { ApprovalRequest, Claim } from '../../domain/requests/approval-requests.ts';
import { actorOf, requestEvent, type AuditActor } from '../../domain/audit.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import { maySee } from '../../domain/requests/request-access.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { announceChanged, announceDecided } from './announce.ts';
import { lockRequestAndRereadMember } from '../people/current-callers.ts';
import { requireForAgent } from './agent-permission.ts';
import { readAudience } from './audience.ts';
import { holderOf, requireRights, requireState, tooLate } from './pending.ts';
import { expireIfDue, lapseIfDue } from './settle.ts';

/**
 * The outcome of a call under the lock. `expired`: the deadline had passed, and the call recorded
 * that.
 */
type Outcome<T> =
  | { readonly expired: ApprovalRequest }
  | (T & { readonly expired?: undefined; readonly changed: boolean });

/**
 * A new claim, or the one the caller already holds. Throws `not_found`, 403 `membership_inactive`,
 * `permission_denied`, `request_not_routed`, 409 `request_evaluating`, `request_not_pending`
 * (details.status) and `claim_held`. A claim decides nothing, so it needs no second factor.
 */
export async function claimRequest(
  context: ServiceContext,
  principal: MemberPrincipal,
  id: string,
): Promise<Claim> {
  const outcome = await context.db.transaction(
    async (trx) => await claimLocked(trx, { principal, id }),
  );
  if (outcome.expired) throw tooLate(context, outcome.expired);
  if (outcome.changed) announceChanged(context, id, 'claim');
  return outcome.claim;
}

interface Call {
  readonly principal: MemberPrincipal;
  readonly id: string;
}

async function claimLocked(
  trx: Trx,
  { principal: caller, id }: Call,
): Promise<Outcome<{ claim: Claim }>> {
  const { principal, locked } = await lockRequestAndRereadMember(trx, caller, id);
  const audience = await readAudience(trx, locked.request);
  requireRights('claim', { principal, request: locked.request, audience });
  const expired = await expireIfDue(trx, locked, { wake: true });
  if (expired) return { expired };
  const settled = await lapseIfDue(trx, locked);
  requireState('claim', { principal, request: settled.request });
  const { claim } = settled.request;
  return claim
    ? { claim, changed: false }
    : { claim: await claimNow(trx, settled, principal), changed: true };
}

async function claimNow(
  trx: Trx,
  { request, now }: LockedRequest,
  principal: MemberPrincipal,
): Promise<Claim> {
  const organization = await findOrganization(trx, principal.organizationId);
  if (!organization) throw new AppError('not_found');
  const lapsesAt = Math.min(
    now.getTime() + organization.claimTimeout * 1_000,
    request.deadlineAt.getTime(),
  );
  const { membershipId, displayName } = principal;
  const claim = await insertClaim(trx, request, {
    membershipId,
    displayName,
    claimedAt: now,
    expiresAt: new Date(lapsesAt),
  });
  await record(
    trx,
    { request, now },
    { verb: 'claimed', actor: actorOf(principal), claim, more: { expires_at: claim.expiresAt } },
  );
  await touchRequest(trx, request.id, { now, wake: true });
  return claim;
}

/**
 * Throws `not_found` without a live claim, 403 `membership_inactive`, `permission_denied`,
 * `request_not_routed`, `not_claim_holder`.
 */
export async function releaseRequest(
  context: ServiceContext,
  principal: MemberPrincipal,
  id: string,
): Promise<void> {
  const outcome = await context.db.transaction(
    async (trx) => await releaseLocked(trx, { principal, id }),
  );
  if (outcome.expired) announceDecided(context, outcome.expired, 'changed');
  else if (outcome.changed) announceChanged(context, id, 'claim');
  if (outcome.expired ?? !outcome.released)
    throw new AppError('not_found', { detail: 'The request has no live claim.' });
}

async function releaseLocked(
  trx: Trx,
  { principal: caller, id }: Call,
): Promise<Outcome<{ released: boolean }>> {
  const { principal, locked } = await lockRequestAndRereadMember(trx, caller, id);
  requireForAgent(principal, 'request.claim', locked.request.agentSlug);
  if (locked.request.claim?.membershipId !== principal.membershipId) {
    if (!maySee(principal, locked.request, await readAudience(trx, locked.request)))
      throw new AppError('request_not_routed');
  }
  const expired = await expireIfDue(trx, locked, { wake: true });
  if (expired) return { expired };
  const settled = await lapseIfDue(trx, locked);
  const { request, now } = settled;
  const { claim } = request;
  if (!claim) return { released: false, changed: settled !== locked };
  if (claim.membershipId !== principal.membershipId)
    throw new AppError('not_claim_holder', { details: holderOf(claim) });
  await endClaim(trx, claim.id, now);
  await record(trx, { request, now }, { verb: 'claim_released', actor: actorOf(principal), claim });
  await touchRequest(trx, request.id, { now, wake: true });
  return { released: true, changed: true };
}

/**
 * Call it in the transaction that suspends or removes a member, so that no request waits for them.
 * Returns the ids of the requests, for `announceReleased` after the commit.
 */
export async function releaseClaimsOf(
  trx: Trx,
  {
    organizationId,
    membershipId,
    actor,
    reason,
  }: { organizationId: string; membershipId: string; actor: AuditActor; reason: string },
): Promise<string[]> {
  const ended = await endClaimsOf(trx, organizationId, membershipId);
  for (const { id, requestId, displayName, at } of ended) {
    const claim = { id, membershipId, displayName };
    await record(
      trx,
      { request: { id: requestId, organizationId }, now: at },
      { verb: 'claim_released', actor, claim, more: { reason } },
    );
  }
  return ended.map(({ requestId }) => requestId);
}

export function announceReleased(context: ServiceContext, requestIds: readonly string[]): void {
  for (const id of requestIds) announceChanged(context, id, 'claim');
}

interface ClaimRecord {
  readonly verb: 'claimed' | 'claim_released';
  readonly actor: AuditActor;
  readonly claim: Pick<Claim, 'id' | 'membershipId' | 'displayName'>;
  readonly more?: Readonly<Record<string, unknown>>;
}

async function record(
  trx: Trx,
  {
    request,
    now,
  }: { request: { readonly id: string; readonly organizationId: string }; now: Date },
  { verb, actor, claim, more }: ClaimRecord,
): Promise<void> {
  const data = {
    claim_id: claim.id,
    membership_id: claim.membershipId,
    display_name: claim.displayName,
    ...more,
  };
  const event = { ...requestEvent(request.id, verb, data), actor };
  await insertAuditEvents(trx, request.organizationId, { events: [event], occurredAt: now });
}
