/** Identities of people at an OpenID provider, and the memberships they sign in to. */
import type { UserIdentity, Person } from '../../domain/sign-in/user-identities.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryRow, queryRows } from '../../platform/rows.ts';

/** SQL for one Person of the users `u`: prefers an active membership, then a suspended one. */
const person = (condition: string) => `
  select u.id as user_id, u.email, u.display_name,
         m.organization_id, m.id as membership_id, m.status as membership_status
    from users u
    left join (memberships m join organizations o on o.id = m.organization_id and o.deleted_at is null) on m.user_id = u.id
   where ${condition}
   order by m.status = 'active' desc nulls last, m.status = 'suspended' desc nulls last, m.created_at, m.id
   limit 1`;

export async function findPersonByIdentity(
  db: Db,
  { issuer, subject }: UserIdentity,
): Promise<Person | undefined> {
  const condition =
    'u.id = (select i.user_id from user_identities i where i.issuer = :issuer and i.subject = :subject)';
  return await queryRow<Person>(db, person(condition), { issuer, subject });
}

export async function findPersonByEmail(db: Db, email: string): Promise<Person | undefined> {
  return await queryRow<Person>(db, person('lower(u.email) = lower(:email)'), {
    email,
  });
}

/** False if it is unlinked. Otherwise unlinking it waits for the end of the transaction, and then ends its session. */
export async function lockIdentity(trx: Trx, { issuer, subject }: UserIdentity): Promise<boolean> {
  const row: unknown = await trx('user_identities')
    .where({ issuer, subject })
    .forShare()
    .first('subject');
  return row !== undefined;
}

/** Whether the provider has identified this person before. */
export async function hasIdentityAt(db: Db, userId: string, issuer: string): Promise<boolean> {
  const row: unknown = await db('user_identities')
    .where({ user_id: userId, issuer })
    .first('subject');
  return row !== undefined;
}

export interface LinkedIdentity extends UserIdentity {
  readonly linkedAt: Date;
}

/** The identities of a member, oldest first. */
export async function listIdentitiesOf(
  db: Db,
  organizationId: string,
  membershipId: string,
): Promise<LinkedIdentity[]> {
  return await queryRows<LinkedIdentity>(
    db,
    `select i.issuer, i.subject, i.created_at as linked_at
       from user_identities i
       join memberships m on m.user_id = i.user_id
      where m.organization_id = :organizationId and m.id = :membershipId
      order by i.created_at, i.issuer, i.subject`,
    { organizationId, membershipId },
  );
}

export async function deleteIdentity(trx: Trx, { issuer, subject }: UserIdentity): Promise<void> {
  await trx('user_identities').where({ issuer, subject }).delete();
}

export async function insertUserIdentity(
  db: Db,
  userId: string,
  { issuer, subject }: UserIdentity,
): Promise<void> {
  await db('user_identities').insert({
    issuer,
    subject,
    user_id: userId,
    created_at: db.raw('clock_timestamp()'),
  });
}

/**
 * The organization that new people from the identity provider join: the oldest that is not deleted.
 */
export async function findOrganizationToJoin(db: Db): Promise<string | undefined> {
  const row = (await db('organizations')
    .whereNull('deleted_at')
    .orderBy(['created_at', 'id'])
    .first('id')) as { id: string } | undefined;
  return row?.id;
}
