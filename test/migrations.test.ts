import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { compareChecksums, recordChecksums } from '../bin/build/migration-checksums.ts';
import { EARLIER_MIGRATIONS } from '../src/data/earlier-migrations.ts';
import { migrateToLatest, pendingMigrations } from '../src/data/migrate.ts';
import { describeSchema } from '../src/data/schema-description.ts';
import { OperatorError } from '../src/platform/operator-error.ts';
import { packageRoot } from '../src/platform/package-root.ts';
import { openPool, type Db } from '../src/platform/postgres.ts';
import { builtTestPath } from './support/run/built.ts';
import { cloneDatabase, type TestDatabase } from './support/run/database.ts';

interface Migration {
  readonly config?: { readonly transaction?: boolean };
  up(db: Db): Promise<void>;
  down(db: Db): Promise<void>;
}

const folder = join(packageRoot(), 'migrations');
const files = readdirSync(folder)
  .filter((file) => file.endsWith('.ts'))
  .sort();

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await cloneDatabase();
  db = openPool({ connectionString: database.url, max: 2, applicationName: 'migrations-test' });
});

afterAll(async () => {
  await db.destroy();
  await database.drop();
});

async function rows<Row>(sql: string): Promise<Row[]> {
  return (await db.raw<{ rows: Row[] }>(sql)).rows;
}

const ours = `c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname not like 'knex%'`;

describe('the schema', () => {
  test('matches the committed one: run `npm run schema` after a change of a migration', async () => {
    const committed = readFileSync(join(folder, 'schema.sql'), 'utf8');
    expect(committed.split('\n').slice(2).join('\n')).toBe(await describeSchema(db));
  });

  test('explains every table', async () => {
    const silent = `select c.relname from pg_class c where ${ours} and coalesce(obj_description(c.oid, 'pg_class'), '') = ''`;
    expect(await rows(silent)).toEqual([]);
  });

  test('has an index for every foreign key that begins with its columns', async () => {
    // A partial index on rows with the reference is as good as a whole one. So is a key among the
    // columns.
    const unled = await rows(`
      select c.relname as table, k.conname as foreign_key from pg_constraint k join pg_class c on c.oid = k.conrelid
      where ${ours} and k.contype = 'f' and not exists (
        select 1 from pg_index i, lateral (select (i.indkey::smallint[])[0:i.indnkeyatts - 1] as columns) x
        where i.indrelid = k.conrelid and i.indisvalid and (
          (x.columns[1:cardinality(k.conkey)] @> k.conkey and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) =
            (select format('(%I IS NOT NULL)', a.attname) from pg_attribute a where a.attrelid = k.conrelid and a.attnum = k.conkey[1])))
          or (i.indisunique and i.indpred is null and k.conkey @> x.columns)))
      order by 1, 2`);
    expect(unled).toEqual([]);
  });

  test('names every constraint and index after its table', async () => {
    const strangers = await rows(`
      select c.relname as table, n.name from pg_class c, lateral (
        select conname::text as name from pg_constraint where conrelid = c.oid and contype in ('p', 'u', 'f', 'c')
        union select x.relname::text from pg_index i join pg_class x on x.oid = i.indexrelid where i.indrelid = c.oid) n
      where ${ours} and not starts_with(n.name, c.relname)`);
    expect(strangers).toEqual([]);
  });

  test('keeps instants to the millisecond and uses no varchar, jsonb or timestamp without zone', async () => {
    const types = await rows<{ type: string }>(`
      select distinct format_type(a.atttypid, a.atttypmod) as type from pg_attribute a join pg_class c on c.oid = a.attrelid
      where ${ours} and a.attnum > 0 and not a.attisdropped`);
    const allowed = [
      'uuid',
      'text',
      'text[]',
      'json',
      'boolean',
      'integer',
      'bigint',
      'bytea',
      'timestamp(3) with time zone',
      'date',
      'bigint[]',
      'xid8',
    ];
    expect(types.map(({ type }) => type).filter((type) => !allowed.includes(type))).toEqual([]);
  });
});

