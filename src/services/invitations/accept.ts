/**
 * Joining by an invitation. Its link proves nothing but that somebody got it: a new person chooses a password, one who has
 * an account proves that it is his, by its password or by being signed in. Nobody's password is ever changed here.
 */
import { v7 } from 'uuid';
import { personOf, type AuditActor } from '../../domain/audit.ts';
import { authorize } from '../../domain/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import { grantsBeyond, type PolicyTerms } from '../../domain/permission-policies.ts';
import { TOKEN_PREFIX } from '../../domain/tokens.ts';
import { insertAuditEvents } from '../../data/audit-events.ts';
import { acceptInvitation, findLinkedInvitation, type LinkedInvitation } from '../../data/invitations.ts';
import {
  endAccess,
  findMembershipOf,
  findMemberWithPolicies,
  insertMembership,
  readmitMembership,
  type MemberWithPolicies,
} from '../../data/memberships.ts';
import { lockOrganization } from '../../data/organizations.ts';
import { listPolicyResources } from '../../data/permission-policies.ts';
import { insertUserUnlessKnown } from '../../data/users.ts';
import type { Db } from '../../platform/postgres.ts';
import { parseToken, secretMatches, type IssuedToken } from '../../platform/tokens.ts';
import type { ServiceContext } from '../context.ts';
import { memberPrincipal } from '../member-principals.ts';
import { addPolicy } from '../permission-policies.ts';
import { tryCode } from '../second-factors.ts';
import { openSession, signedIn, type SignedIn } from '../sessions.ts';
import { confirmProof, proveInvited, type InvitedPerson, type InvitedProof } from './prove.ts';

const NO_LONGER_VOUCHED = 'Whoever invited you can no longer grant this access: ask for a new invitation.';

/** The pending invitation of this link. Throws 404, the same for one that never was. */
export async function readInvitationLink({ db }: Pick<ServiceContext, 'db'>, token: string): Promise<LinkedInvitation> {
  const presented = parseToken(token);
  const invitation = presented?.prefix === TOKEN_PREFIX.invitation ? await findLinkedInvitation(db, presented.id) : undefined;
  if (!presented || !invitation || !secretMatches(presented.secret, invitation.tokenHash) || invitation.status !== 'pending') {
    throw new AppError('not_found', { detail: 'This invitation does not exist, or can no longer be accepted: ask for a new one.' });
  }
  return invitation;
}

/**
 * Makes the invited person a member with exactly what the invitation grants, and signs him in. 404 as above; what
 * `proveInvited` throws; 403 `grant_exceeds_own` when whoever invited him may no longer grant it; 409 `member_exists`,
 * `directory_managed`.
 */
export async function join(context: ServiceContext, token: string, proof: InvitedProof): Promise<SignedIn> {
  const person = await proveInvited(context, await readInvitationLink(context, token), proof);
  const admit = async () => await context.db.transaction(async (trx) => await admitInvited(context, trx, { token, person }));
  const { user } = person;
  const typed = user.kind === 'by_password' ? user.code : undefined;
  const issued = typed === undefined ? await admit() : await tryCode(context, { userId: user.id, typed }, admit);
  if (!issued) throw new AppError('invalid_credentials', { detail: 'The code is wrong, or has served before.' });
  return await signedIn(context, issued);
}

/**
 * What was read before the lock is read again under it: of several who accept, revoke or resend, one comes first. Undefined
 * when the code is wrong, and then nothing is written.
 */
async function admitInvited(
  context: ServiceContext,
  trx: Db,
  { token, person }: { readonly token: string; readonly person: InvitedPerson },
): Promise<IssuedToken | undefined> {
  const { organizationId } = await readInvitationLink({ db: trx }, token);
  if (!(await lockOrganization(trx, organizationId))) throw new AppError('not_found');
  const invitation = await readInvitationLink({ db: trx }, token);
  const proof = await confirmProof(context, trx, person);
  if (!proof) return undefined;
  requireVouched(await findMemberWithPolicies(trx, organizationId, invitation.invitedByMembershipId), invitation.policies);
  const membershipId = await admitMember(trx, organizationId, person);
  const member = { organizationId, membershipId, displayName: person.displayName };
  await giveAccess(trx, invitation, { membershipId, actor: personOf(member) });
  if (!(await acceptInvitation(trx, organizationId, { id: invitation.id, membershipId }))) throw new AppError('not_found');
  return await openSession(trx, member, proof);
}

