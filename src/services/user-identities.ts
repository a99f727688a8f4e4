/** Who may enter on an identity provider's word: people it is known by, members with that email, and newcomers of admitted domains. */
import { v7 } from 'uuid';
import { personOf } from '../domain/audit.ts';
import { AppError } from '../domain/errors.ts';
import { admissibleEmail, displayNameOf, isSubject } from '../domain/oidc.ts';
import { insertAuditEvents } from '../data/audit-events.ts';
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
 * The member behind the identity, in the transaction that opens his session. Throws `sign_in_not_admitted`,
 * `membership_inactive` for a suspended one, `seat_limit_reached` for a newcomer.
 */
export async function admitIdentity(trx: Db, identity: ProvenIdentity, rules: AdmissionRules): Promise<Admitted> {
  if (!isSubject(identity.subject)) throw new AppError('sign_in_not_admitted');
  const known = await findPersonByIdentity(trx, identity);
  if (known) return await requireActive(trx, known);
  const email = admissibleEmail(identity, rules.emailDomains);
  const organizationId = await findAdmittingOrganization(trx);
  if (email === undefined || organizationId === undefined) throw new AppError('sign_in_not_admitted');
  // From here on one at a time: of two first sign-ins of a person the second finds what the first has written.
  if (!(await lockOrganization(trx, organizationId))) throw new AppError('sign_in_not_admitted');
  const arrived = await findPersonByIdentity(trx, identity);
  if (arrived) return await requireActive(trx, arrived);
  const person = await findPersonByEmail(trx, email);
  if (person && person.membershipStatus !== null) return await link(trx, person, identity);
  if (rules.emailDomains.length === 0) throw new AppError('sign_in_not_admitted');
  await claimSeat(trx, organizationId, rules.limits);
  return await addMember(trx, organizationId, { identity, email, person });
}

/** Removed people stay removed: only an invitation lets them in again. */
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
  /** Somebody who is known here, but a member of nothing that still exists. */
  readonly person: Person | undefined;
}

async function addMember(trx: Db, organizationId: string, { identity, email, person }: Newcomer): Promise<Admitted> {
  const userId = person?.userId ?? v7();
  const member = { organizationId, membershipId: v7(), displayName: person?.displayName ?? displayNameOf(identity.name, email) };
  if (!person && !(await insertUserUnlessKnown(trx, { id: userId, email, displayName: member.displayName, passwordHash: null }))) {
    // Somebody with this email has just come in by another door: his next attempt finds him.
    throw new AppError('identity_provider_failed', { detail: 'somebody with this email came in at the same moment' });
  }
  await insertMembership(trx, organizationId, { id: member.membershipId, userId, admissionSource: 'sso_jit' });
  await insertUserIdentity(trx, userId, identity);
  const created = {
    eventType: 'membership.created',
    actor: personOf(member),
    subjectId: member.membershipId,
    data: { admission_source: 'sso_jit' },
  };
  await insertAuditEvents(trx, organizationId, { events: [created, linkedEvent(member, identity)] });
  return member;
}
