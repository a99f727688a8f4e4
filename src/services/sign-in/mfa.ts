/**
 * A member's second factor: enrollment of an authenticator app, recovery codes, and the reset when
 * both are lost.
 */
import { randomBytes } from 'node:crypto';
import { actorOf, personOf } from '../../domain/audit/events.ts';
import { grantsFromPolicies, type MemberPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import { requireHeld } from '../../domain/people/permission-policies.ts';
import {
  requireRecentAuthentication,
  requireRecentSecondFactor,
  requireRecentSession,
} from '../../domain/people/recent-authentication.ts';
import {
  hashTypedCode,
  newRecoveryCodes,
  readCode,
  RECOVERY_CODE_BYTES,
} from '../../domain/sign-in/second-factors.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import { findMemberWithPolicies } from '../../data/people/memberships.ts';
import { listMembershipsOfUser, lockPassword } from '../../data/sign-in/passwords.ts';
import {
  countUnusedRecoveryCodes,
  deleteRecoveryCodes,
  insertRecoveryCodes,
} from '../../data/sign-in/recovery-codes.ts';
import {
  confirmTotpFactor,
  deleteTotpFactor,
  findTotpFactor,
  lockTotpFactor,
  putUnconfirmedTotpFactor,
} from '../../data/sign-in/totp-factors.ts';
import type { Trx } from '../../platform/postgres.ts';
import { describeTotp, newTotpSeed } from '../../platform/crypto/totp.ts';
import type { ServiceContext } from '../context.ts';
import { lockAccessAndRereadMember } from '../access/current-callers.ts';
import { tellAccountHolder } from '../account-mails.ts';
import { matchingStep, sealSeed } from './second-factors.ts';
import { endSessionsOf, renewAuthentication, type Renewal } from './sessions.ts';

const ISSUER = 'Countersign';

export interface Mfa {
  /** The organization requires a second factor for sensitive operations. */
  readonly required: boolean;
  /** null without a confirmed authenticator app. */
  readonly confirmedAt: Date | null;
  readonly recoveryCodesLeft: number;
}

export async function readMfa(
  { db }: ServiceContext,
  { userId, requiresMfa }: MemberPrincipal,
): Promise<Mfa> {
  const [factor, recoveryCodesLeft] = await Promise.all([
    findTotpFactor(db, userId),
    countUnusedRecoveryCodes(db, userId),
  ]);
  return { required: requiresMfa, confirmedAt: factor?.confirmedAt ?? null, recoveryCodesLeft };
}

/**
 * Starts an enrollment and replaces one that was not confirmed. 403 `reauthentication_required`,
 * 409 `mfa_enrolled`, 501 `secrets_key_missing`.
 */
export async function beginTotp(
  context: ServiceContext,
  principal: MemberPrincipal,
): Promise<{ secret: string; uri: string }> {
  requireRecentSession(principal);
  const { userId } = principal;
  const seed = newTotpSeed();
  const sealed = sealSeed(context, userId, seed);
  await context.db.transaction(async (trx) => {
    if (!(await putUnconfirmedTotpFactor(trx, userId, sealed))) throw new AppError('mfa_enrolled');
    await record(trx, principal, { verb: 'mfa_enrollment_started' });
  });
  return describeTotp(seed, { issuer: ISSUER, account: principal.email });
}

export interface Enrolled extends Renewal {
  /** Shown once. */
  readonly recoveryCodes: readonly string[];
}

/**
 * Completes the enrollment with a code of the app. The session becomes recent and strong. The
 * person's other sessions, opened without the app, end in every organization. 401
 * `invalid_credentials` for a wrong code, 404 without a started enrollment, 409 `mfa_enrolled`.
 */
export async function confirmTotp(
  context: ServiceContext,
  principal: MemberPrincipal,
  { code: typed, presented }: { readonly code: string; readonly presented: string | undefined },
): Promise<Enrolled> {
  requireRecentSession(principal);
  const { userId } = principal;
  return await context.db.transaction(async (trx) => {
    // A concurrent sign-in by password either happened before and is ended here, or happens later and needs a code.
    await lockPassword(trx, userId, 'change');
    const factor = await lockTotpFactor(trx, userId);
    if (!factor)
      throw new AppError('not_found', {
        detail: 'There is no enrolment to confirm: begin one first.',
      });
    if (factor.confirmedAt) throw new AppError('mfa_enrolled');
    const { code } = readCode(typed);
    const step = await matchingStep(trx, context, { userId, seed: factor, code });
    if (step === undefined)
      throw new AppError('invalid_credentials', { detail: 'The code is wrong.' });
    await confirmTotpFactor(trx, userId, step);
    const recoveryCodes = await issueRecoveryCodes(trx, userId);
    await record(trx, principal, { verb: 'mfa_enrolled', data: { method: 'totp' } });
    await endOtherSessionsEverywhere(trx, principal);
    const news = { kind: 'second_factor_added' } as const;
    await tellAccountHolder(trx, context, { holder: principal, news });
    return {
      recoveryCodes,
      ...(await renewAuthentication(trx, principal, { presented, secondFactor: 'totp' })),
    };
  });
}

async function endOtherSessionsEverywhere(
  trx: Trx,
  { userId, displayName, via }: MemberPrincipal,
): Promise<void> {
  const except = via.kind === 'session' ? { exceptId: via.sessionId } : {};
  for (const { organizationId, membershipId } of await listMembershipsOfUser(trx, userId)) {
    const actor = personOf({ membershipId, displayName });
    await endSessionsOf(trx, organizationId, {
      membershipId,
      ...except,
      actor,
      reason: 'mfa_enrolled',
    });
  }
}

/** Creates ten new codes; the old ones stop working. */
async function issueRecoveryCodes(trx: Trx, userId: string): Promise<readonly string[]> {
  const codes = newRecoveryCodes(randomBytes(RECOVERY_CODE_BYTES));
  await deleteRecoveryCodes(trx, userId);
  await insertRecoveryCodes(trx, userId, codes.map(hashTypedCode));
  return codes;
}

/** 403 `mfa_required`, `reauthentication_required`; 404 without a confirmed authenticator app. */
export async function replaceRecoveryCodes(
  context: ServiceContext,
  principal: MemberPrincipal,
): Promise<readonly string[]> {
  requireRecentSecondFactor(principal);
  const { userId } = principal;
  return await context.db.transaction(async (trx) => {
    const factor = await lockTotpFactor(trx, userId);
    if (!factor?.confirmedAt)
      throw new AppError('not_found', { detail: 'No authenticator app is enrolled.' });
    const codes = await issueRecoveryCodes(trx, userId);
    await record(trx, principal, { verb: 'recovery_codes_replaced' });
    return codes;
  });
}

/**
 * Removes the caller's own authenticator app and recovery codes. A repeat changes nothing. 403 as
 * above.
 */
export async function removeTotp(
  context: ServiceContext,
  principal: MemberPrincipal,
): Promise<void> {
  requireRecentSecondFactor(principal);
  await context.db.transaction(async (trx) => {
    if (!(await deleteFactors(trx, principal.userId))) return;
    await record(trx, principal, { verb: 'mfa_removed' });
    const news = { kind: 'second_factor_removed' } as const;
    await tellAccountHolder(trx, context, { holder: principal, news });
  });
}

/** True when there was a confirmed app. An unconfirmed one is removed without an event. */
export async function deleteFactors(trx: Trx, userId: string): Promise<boolean> {
  const factor = await lockTotpFactor(trx, userId);
  if (!factor) return false;
  await deleteRecoveryCodes(trx, userId);
  await deleteTotpFactor(trx, userId);
  return factor.confirmedAt !== null;
}

/**
 * An administrator resets the second factor of a member who lost it, and ends their sessions. The
 * password alone then opens the account, so the administrator must hold all that the member holds
 * (403 `grant_exceeds_own`). 403 `self_change`, `owner_required`; 404; 409 `membership_removed`.
 */
export async function removeMemberMfa(
  context: ServiceContext,
  principal: MemberPrincipal,
  id: string,
): Promise<void> {
  const { organizationId } = principal;
  await context.db.transaction(async (trx) => {
    const caller = await lockAccessAndRereadMember(trx, principal, {
      permission: 'membership.write',
    });
    requireRecentAuthentication(caller);
    const member = await findMemberWithPolicies(trx, organizationId, id);
    if (!member) throw new AppError('not_found');
    const { membershipId } = member;
    if (membershipId === caller.membershipId) throw new AppError('self_change');
    if (member.policies.some((policy) => policy.is_owner) && !caller.isOwner)
      throw new AppError('owner_required');
    if (member.membershipStatus === 'deprovisioned') throw new AppError('membership_removed');
    requireHeld(caller, grantsFromPolicies(member.policies, false), WOULD_WEAKEN);
    if (!(await deleteFactors(trx, member.userId))) return;
    await record(trx, caller, { verb: 'mfa_removed', membershipId });
    await endSessionsOf(trx, organizationId, {
      membershipId,
      actor: actorOf(caller),
      reason: 'mfa_removed',
    });
    const news = { kind: 'second_factor_removed', by: caller.displayName } as const;
    await tellAccountHolder(trx, context, { holder: member, news });
  });
}

const WOULD_WEAKEN =
  'Only an owner, or a member who holds everything this member holds, can reset their second factor.';

interface Recorded {
  readonly verb:
    'mfa_enrollment_started' | 'mfa_enrolled' | 'mfa_removed' | 'recovery_codes_replaced';
  /** The person whose factor it is; the caller when absent. */
  readonly membershipId?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

async function record(
  trx: Trx,
  principal: MemberPrincipal,
  { verb, membershipId, data }: Recorded,
): Promise<void> {
  const subjectId = membershipId ?? principal.membershipId;
  const event = {
    eventType: `membership.${verb}` as const,
    actor: actorOf(principal),
    subjectId,
    ...(data && { data }),
  };
  await insertAuditEvents(trx, principal.organizationId, { events: [event] });
}
