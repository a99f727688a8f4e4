/**
 * Every column that holds a sealed secret, and how to find and seal them again. A new one joins the
 * list here.
 */
import { SEALED_FOR } from '../domain/sealed-secrets.ts';
import type { Db, Trx } from '../platform/postgres.ts';

export interface SealedColumn {
  readonly table: string;
  /** The primary key, a uuid. */
  readonly id: string;
  readonly sealed: string;
  readonly keyId: string;
  readonly purposeOf: (id: string) => string;
}

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'push_keys',
    id: 'id',
    sealed: 'secret',
    keyId: 'secret_key_id',
    purposeOf: SEALED_FOR.pushKey,
  },
  {
    table: 'receivers',
    id: 'agent_instance_id',
    sealed: 'signing_secret',
    keyId: 'signing_secret_key_id',
    purposeOf: SEALED_FOR.receiver,
  },
  {
    table: 'slack_connections',
    id: 'channel_id',
    sealed: 'secrets',
    keyId: 'secrets_key_id',
    purposeOf: SEALED_FOR.slack,
  },
  {
    table: 'totp_factors',
    id: 'user_id',
    sealed: 'secret',
    keyId: 'secret_key_id',
    purposeOf: SEALED_FOR.totp,
  },
  {
    table: 'notification_webhooks',
    id: 'channel_id',
    sealed: 'signing_secret',
    keyId: 'signing_secret_key_id',
    purposeOf: SEALED_FOR.webhookChannel,
  },
  {
    table: 'notification_webhook_previous_secrets',
    id: 'channel_id',
    sealed: 'signing_secret',
    keyId: 'signing_secret_key_id',
    purposeOf: SEALED_FOR.webhookChannel,
  },
  {
    table: 'webhook_endpoint_secrets',
    id: 'webhook_endpoint_id',
    sealed: 'signing_secret',
    keyId: 'signing_secret_key_id',
    purposeOf: SEALED_FOR.webhookEndpoint,
  },
  {
    table: 'webhook_endpoint_previous_secrets',
    id: 'webhook_endpoint_id',
    sealed: 'signing_secret',
    keyId: 'signing_secret_key_id',
    purposeOf: SEALED_FOR.webhookEndpoint,
  },
];

/** Ids of the keys that any value is sealed under, sorted. */
export async function listSealingKeyIds(db: Db): Promise<string[]> {
  const found: string[] = [];
  for (const { table, keyId } of SEALED_COLUMNS)
    found.push(...((await db(table).distinct(keyId).pluck(keyId)) as string[]));
  return [...new Set(found)].sort();
}

export interface SealedRow {
  readonly id: string;
  readonly sealed: Buffer;
  readonly keyId: string;
}

/**
 * Locks up to `limit` rows that are sealed under another key than `keyId`, by id, after the id
 * `after`.
 */
export async function lockSealedUnderOthers(
  trx: Trx,
  { table, ...column }: SealedColumn,
  page: { readonly keyId: string; readonly after: string | undefined; readonly limit: number },
): Promise<SealedRow[]> {
  const query = trx(table)
    .whereNot(column.keyId, page.keyId)
    .orderBy(column.id)
    .limit(page.limit)
    .forNoKeyUpdate();
  if (page.after !== undefined) void query.where(column.id, '>', page.after);
  return (await query.select({
    id: column.id,
    sealed: column.sealed,
    keyId: column.keyId,
  })) as SealedRow[];
}

export async function updateSealed(
  trx: Trx,
  { table, ...column }: SealedColumn,
  row: SealedRow,
): Promise<void> {
  await trx(table)
    .where(column.id, row.id)
    .update({ [column.sealed]: row.sealed, [column.keyId]: row.keyId });
}
