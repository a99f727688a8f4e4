/** A person decides. Exactly one decision is ever recorded, also under concurrent calls. */
import { findDecisionByKey, recordDecision, type NewDecision } from '../../data/requests/decide.ts';
import { readRequestToDecide, recordIfUnchanged } from '../../data/requests/decide-unchanged.ts';
import type { Presentation } from '../../domain/agents/tool-presentations.ts';
import {
  argumentsDigest,
  type ApprovalRequest,
  type Decision,
} from '../../domain/requests/approval-requests.ts';
import { actorOf } from '../../domain/audit.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import { AppError, invalid } from '../../domain/errors.ts';
import { refusedByRights } from '../../domain/requests/request-access.ts';
import { violatedConstraint, type Db, type Trx } from '../../platform/postgres.ts';
import { presentationWith } from '../agents/tool-presentations.ts';
import type { ServiceContext } from '../context.ts';
import { announceDecided } from './announce.ts';
import { lockRequestAndRereadMember } from '../people/current-callers.ts';
import { audienceOf, readAudience } from './audience.ts';
import { requireRights, requireState } from './pending.ts';
import { expireIfDue, lapseIfDue } from './settle.ts';

export interface DecideInput {
  readonly requestId: string;
  readonly status: 'approved' | 'denied';
  readonly note?: string | undefined;
  readonly channel?: string | undefined;
  /** The digest of the arguments that the person saw. */
  readonly seenArgumentsDigest?: string | undefined;
  readonly idempotencyKey: string;
}

export interface DecideOutcome {
  readonly decision: Decision;
  readonly request: ApprovalRequest;
  readonly presentation: Presentation | undefined;
}

/** Where people decide through the service itself. Callers who name another than theirs claim what did not happen. */
const CHANNELS_OF_THE_SERVICE: readonly string[] = ['web', 'slack', 'email', 'push'];

/** What a decision's channel is when the caller names none. */
const CHANNEL_OF = { session: 'web', slack: 'slack', api_key: 'api' } as const satisfies Record<
  MemberPrincipal['via']['kind'],
  string
>;

/**
 * Throws 400 for a channel of the service that is not the caller's. Throws `permission_denied`, `request_not_routed`, `mfa_required`, `request_changed`, `request_evaluating`,
 * `already_terminal` (details.status) and `idempotency_conflict`. The same key with the same input answers the original
 * outcome. Another digest than the request's is refused in every state, so that the same call always gets that answer.
 */
export async function decideRequest(
  context: ServiceContext,
  principal: MemberPrincipal,
  input: DecideInput,
): Promise<DecideOutcome> {
  const wanted = { ...input, channel: channelOf(principal, input.channel) };
  const call = { principal, wanted };
  const decided = await decideIfUnchanged(context, call);
  const { request, changed, presentationId } = decided
    ? { ...decided, changed: true }
    : await context.db
        .transaction(async (trx) => await decideLocked(trx, call))
        .catch((error: unknown) => {
          // The request had no decision, so the key belongs to another request.
          if (usesKnownKey(error)) throw new AppError('idempotency_conflict');
          throw error;
        });
  if (changed) announceDecided(context, request, 'decision');
  if (request.state === 'expired' || !request.decision)
    throw new AppError('already_terminal', { details: { status: request.state } });
  const presentation = await presentationWith(context, request, presentationId);
  return { decision: request.decision, request, presentation };
}

function channelOf({ via }: MemberPrincipal, named: string | undefined): string {
  const own = CHANNEL_OF[via.kind];
  if (named === undefined || named === own || !CHANNELS_OF_THE_SERVICE.includes(named))
    return named ?? own;
  const others = CHANNELS_OF_THE_SERVICE.filter((channel) => channel !== own).join(', ');
  const message = `must not be one of ${others}: these are other channels of the service. Leave it out for ${own}, or name a channel of yours`;
  throw invalid([{ pointer: '/channel', code: 'invalid_value', message }]);
}