describe('the migrations', () => {
  test('are named <UTC second>_<noun>, and a migrated database has run all of them', async () => {
    expect(files.filter((file) => !/^20\d{12}_[a-z_]+\.ts$/.test(file))).toEqual([]);
    expect(await pendingMigrations(db)).toEqual([]);
  });

  test('are never edited: undo the change of the listed files, and write a new migration', () => {
    expect(compareChecksums(folder).changed).toEqual([]);
  });

  test('have a checksum each: run `npm run schema` after you add one', () => {
    expect(compareChecksums(folder).added).toEqual([]);
  });

  test('are recorded once, and a change or a removal is noticed', () => {
    const other = mkdtempSync(join(tmpdir(), 'migrations-'));
    try {
      writeFileSync(join(other, 'first.ts'), 'create');
      writeFileSync(join(other, 'second.ts'), 'create');
      recordChecksums(other);
      writeFileSync(join(other, 'third.ts'), 'create');
      expect(compareChecksums(other)).toEqual({ changed: [], added: ['third.ts'] });
      writeFileSync(join(other, 'first.ts'), 'create more');
      rmSync(join(other, 'second.ts'));
      expect(compareChecksums(other).changed).toEqual(['first.ts', 'second.ts']);
      expect(() => recordChecksums(other)).toThrow();
      expect(compareChecksums(other).added).toEqual(['third.ts']);
    } finally {
      rmSync(other, { recursive: true });
    }
  });

  test('go down to an empty database and up again to the same schema', async () => {
    const migrations = await Promise.all(
      files.map(
        async (file) =>
          (await import(pathToFileURL(builtTestPath(`migrations/${file}`)).href)) as Migration,
      ),
    );
    const before = await describeSchema(db);
    const run = async (migration: Migration, way: 'up' | 'down') => {
      if (migration.config?.transaction === false) await migration[way](db);
      else await db.transaction((trx) => migration[way](trx));
    };
    for (const migration of migrations.toReversed()) await run(migration, 'down');
    expect((await describeSchema(db)).trim()).toBe('');
    for (const migration of migrations) await run(migration, 'up');
    expect(await describeSchema(db)).toBe(before);
  });
});

describe('a database of an older build', () => {
  let older: TestDatabase;
  let olderDb: Db;
  const recorded = () => olderDb('knex_migrations').orderBy('id').pluck<string[]>('name');

  beforeEach(async () => {
    older = await cloneDatabase();
    olderDb = openPool({ connectionString: older.url, max: 1, applicationName: 'migrations-test' });
    await olderDb('knex_migrations').where('name', 'like', '%_baseline').delete();
    await olderDb('knex_migrations').insert(
      EARLIER_MIGRATIONS.map((name) => ({ name, batch: 1, migration_time: new Date() })),
    );
  });

  afterEach(async () => {
    await olderDb.destroy();
    await older.drop();
  });

  test('goes on: the baseline is recorded in place of the migrations that made the same schema', async () => {
    const before = await describeSchema(olderDb);
    expect(await pendingMigrations(olderDb)).toEqual([]);
    expect(await migrateToLatest(older.url)).toEqual([]);
    expect((await recorded()).sort()).toEqual(files.map((file) => file.replace('.ts', '')));
    expect(await pendingMigrations(olderDb)).toEqual([]);
    expect(await describeSchema(olderDb)).toBe(before);
  });

  test('that lacks one of those migrations is refused, and stays as it is', async () => {
    await olderDb('knex_migrations').where('name', EARLIER_MIGRATIONS.at(-1)).delete();
    const before = await recorded();
    expect(await pendingMigrations(olderDb)).toContain('20261127000000_baseline');
    await expect(migrateToLatest(older.url)).rejects.toBeInstanceOf(OperatorError);
    expect(await recorded()).toEqual(before);
  });
});
