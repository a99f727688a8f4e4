/**
 * Which person an identity provider's claims identify: a linked identity, a member with that email,
 * an invited person, or a newcomer whose email domain may join.
 */
import type { Invitation } from '../../domain/people/invitations.ts';
import type { Person } from '../../domain/sign-in/user-identities.ts';
import { v7 } from 'uuid';
import { decideAdmission, isMember } from '../../domain/sign-in/admission.ts';
import { personOf } from '../../domain/audit/events.ts';
import { AppError } from '../../domain/errors.ts';
import {
  admissibleEmail,
  displayNameOf,
  isSubject,
  lacksOnlyVerification,
} from '../../domain/sign-in/oidc.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import { insertMembership, lockMembershipStatus } from '../../data/people/memberships.ts';
import { lockAccess } from '../../data/organization/organizations.ts';
import {
  findOrganizationToJoin,
  findPersonByEmail,
  findPersonByIdentity,
  hasIdentityAt,
  insertUserIdentity,
  lockIdentity,
} from '../../data/sign-in/user-identities.ts';
import { insertUserUnlessKnown } from '../../data/people/users.ts';
import type { VerifiedIdentity } from '../../platform/oidc.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { Runtime } from '../context.ts';
import {
  joinByInvitation,
  findStandingInvitation,
} from '../people/invitations/join-by-invitation.ts';
import { claimSeat } from '../people/seats.ts';

/** A recognized member, whether or not they may enter now. */
export interface Recognized {
  readonly organizationId: string;
  readonly membershipId: string;
  readonly displayName: string;
  /** Why they may not enter. */
  readonly refusal?: 'membership_inactive' | 'another_identity';
}

export interface AdmissionRules {
  readonly emailDomains: readonly string[];
  readonly limits: Runtime['limits'];
}

/**
 * The member with the identity, within the transaction that opens the session. A person who is
 * not a member joins by a pending invitation for their email, or else as a newcomer. Throws
 * `sign_in_not_admitted`, `email_not_verified`, and `seat_limit_reached` for a newcomer.
 */
export async function recognizeOrJoin(
  trx: Trx,
  identity: VerifiedIdentity,
  rules: AdmissionRules,
): Promise<Recognized> {
  if (!isSubject(identity.subject)) throw new AppError('sign_in_not_admitted');
  const known = await findPersonByIdentity(trx, identity);
  if (known && isMember(known.membershipStatus)) {
    if (!(await lockIdentity(trx, identity))) throw new AppError('sign_in_not_admitted');
    return await lockRecognized(trx, known);
  }
  const email = known?.email ?? admissibleEmail(identity, rules.emailDomains);
  if (email === undefined && lacksOnlyVerification(identity, rules.emailDomains))
    throw new AppError('email_not_verified');
  const organizationId = await findOrganizationToJoin(trx);
  // Serialized from here: of two concurrent first sign-ins of a person, the second finds what the first wrote.
  if (
    email === undefined ||
    organizationId === undefined ||
    !(await lockAccess(trx, organizationId))
  ) {
    throw new AppError('sign_in_not_admitted');
  }
  return await joinUnderLock(trx, organizationId, { identity, email, rules });
}

interface Arrival {
  readonly identity: VerifiedIdentity;
  readonly email: string;
  readonly rules: AdmissionRules;
}

async function joinUnderLock(
  trx: Trx,
  organizationId: string,
  { identity, email, rules }: Arrival,
): Promise<Recognized> {
  const byIdentity = await findPersonByIdentity(trx, identity);
  const byEmail = await findPersonByEmail(trx, email);
  const invitation = await findStandingInvitation(trx, organizationId, email);
  const person = byIdentity ?? byEmail;
  const newcomer = { identity, email, person, isLinked: byIdentity !== undefined };
  const admission = decideAdmission({
    byIdentity: byIdentity?.membershipStatus,
    byEmail: byEmail?.membershipStatus,
    hasOtherIdentity:
      byEmail !== undefined && (await hasIdentityAt(trx, byEmail.userId, identity.issuer)),
    isInvited: invitation !== undefined,
    newcomersMayJoin: rules.emailDomains.length > 0,
  });
  if (admission === 'enter' && person) return await lockRecognized(trx, person);
  if (admission === 'link' && person) return await link(trx, person, identity);
  if (admission === 'refuse_other_identity' && person) return refusedAsOther(person);
  if (admission === 'accept_invitation' && invitation)
    return await addInvited(trx, invitation, newcomer);
  if (admission !== 'join') throw new AppError('sign_in_not_admitted');
  await claimSeat(trx, organizationId, rules.limits);
  return await addMember(trx, organizationId, newcomer);
}

