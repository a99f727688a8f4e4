import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { SEALED_FOR } from '../../src/domain/sealed-secrets.ts';
import { SEALED_COLUMNS } from '../../src/data/sealed-secrets.ts';
import { OperatorError } from '../../src/platform/operator-error.ts';
import { openPool, type Db } from '../../src/platform/postgres.ts';
import { openSecretBox, type SecretBox } from '../../src/platform/crypto/secret-box.ts';
import { requireReadableSecrets, resealSecrets } from '../../src/services/sealed-secrets.ts';
import { cloneDatabase, type TestDatabase } from '../support/run/database.ts';

const key = () => randomBytes(32).toString('base64');
const [oldKey, newKey, otherKey] = [key(), key(), key()];
const old = openSecretBox(oldKey, []);
const box = openSecretBox(newKey, [oldKey]);

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await cloneDatabase();
  db = openPool({ connectionString: database.url, max: 4, applicationName: 'test' });
});

afterAll(async () => {
  await db.destroy();
  await database.drop();
});

beforeEach(async () => {
  await db('totp_factors').delete();
});

/** A factor for each of so many people, and the secret of each by person. */
async function putFactors(count: number, under: SecretBox): Promise<Map<string, Buffer>> {
  const secrets = new Map(
    Array.from({ length: count }, () => [randomUUID(), randomBytes(20)] as const),
  );
  const now = new Date();
  const users = [...secrets.keys()].map((id) => ({
    id,
    email: `${id}@example.com`,
    display_name: 'Grace Field',
    created_at: now,
  }));
  await db('users').insert(users);
  const rows = [...secrets].map(([id, secret]) => {
    const { sealed, keyId } = under.seal(secret, SEALED_FOR.totp(id));
    return { user_id: id, secret: sealed, secret_key_id: keyId, created_at: now };
  });
  await db('totp_factors').insert(rows);
  return secrets;
}

async function readFactors(by: SecretBox): Promise<Map<string, Buffer>> {
  const rows = (await db('totp_factors').select('user_id', 'secret', 'secret_key_id')) as {
    user_id: string;
    secret: Buffer;
    secret_key_id: string;
  }[];
  return new Map(
    rows.map((row) => [
      row.user_id,
      by.open({ keyId: row.secret_key_id, sealed: row.secret }, SEALED_FOR.totp(row.user_id)),
    ]),
  );
}

const sorted = (secrets: Map<string, Buffer>) =>
  [...secrets].map(([id, secret]) => `${id} ${secret.toString('hex')}`).sort();

describe('resealing', () => {
  test('puts every secret under the current key, unchanged, in any number of batches, and then finds nothing to do', async () => {
    const [before, already] = [await putFactors(250, old), await putFactors(3, box)];
    expect(await resealSecrets(db, box)).toEqual({ count: 250, broken: [] });
    expect(sorted(await readFactors(openSecretBox(newKey, [])))).toEqual(
      sorted(new Map([...before, ...already])),
    );
    expect(await resealSecrets(db, box)).toEqual({ count: 0, broken: [] });
  });

  test('can be interrupted between batches and repeated', async () => {
    const before = await putFactors(250, old);
    const controller = new AbortController();
    // Seals as the box does, and requests a stop in the middle of the second batch.
    let sealed = 0;
    const interrupting: SecretBox = {
      ...box,
      seal: (secret, purpose) => {
        sealed += 1;
        if (sealed === 150) controller.abort();
        return box.seal(secret, purpose);
      },
    };
    await expect(resealSecrets(db, interrupting, controller.signal)).rejects.toThrow();
    expect(sorted(await readFactors(box))).toEqual(sorted(before));
    expect(await resealSecrets(db, box)).toEqual({ count: 50, broken: [] });
    expect(sorted(await readFactors(openSecretBox(newKey, [])))).toEqual(sorted(before));
  });

  test('by two callers at once seals each secret once', async () => {
    const before = await putFactors(250, old);
    const [first, second] = await Promise.all([resealSecrets(db, box), resealSecrets(db, box)]);
    expect(first.count + second.count).toBe(250);
    expect(sorted(await readFactors(openSecretBox(newKey, [])))).toEqual(sorted(before));
  });

  test('keeps what the service writes meanwhile', async () => {
    const before = await putFactors(150, old);
    const [id = ''] = [...before.keys()].sort();
    const fresh = randomBytes(20);
    const trx = await db.transaction();
    const { sealed, keyId } = box.seal(fresh, SEALED_FOR.totp(id));
    await trx('totp_factors')
      .where({ user_id: id })
      .update({ secret: sealed, secret_key_id: keyId });
    const resealing = resealSecrets(db, box);
    await trx.commit();
    expect((await resealing).broken).toEqual([]);
    expect(sorted(await readFactors(openSecretBox(newKey, [])))).toEqual(
      sorted(before.set(id, fresh)),
    );
  });

  test('names a secret that does not open although its key is known, leaves it alone, and continues', async () => {
    const before = await putFactors(3, old);
    const [moved = '', from = ''] = [...before.keys()].sort();
    const taken = db('totp_factors').where({ user_id: from }).select('secret');
    await db('totp_factors').where({ user_id: moved }).update({ secret: taken });
    expect(await resealSecrets(db, box)).toEqual({ count: 2, broken: [`totp_factors ${moved}`] });
    const row = (await db('totp_factors')
      .where({ user_id: moved })
      .first('secret_key_id')) as unknown;
    expect(row).toEqual({ secret_key_id: old.keyId });
  });

  test('does nothing and names the key when one is missing', async () => {
    const other = openSecretBox(otherKey, []);
    await putFactors(2, old);
    await putFactors(1, other);
    await expect(resealSecrets(db, box)).rejects.toThrow(other.keyId);
    expect(await db('totp_factors').where({ secret_key_id: old.keyId })).toHaveLength(2);
  });
});

describe('the check that all secrets can be read', () => {
  test('passes with every key in use, and for a deployment without secrets', async () => {
    await requireReadableSecrets(db, undefined);
    await putFactors(2, old);
    await putFactors(2, box);
    await requireReadableSecrets(db, box);
    for (const lacking of [undefined, openSecretBox(newKey, []), openSecretBox(otherKey, [])]) {
      const refusal = await requireReadableSecrets(db, lacking).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(OperatorError);
      expect((refusal as Error).message).toContain(old.keyId);
    }
  });
});

test('every column of the database with sealed bytes is on the list', async () => {
  const { rows } = await db.raw<{ rows: { table: string; column: string }[] }>(
    `select table_name as "table", column_name as "column" from information_schema.columns
      where table_schema = 'public' and column_name like '%key\\_id' and data_type = 'text' and column_name like '%secret%'`,
  );
  expect(rows.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(
    SEALED_COLUMNS.map(({ table, keyId }) => `${table}.${keyId}`).sort(),
  );
});