interface Wanted extends DecideInput {
  readonly channel: string;
}

interface Call {
  readonly principal: MemberPrincipal;
  readonly wanted: Wanted;
}

function usesKnownKey(error: unknown): boolean {
  return violatedConstraint(error) === 'decisions_idempotency_key';
}

/**
 * The usual case: the caller's rights as read with their credential, the request read once, and one
 * statement that decides if both are unchanged. Undefined, with nothing written, in every other
 * case: then `decideLocked` says what happens.
 */
async function decideIfUnchanged(
  { db }: ServiceContext,
  { principal, wanted }: Call,
): Promise<{ request: ApprovalRequest; presentationId: string | null } | undefined> {
  const read = await readRequestToDecide(db, wanted.requestId);
  if (!read || read.request.organizationId !== principal.organizationId) return undefined;
  const { request, added, presentationId } = read;
  if (request.state !== 'pending' || request.claim?.lapsed) return undefined;
  const audience = await audienceOf(db, request, added);
  if (refusedByRights('decide', { principal, request, audience })) return undefined;
  if (hasOtherArguments(request, wanted)) return undefined;
  const decision = toDecision(principal, wanted);
  const recorded = recordIfUnchanged(db, read, { decision, by: principal });
  const decided = await recorded.catch((error: unknown) => {
    if (usesKnownKey(error)) return undefined;
    throw error;
  });
  return decided && { request: decided, presentationId };
}

/**
 * The request with its final answer. `changed`: this call caused it, by the decision or by expiry.
 */
async function decideLocked(
  trx: Trx,
  { principal: caller, wanted }: Call,
): Promise<{ request: ApprovalRequest; changed: boolean; presentationId?: undefined }> {
  const { principal, locked } = await lockRequestAndRereadMember(trx, caller, wanted.requestId);
  const { request } = locked;
  const audience = await readAudience(trx, request);
  requireRights('decide', { principal, request, audience });
  if (hasOtherArguments(request, wanted)) throw new AppError('request_changed');
  const changed =
    (await expireIfDue(trx, locked, { wake: true })) ??
    (await recordDecision(trx, await lapseIfDue(trx, locked), toDecision(principal, wanted)));
  if (changed) return { request: changed, changed: true };
  await refuseUnlessReplay(trx, request, { principal, wanted });
  return { request, changed: false };
}

function hasOtherArguments(
  request: ApprovalRequest,
  { seenArgumentsDigest: seen }: Pick<Wanted, 'seenArgumentsDigest'>,
): boolean {
  return seen !== undefined && seen !== argumentsDigest(request);
}

function toDecision(principal: MemberPrincipal, wanted: Wanted): NewDecision {
  return {
    status: wanted.status,
    channel: wanted.channel,
    ...(wanted.note !== undefined && { note: wanted.note }),
    ...(wanted.seenArgumentsDigest !== undefined && {
      seenArgumentsDigest: wanted.seenArgumentsDigest,
      auditData: { seen: { arguments_digest: wanted.seenArgumentsDigest } },
    }),
    membershipId: principal.membershipId,
    reviewerDisplayName: principal.displayName,
    reviewerEmail: principal.email,
    authentication: principal.auth,
    idempotencyKey: wanted.idempotencyKey,
    actor: actorOf(principal),
    from: ['pending'],
    wake: true,
  };
}

/** The request is not pending. That is fine only for a replay of the call that decided it. */
async function refuseUnlessReplay(
  db: Db,
  request: ApprovalRequest,
  { principal, wanted }: Call,
): Promise<void> {
  const original = await findDecisionByKey(db, principal.organizationId, wanted.idempotencyKey);
  if (original) {
    const same =
      original.requestId === wanted.requestId &&
      original.status === wanted.status &&
      original.note === (wanted.note ?? null) &&
      original.channel === wanted.channel;
    if (!same) throw new AppError('idempotency_conflict');
    return;
  }
  requireState('decide', { principal, request });
}