/** Held until the end of the transaction. */
async function lockRecognized(
  trx: Trx,
  { organizationId, membershipId, displayName }: Person,
): Promise<Recognized> {
  if (organizationId === null || membershipId === null) throw new AppError('sign_in_not_admitted');
  const status = await lockMembershipStatus(trx, organizationId, membershipId);
  if (!isMember(status)) throw new AppError('sign_in_not_admitted');
  const member = { organizationId, membershipId, displayName };
  return status === 'suspended' ? { ...member, refusal: 'membership_inactive' } : member;
}

/** The account belongs to another person at the provider, who may have had the address before. */
function refusedAsOther({ organizationId, membershipId, displayName }: Person): Recognized {
  if (organizationId === null || membershipId === null) throw new AppError('sign_in_not_admitted');
  return { organizationId, membershipId, displayName, refusal: 'another_identity' };
}

async function link(trx: Trx, person: Person, identity: VerifiedIdentity): Promise<Recognized> {
  const member = await lockRecognized(trx, person);
  if (member.refusal) return member;
  await insertUserIdentity(trx, person.userId, identity);
  await insertAuditEvents(trx, member.organizationId, { events: [linkedEvent(member, identity)] });
  return member;
}

function linkedEvent(member: Recognized, { issuer, subject }: VerifiedIdentity) {
  return {
    eventType: 'membership.identity_linked' as const,
    actor: personOf(member),
    subjectId: member.membershipId,
    data: { issuer, subject },
  };
}

interface Newcomer {
  readonly identity: VerifiedIdentity;
  readonly email: string;
  /** A known person without a membership, or with a removed one. */
  readonly person: Person | undefined;
  /** The identity is linked to this person. */
  readonly isLinked: boolean;
}

interface KnownUser {
  readonly userId: string;
  readonly displayName: string;
}

/** A newcomer gets an account that only the provider opens. */
async function ensureUser(trx: Trx, { identity, email, person }: Newcomer): Promise<KnownUser> {
  if (person) return { userId: person.userId, displayName: person.displayName };
  const [userId, displayName] = [v7(), displayNameOf(identity.name, email)];
  if (!(await insertUserUnlessKnown(trx, { id: userId, email, displayName, passwordHash: null }))) {
    // They joined another organization concurrently. Their next attempt finds the account.
    throw new Error('another sign-in with this email happened concurrently');
  }
  return { userId, displayName };
}

/** Joins with the grants of the invitation, in the seat it held. */
async function addInvited(
  trx: Trx,
  invitation: Invitation,
  newcomer: Newcomer,
): Promise<Recognized> {
  const { organizationId } = invitation;
  const user = await ensureUser(trx, newcomer);
  const membershipId = await joinByInvitation(trx, invitation, user);
  const member = { organizationId, membershipId, displayName: user.displayName };
  if (newcomer.isLinked) return member;
  await insertUserIdentity(trx, user.userId, newcomer.identity);
  await insertAuditEvents(trx, organizationId, {
    events: [linkedEvent(member, newcomer.identity)],
  });
  return member;
}

async function addMember(
  trx: Trx,
  organizationId: string,
  newcomer: Newcomer,
): Promise<Recognized> {
  const { userId, displayName } = await ensureUser(trx, newcomer);
  const member = { organizationId, membershipId: v7(), displayName };
  await insertMembership(trx, organizationId, {
    id: member.membershipId,
    userId,
    admissionSource: 'sso_jit',
  });
  await insertUserIdentity(trx, userId, newcomer.identity);
  const created = {
    eventType: 'membership.created' as const,
    actor: personOf(member),
    subjectId: member.membershipId,
    data: { admission_source: 'sso_jit' },
  };
  await insertAuditEvents(trx, organizationId, {
    events: [created, linkedEvent(member, newcomer.identity)],
  });
  return member;
}
