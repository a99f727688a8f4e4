/**
 * Passwords, and the links to reset them: `whr_` tokens, stored as a hash, valid once and for an
 * hour.
 */
import type { ResetRecipient, PasswordReset } from '../../domain/sign-in/password-resets.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryRow, queryRows } from '../../platform/rows.ts';

const LINKS_AN_HOUR = 5;

/**
 * SQL: the person `u` has a password and is an active member of an organization that is not
 * deleted. With an identity provider, no one that it has identified: their address may have gone to
 * another person, who would get the link.
 */
const MAY_RESET = `
  u.password_hash is not null
  and not (cast(:withProvider as boolean) and exists (select from user_identities i where i.user_id = u.id))
  and exists (select from memberships m join organizations o on o.id = m.organization_id
               where m.user_id = u.id and m.status = 'active' and o.deleted_at is null)`;

/** The recipient of a reset link; undefined when the person cannot sign in with a password. */
export async function findResetRecipient(
  db: Db,
  { email, withProvider }: { readonly email: string; readonly withProvider: boolean },
): Promise<ResetRecipient | undefined> {
  return await queryRow<ResetRecipient>(
    db,
    `select u.id as user_id, u.email, u.display_name from users u where lower(u.email) = lower(:email) and ${MAY_RESET}`,
    { email, withProvider },
  );
}

interface NewPasswordReset {
  readonly id: string;
  readonly userId: string;
  readonly tokenHash: Buffer;
  readonly removesSecondFactor: boolean;
}

/**
 * Locks the person, stores the link, and purges some links that expired a day ago. Returns false
 * above the limit per hour. Each kind has its own: anyone can ask for links that keep the second factor.
 */
export async function insertPasswordReset(trx: Trx, reset: NewPasswordReset): Promise<boolean> {
  await lockPassword(trx, reset.userId, 'change');
  const rows = await queryRows<unknown>(
    trx,
    `with purged as (
       delete from password_resets where id in (
         select id from password_resets where expires_at < statement_timestamp() - interval '1 day'
          order by expires_at limit 10 for update skip locked)
     )
     insert into password_resets (id, user_id, token_hash, removes_second_factor, created_at, expires_at)
     select :id, :userId, :tokenHash, :removesSecondFactor, now, now + interval '1 hour' from clock_timestamp() as now
      where (select count(*) from password_resets where user_id = :userId and removes_second_factor = :removesSecondFactor
                and created_at > now - interval '1 hour') < :most
     returning id`,
    { ...reset, most: LINKS_AN_HOUR },
  );
  return rows.length > 0;
}

export async function findLivePasswordReset(
  db: Db,
  { id, withProvider }: { readonly id: string; readonly withProvider: boolean },
): Promise<PasswordReset | undefined> {
  return await queryRow<PasswordReset>(
    db,
    `select r.id, r.token_hash, r.expires_at, r.removes_second_factor,
            u.id as user_id, u.email, u.display_name
       from password_resets r
       join users u on u.id = r.user_id
      where r.id = :id and r.used_at is null and r.expires_at > clock_timestamp() and ${MAY_RESET}`,
    { id, withProvider },
  );
}

/**
 * Locks the hash until the end of the transaction; null without a password. Verifications run side
 * by side, while a change excludes them and all other changes.
 */
export async function lockPassword(
  trx: Trx,
  userId: string,
  to: 'verify' | 'change',
): Promise<string | null> {
  const row = await queryRow<{ passwordHash: string | null }>(
    trx,
    `select password_hash from users where id = :userId ${to === 'verify' ? 'for share' : 'for no key update'}`,
    { userId },
  );
  return row?.passwordHash ?? null;
}

/** Replaces the password and ends all reset links. */
export async function updatePassword(
  trx: Trx,
  userId: string,
  passwordHash: string,
): Promise<void> {
  await trx('users').where({ id: userId }).update({ password_hash: passwordHash });
  await trx('password_resets')
    .where({ user_id: userId })
    .whereNull('used_at')
    .update({ used_at: trx.raw('clock_timestamp()') });
}

/**
 * A person's membership in an organization that is not deleted, unless they were removed from it.
 */
interface MembershipOfUser {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly membershipId: string;
}

export async function listMembershipsOfUser(db: Db, userId: string): Promise<MembershipOfUser[]> {
  return await queryRows<MembershipOfUser>(
    db,
    `select o.id as organization_id, o.name as organization_name, m.id as membership_id
       from memberships m
       join organizations o on o.id = m.organization_id
      where m.user_id = :userId and m.status <> 'deprovisioned' and o.deleted_at is null
      order by m.created_at, m.id`,
    { userId },
  );
}
