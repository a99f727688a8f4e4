/** People who can sign in. Emails are compared ignoring case. */
import type { User } from '../../domain/people/users.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryOne, queryRow } from '../../platform/rows.ts';
import type { MembershipStatus } from '../../domain/people/memberships.ts';

interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly displayName: string;
  /** Null for an account of an identity provider. */
  readonly passwordHash: string | null;
}

/**
 * Creates the person with this email, or replaces the name and password of the existing one and
 * ends their password reset links. Returns the id.
 */
export async function upsertUser(trx: Trx, user: NewUser): Promise<string> {
  const row = await queryOne<{ id: string }>(
    trx,
    `with person as (
       insert into users (id, email, display_name, password_hash, created_at)
       values (:id, :email, :displayName, :passwordHash, clock_timestamp())
       on conflict (lower(email)) do update set display_name = excluded.display_name, password_hash = excluded.password_hash
       returning id
     ),
     ended as (
       update password_resets r set used_at = clock_timestamp() from person where r.user_id = person.id and r.used_at is null
     )
     select id from person`,
    { ...user },
  );
  return row.id;
}

/** False, without an insert, when another person has the email. */
export async function insertUserUnlessKnown(trx: Trx, user: NewUser): Promise<boolean> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `insert into users (id, email, display_name, password_hash, created_at)
     values (:id, :email, :displayName, :passwordHash, clock_timestamp())
     on conflict (lower(email)) do nothing`,
    { ...user },
  );
  return rowCount === 1;
}

export async function findUser(db: Db, userId: string): Promise<User | undefined> {
  return await queryRow<User>(
    db,
    `select u.id, u.display_name, u.password_hash,
            exists (select from totp_factors f where f.user_id = u.id and f.confirmed_at is not null) as has_second_factor
       from users u where u.id = :userId`,
    { userId },
  );
}

/**
 * A person who signs in, with the membership for the session: an active one if there is any, else
 * the oldest.
 */
export interface SignIn {
  readonly userId: string;
  readonly displayName: string;
  readonly passwordHash: string | null;
  readonly organizationId: string;
  readonly membershipId: string;
  readonly membershipStatus: MembershipStatus;
}

export async function findSignIn(db: Db, email: string): Promise<SignIn | undefined> {
  return await queryRow<SignIn>(
    db,
    `select u.id as user_id, u.display_name, u.password_hash,
            m.organization_id, m.id as membership_id, m.status as membership_status
       from users u
       join memberships m on m.user_id = u.id
      where lower(u.email) = lower(:email)
      order by m.status = 'active' desc, m.created_at, m.id
      limit 1`,
    { email },
  );
}

/** Null for an account without a password. */
export async function findPasswordHash(db: Db, userId: string): Promise<string | null> {
  const row = (await db('users').where({ id: userId }).first('password_hash')) as
    { password_hash: string | null } | undefined;
  return row?.password_hash ?? null;
}
