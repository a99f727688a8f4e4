/** Secrets sealed under the deployment's keys: checks that all can be read, and re-seals them under the current key. */
import {
  listSealingKeyIds,
  lockSealedUnderOthers,
  SEALED_COLUMNS,
  updateSealed,
  type SealedColumn,
  type SealedRow,
} from '../data/sealed-secrets.ts';
import { OperatorError } from '../platform/operator-error.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import type { SecretBox } from '../platform/crypto/secret-box.ts';

const BATCH = 100;

/** Throws OperatorError, naming the keys, when values are sealed under a key the box does not have. */
export async function requireReadableSecrets(db: Db, box: SecretBox | undefined): Promise<void> {
  const unknown = (await listSealingKeyIds(db)).filter((keyId) => !box?.knows(keyId));
  if (unknown.length === 0) return;
  const current = box ? `the one given is ${box.keyId}` : 'none is given';
  throw new OperatorError(
    `Secrets in the database are encrypted under the secrets key ${unknown.join(', ')}, and ${current}. ` +
      'Put that key back, in COUNTERSIGN_SECRETS_KEY, in COUNTERSIGN_PREVIOUS_SECRETS_KEYS or, for `start` on its own Postgres, ' +
      'as the file secrets-key in COUNTERSIGN_DATA_DIR. (A key is named by the first 16 hex digits of the SHA-256 of its bytes.)',
  );
}

export interface Resealed {
  readonly count: number;
  /** Values that do not open although their key is known: they were changed or moved. `<table> <id>`. */
  readonly broken: readonly string[];
}

/**
 * Re-seals everything that is not under the current key, in short transactions. Safe to interrupt, to repeat, and to run
 * while the service runs. Throws OperatorError when a key is missing.
 */
export async function resealSecrets(
  db: Db,
  box: SecretBox,
  signal?: AbortSignal,
): Promise<Resealed> {
  await requireReadableSecrets(db, box);
  const totals = { count: 0, broken: [] as string[] };
  for (const column of SEALED_COLUMNS) {
    let after: string | undefined;
    do {
      signal?.throwIfAborted();
      const batch = await db.transaction(
        async (trx) => await resealBatch(trx, column, { box, after }),
      );
      totals.count += batch.count;
      totals.broken.push(...batch.broken);
      after = batch.last;
    } while (after !== undefined);
  }
  return totals;
}

async function resealBatch(
  trx: Trx,
  column: SealedColumn,
  { box, after }: { readonly box: SecretBox; readonly after: string | undefined },
): Promise<Resealed & { readonly last: string | undefined }> {
  const rows = await lockSealedUnderOthers(trx, column, { keyId: box.keyId, after, limit: BATCH });
  const broken: string[] = [];
  for (const row of rows) {
    const resealed = reseal(row, box, column.purposeOf(row.id));
    if (resealed) await updateSealed(trx, column, resealed);
    else broken.push(`${column.table} ${row.id}`);
  }
  return { count: rows.length - broken.length, broken, last: rows.at(-1)?.id };
}

function reseal(row: SealedRow, box: SecretBox, purpose: string): SealedRow | undefined {
  try {
    return { id: row.id, ...box.seal(box.open(row, purpose), purpose) };
  } catch {
    return undefined;
  }
}