/** Whoever invited must still be an active member who may invite and holds what he grants. */
function requireVouched(inviter: MemberWithPolicies | undefined, policies: readonly PolicyTerms[]): void {
  const refusal = new AppError('grant_exceeds_own', { detail: NO_LONGER_VOUCHED });
  if (inviter?.membershipStatus !== 'active') throw refusal;
  // As in a session: only in one can he have invited.
  const principal = memberPrincipal(inviter, {
    via: { kind: 'session', sessionId: '', fresh: false },
    auth: { method: 'system', assurance: 'single_factor', authenticated_at: new Date(0) },
  });
  const lacks = (terms: PolicyTerms) => (terms.isOwner ? !principal.isOwner : grantsBeyond(principal, terms).length > 0);
  if (!authorize(principal, 'membership.invite', { kind: 'organization' }).allowed || policies.some(lacks)) throw refusal;
}

/** A new membership, or the one of before; its id. */
async function admitMember(trx: Db, organizationId: string, { user, displayName }: InvitedPerson): Promise<string> {
  if (user.kind === 'new' && !(await insertUserUnlessKnown(trx, { ...user, displayName }))) throw new AppError('account_exists');
  const before = await findMembershipOf(trx, organizationId, user.id);
  if (before && before.status !== 'deprovisioned') throw new AppError('member_exists');
  if (before?.directoryManaged) throw new AppError('directory_managed');
  const id = before?.id ?? v7();
  if (before) {
    await endAccess(trx, organizationId, id);
    await readmitMembership(trx, organizationId, { id, admissionSource: 'invite' });
  } else await insertMembership(trx, organizationId, { id, userId: user.id, admissionSource: 'invite' });
  const eventType = before ? 'membership.readmitted' : 'membership.created';
  await insertAuditEvents(trx, organizationId, {
    events: [{ eventType, actor: personOf({ membershipId: id, displayName }), subjectId: id, data: { admission_source: 'invite' } }],
  });
  return id;
}

async function giveAccess(
  trx: Db,
  { id, organizationId, policies, invitedByMembershipId }: LinkedInvitation,
  { membershipId, actor }: { membershipId: string; actor: AuditActor },
): Promise<void> {
  const holder = { kind: 'membership', id: membershipId } as const;
  const granted: string[] = [];
  for (const terms of await withoutArchived(trx, organizationId, policies)) {
    granted.push(await addPolicy(trx, organizationId, { holder, terms, actor, grantedByActorId: invitedByMembershipId }));
  }
  const data = { membership_id: membershipId, permission_policy_ids: granted };
  await insertAuditEvents(trx, organizationId, { events: [{ eventType: 'invitation.accepted', actor, subjectId: id, data }] });
}

/** Teams and agents that were archived since the invitation are left out, and policies for nothing else. */
async function withoutArchived(trx: Db, organizationId: string, policies: readonly PolicyTerms[]): Promise<readonly PolicyTerms[]> {
  const named = (kind: string) => policies.flatMap(({ scopeKind, resourceIds }) => (scopeKind === kind ? resourceIds : []));
  const choice = (kind: string) => ({ live: named(kind), named: [] });
  const found = await listPolicyResources(trx, organizationId, { agents: choice('agent'), teams: choice('team') });
  const live = new Set(found.map(({ kind, id }) => `${kind} ${id}`));
  return policies
    .map((terms) => ({ ...terms, resourceIds: terms.resourceIds.filter((id) => live.has(`${terms.scopeKind} ${id}`)) }))
    .filter(({ scopeKind, resourceIds }) => scopeKind === 'organization' || resourceIds.length > 0);
}
