/** People who can sign in. Emails are compared without regard to case. */
import type { Db } from '../platform/postgres.ts';
import type { MembershipStatus } from './memberships.ts';

export interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly displayName: string;
  readonly passwordHash: string;
}

export async function insertUser(db: Db, user: NewUser): Promise<void> {
  await db('users').insert({
    id: user.id,
    email: user.email,
    display_name: user.displayName,
    password_hash: user.passwordHash,
    created_at: db.raw('clock_timestamp()'),
  });
}

/** A person who signs in, with the membership the session will be for: an active one if there is any, else the oldest. */
export interface SignIn {
  readonly displayName: string;
  readonly passwordHash: string | null;
  readonly organizationId: string;
  readonly membershipId: string;
  readonly membershipStatus: MembershipStatus;
}

export async function findSignIn(db: Db, email: string): Promise<SignIn | undefined> {
  const { rows } = await db.raw<{ rows: SignIn[] }>(
    `select u.display_name as "displayName", u.password_hash as "passwordHash",
            m.organization_id as "organizationId", m.id as "membershipId", m.status as "membershipStatus"
       from users u
       join memberships m on m.user_id = u.id
      where lower(u.email) = lower(:email)
      order by m.status = 'active' desc, m.created_at, m.id
      limit 1`,
    { email },
  );
  return rows[0];
}
