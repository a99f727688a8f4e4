/**
 * Sign-ins that wait for a second factor: `whm_` tokens, stored as a hash, for five minutes and
 * five wrong codes.
 */
import type { MfaChallenge } from '../../domain/sign-in/mfa-challenges.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryRow } from '../../platform/rows.ts';

const WRONG_CODES = 5;

interface NewMfaChallenge {
  readonly id: string;
  readonly membershipId: string;
  readonly tokenHash: Buffer;
  /** SHA-256 of the stored password hash. */
  readonly passwordDigest: Buffer;
}

/** Inserts a challenge, returns when it expires, and purges some that have expired. */
export async function insertMfaChallenge(db: Db, challenge: NewMfaChallenge): Promise<Date> {
  const row = await queryRow<{ expiresAt: Date }>(
    db,
    `with purged as (
       delete from mfa_challenges where id in (
         select id from mfa_challenges where expires_at < statement_timestamp() order by expires_at limit 10 for update skip locked)
     )
     insert into mfa_challenges (id, membership_id, token_hash, password_digest, created_at, expires_at)
     select :id, :membershipId, :tokenHash, :passwordDigest, now, now + interval '5 minutes' from clock_timestamp() as now
     returning expires_at`,
    { ...challenge },
  );
  if (!row) throw new Error('a challenge was not kept');
  return row.expiresAt;
}

export async function findMfaChallenge(db: Db, id: string): Promise<MfaChallenge | undefined> {
  return await queryRow<MfaChallenge>(
    db,
    `select c.id, c.token_hash, c.password_digest, m.organization_id,
            m.id as membership_id, u.id as user_id, u.display_name, u.email
       from mfa_challenges c
       join memberships m on m.id = c.membership_id
       join users u on u.id = m.user_id
      where c.id = :id`,
    { id },
  );
}

/**
 * Locks the challenge. Returns false when it was used, has expired or has had too many wrong codes.
 */
export async function lockLiveMfaChallenge(trx: Trx, id: string): Promise<boolean> {
  const locked = await trx('mfa_challenges').where({ id }).forUpdate().first('id');
  if (!locked) return false;
  const live = await trx('mfa_challenges')
    .where({ id })
    .whereNull('used_at')
    .where('wrong_codes', '<', WRONG_CODES)
    .where('expires_at', '>', trx.raw('clock_timestamp()'))
    .first('id');
  return live !== undefined;
}

export async function countWrongCode(db: Db, id: string): Promise<void> {
  await db('mfa_challenges').where({ id }).increment('wrong_codes');
}

export async function markMfaChallengeUsed(db: Db, id: string): Promise<void> {
  await db('mfa_challenges')
    .where({ id })
    .update({ used_at: db.raw('clock_timestamp()') });
}
