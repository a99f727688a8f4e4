/** Secrets that sign what is posted, and those before them, which sign until their overlap ends. */
import type { SealedSecret } from '../../platform/crypto/secret-box.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryOne } from '../../platform/rows.ts';

/** Where the secrets of one kind of receiver are. */
export interface SecretTables {
  /** With the columns signing_secret, signing_secret_key_id and secret_rotated_at. */
  readonly current: string;
  readonly previous: string;
  /** The column of the receiver's id, in both. */
  readonly id: string;
}

export const ENDPOINT_SECRETS: SecretTables = {
  current: 'webhook_endpoint_secrets',
  previous: 'webhook_endpoint_previous_secrets',
  id: 'webhook_endpoint_id',
};

export const CHANNEL_SECRETS: SecretTables = {
  current: 'notification_webhooks',
  previous: 'notification_webhook_previous_secrets',
  id: 'channel_id',
};

export interface SecretRotation {
  readonly secretRotatedAt: Date;
  /** When the secret before it stops; null when it has stopped. */
  readonly previousSecretExpiresAt: Date | null;
}

export interface NewSecret extends SealedSecret {
  /** How long the secret before it signs, too. */
  readonly overlapMs: number;
}

/**
 * The secret before it signs for `overlapMs` more; the one before that stops at once. The receiver
 * is locked, so that no two rotations meet. Throws for a receiver without a secret.
 */
export async function rotateSecret(
  trx: Trx,
  { current, previous, id }: SecretTables,
  { receiverId, sealed, keyId, overlapMs }: NewSecret & { readonly receiverId: string },
): Promise<SecretRotation> {
  await trx(previous)
    .where({ [id]: receiverId })
    .delete();
  return await queryOne<SecretRotation>(
    trx,
    `with before as (
       insert into ${previous} (${id}, signing_secret, signing_secret_key_id, expires_at)
       select ${id}, signing_secret, signing_secret_key_id,
              clock_timestamp() + cast(:overlapMs as double precision) * interval '1 millisecond'
         from ${current}
        where ${id} = :receiverId and cast(:overlapMs as double precision) > 0
       returning expires_at
     )
     update ${current}
        set signing_secret = :sealed, signing_secret_key_id = :keyId, secret_rotated_at = clock_timestamp()
      where ${id} = :receiverId
     returning secret_rotated_at, (select expires_at from before) as previous_secret_expires_at`,
    { receiverId, sealed, keyId, overlapMs },
  );
}

/** SQL: what signs besides the secret of the row `alias`. Joined by `previousOf`. */
export const PREVIOUS_COLUMNS =
  'p.signing_secret as previous_sealed, p.signing_secret_key_id as previous_key_id';

/** SQL: joins the secret `p` that signs besides the one of the row `alias`. */
export const previousOf = ({ previous, id }: SecretTables, alias: string): string =>
  `left join ${previous} p on p.${id} = ${alias}.${id} and p.expires_at > clock_timestamp()`;

/** Deletes up to `limit` secrets of each kind that sign no more. Returns how many. */
export async function deleteOldSecrets(db: Db, limit: number): Promise<number> {
  let deleted = 0;
  for (const { previous, id } of [ENDPOINT_SECRETS, CHANNEL_SECRETS])
    deleted += await db(previous)
      .whereRaw(
        `${id} in (
           select ${id} from ${previous} where expires_at <= clock_timestamp()
            limit :limit for update skip locked)`,
        { limit },
      )
      .delete();
  return deleted;
}
