/** Who may enter on an identity provider's word: people it is known by, members with that email, the invited, and newcomers of admitted domains. */
import { v7 } from 'uuid';
import { personOf } from '../domain/audit.ts';
import { AppError } from '../domain/errors.ts';
import { admissibleEmail, displayNameOf, isSubject } from '../domain/oidc.ts';
import { insertAuditEvents } from '../data/audit-events.ts';
import type { Invitation } from '../data/invitations.ts';
import { insertMembership } from '../data/memberships.ts';
import { lockOrganization } from '../data/organizations.ts';
import {
  findAdmittingOrganization,
  findPersonByEmail,
  findPersonByIdentity,
  insertUserIdentity,
  lockMembershipStatus,
  type Person,
} from '../data/user-identities.ts';
import { insertUserUnlessKnown } from '../data/users.ts';
import type { ProvenIdentity } from '../platform/oidc.ts';
import type { Db } from '../platform/postgres.ts';
import type { ServiceContext } from './context.ts';
import { admitBy, findStandingInvitation } from './invitations/admit.ts';
import { claimSeat } from './seats.ts';

/** A member who may enter. */
export interface Admitted {
  readonly organizationId: string;
  readonly membershipId: string;
  readonly displayName: string;
}

export interface AdmissionRules {
  readonly emailDomains: readonly string[];
  readonly limits: ServiceContext['limits'];
}

/**
 * The member behind the identity, in the transaction that opens his session. Who is no member joins by the pending
 * invitation for his email, as the provider or his account here knows it, or else as a newcomer. Throws
 * `sign_in_not_admitted`, `membership_inactive` for a suspended one, `seat_limit_reached` for a newcomer.
 */
export async function admitIdentity(trx: Db, identity: ProvenIdentity, rules: AdmissionRules): Promise<Admitted> {
  if (!isSubject(identity.subject)) throw new AppError('sign_in_not_admitted');
  const known = await findPersonByIdentity(trx, identity);
  if (known && isMember(known)) return await requireActive(trx, known);
  const email = known?.email ?? admissibleEmail(identity, rules.emailDomains);
  const organizationId = await findAdmittingOrganization(trx);
  if (email === undefined || organizationId === undefined) throw new AppError('sign_in_not_admitted');
  // From here on one at a time: of two first sign-ins of a person the second finds what the first has written.
  if (!(await lockOrganization(trx, organizationId))) throw new AppError('sign_in_not_admitted');
  const arrived = await findPersonByIdentity(trx, identity);
  if (arrived && isMember(arrived)) return await requireActive(trx, arrived);
  const person = arrived ?? (await findPersonByEmail(trx, email));
  if (person && isMember(person)) return await link(trx, person, identity);
  const newcomer = { identity, email, person, isLinked: arrived !== undefined };
  const invitation = await findStandingInvitation(trx, organizationId, email);
  if (invitation) return await addInvited(trx, invitation, newcomer);
  // Removed people stay removed: only an invitation lets them in again.
  if (arrived || (person && person.membershipStatus !== null)) throw new AppError('sign_in_not_admitted');
  if (rules.emailDomains.length === 0) throw new AppError('sign_in_not_admitted');
  await claimSeat(trx, organizationId, rules.limits);
  return await addMember(trx, organizationId, newcomer);
}

function isMember({ membershipStatus }: Person): boolean {
  return membershipStatus === 'active' || membershipStatus === 'suspended';
}

/** As he is by now. */
async function requireActive(trx: Db, { organizationId, membershipId, displayName }: Person): Promise<Admitted> {
  if (organizationId === null || membershipId === null) throw new AppError('sign_in_not_admitted');
  const status = await lockMembershipStatus(trx, organizationId, membershipId);
  if (status === 'suspended') throw new AppError('membership_inactive');
  if (status !== 'active') throw new AppError('sign_in_not_admitted');
  return { organizationId, membershipId, displayName };
}

async function link(trx: Db, person: Person, identity: ProvenIdentity): Promise<Admitted> {
  const member = await requireActive(trx, person);
  await insertUserIdentity(trx, person.userId, identity);
  await insertAuditEvents(trx, member.organizationId, { events: [linkedEvent(member, identity)] });
  return member;
}

function linkedEvent(member: Admitted, { issuer, subject }: ProvenIdentity) {
  return { eventType: 'membership.identity_linked', actor: personOf(member), subjectId: member.membershipId, data: { issuer, subject } };
}

interface Newcomer {
  readonly identity: ProvenIdentity;
  readonly email: string;
  /** Somebody who is known here, but a member of nothing that still exists, or was removed. */
  readonly person: Person | undefined;
  /** The identity is known as his. */
  readonly isLinked: boolean;
}

interface KnownUser {
  readonly userId: string;
  readonly displayName: string;
}

/** A newcomer has an account from now on, which nothing but the provider opens. */
async function ensureUser(trx: Db, { identity, email, person }: Newcomer): Promise<KnownUser> {
  if (person) return { userId: person.userId, displayName: person.displayName };
  const [userId, displayName] = [v7(), displayNameOf(identity.name, email)];
  if (!(await insertUserUnlessKnown(trx, { id: userId, email, displayName, passwordHash: null }))) {
    // Somebody with this email has just come in by another door: his next attempt finds him.
    throw new AppError('identity_provider_failed', { detail: 'somebody with this email came in at the same moment' });
  }
  return { userId, displayName };
}

/** With what the invitation grants, in the seat it held. */
async function addInvited(trx: Db, invitation: Invitation, newcomer: Newcomer): Promise<Admitted> {
  const { organizationId } = invitation;
  const user = await ensureUser(trx, newcomer);
  const membershipId = await admitBy(trx, invitation, user);
  const member = { organizationId, membershipId, displayName: user.displayName };
  if (newcomer.isLinked) return member;
  await insertUserIdentity(trx, user.userId, newcomer.identity);
  await insertAuditEvents(trx, organizationId, { events: [linkedEvent(member, newcomer.identity)] });
  return member;
}

async function addMember(trx: Db, organizationId: string, newcomer: Newcomer): Promise<Admitted> {
  const { userId, displayName } = await ensureUser(trx, newcomer);
  const member = { organizationId, membershipId: v7(), displayName };
  await insertMembership(trx, organizationId, { id: member.membershipId, userId, admissionSource: 'sso_jit' });
  await insertUserIdentity(trx, userId, newcomer.identity);
  const created = {
    eventType: 'membership.created',
    actor: personOf(member),
    subjectId: member.membershipId,
    data: { admission_source: 'sso_jit' },
  };
  await insertAuditEvents(trx, organizationId, { events: [created, linkedEvent(member, newcomer.identity)] });
  return member;
}
